package pads

import (
	"fmt"

	"gornic/fpga/board"
	"gornic/hdl"
)

// PLLIO is the ports of the PLL, all of them clocks but Locked.
type PLLIO struct {
	In     hdl.Bits `hdl:"in" w:"1"`
	Net    hdl.Bits `hdl:"out" w:"1"`
	Core   hdl.Bits `hdl:"out" w:"1"`
	Locked hdl.Bits `hdl:"out" w:"1"`
}

// pllIO is the EHXPLLL.
type pllIO struct {
	In        hdl.Bits `hdl:"in" w:"1" name:"CLKI"`
	Feedback  hdl.Bits `hdl:"in" w:"1" name:"CLKFB"`
	Select0   hdl.Bits `hdl:"in" w:"1" name:"PHASESEL0"`
	Select1   hdl.Bits `hdl:"in" w:"1" name:"PHASESEL1"`
	Direction hdl.Bits `hdl:"in" w:"1" name:"PHASEDIR"`
	Step      hdl.Bits `hdl:"in" w:"1" name:"PHASESTEP"`
	Load      hdl.Bits `hdl:"in" w:"1" name:"PHASELOADREG"`
	Standby   hdl.Bits `hdl:"in" w:"1" name:"STDBY"`
	Wake      hdl.Bits `hdl:"in" w:"1" name:"PLLWAKESYNC"`
	Reset     hdl.Bits `hdl:"in" w:"1" name:"RST"`
	EnableP   hdl.Bits `hdl:"in" w:"1" name:"ENCLKOP"`
	EnableS   hdl.Bits `hdl:"in" w:"1" name:"ENCLKOS"`
	P         hdl.Bits `hdl:"out" w:"1" name:"CLKOP"`
	S         hdl.Bits `hdl:"out" w:"1" name:"CLKOS"`
	Lock      hdl.Bits `hdl:"out" w:"1" name:"LOCK"`
}

// PLLDef makes the clocks of a board: the feedback is the net clock. Outputs rise together: the phase of each is its divider less one.
func PLLDef(p board.PLL) hdl.Def[PLLIO] {
	return hdl.Def[PLLIO]{
		Name: fmt.Sprintf("pll_%d_%d_%d_%d", p.Input, p.Feedback, p.Net, p.Core),
		Doc:  "The PLL of a board: the clock of the Ethernet MACs, and that of the core.",
		Body: func(m *hdl.Module, io *PLLIO) {
			u := hdl.Instance(m, "u_pll", ehxpll(p))
			u.In.Set(io.In)
			u.Feedback.Set(u.P)
			for _, low := range []hdl.Bits{u.Select0, u.Select1, u.Standby, u.Wake, u.Reset, u.EnableP, u.EnableS} {
				low.SetK(0)
			}
			for _, high := range []hdl.Bits{u.Direction, u.Step, u.Load} { // at rest
				high.SetK(1)
			}
			io.Net.Set(u.P)
			io.Core.Set(u.S)
			io.Locked.Set(u.Lock)
		},
	}
}

// ehxpll is the primitive with its settings. Those of the loop filter are attributes; without them nextpnr takes zeros. They are the
// ones that prjtrellis' ecppll writes for every frequency.
func ehxpll(p board.PLL) hdl.Def[pllIO] {
	def := box[pllIO]("EHXPLLL", "The PLL.",
		text("PLLRST_ENA", "DISABLED"), text("INTFB_WAKE", "DISABLED"), text("STDBY_ENABLE", "DISABLED"), text("DPHASE_SOURCE", "DISABLED"),
		text("OUTDIVIDER_MUXA", "DIVA"), text("OUTDIVIDER_MUXB", "DIVB"),
		number("CLKI_DIV", p.Input), number("CLKFB_DIV", p.Feedback), text("FEEDBK_PATH", "CLKOP"),
		text("CLKOP_ENABLE", "ENABLED"), number("CLKOP_DIV", p.Net), number("CLKOP_CPHASE", p.Net-1), number("CLKOP_FPHASE", 0),
		text("CLKOS_ENABLE", "ENABLED"), number("CLKOS_DIV", p.Core), number("CLKOS_CPHASE", p.Core-1), number("CLKOS_FPHASE", 0),
	)
	def.Attrs = []hdl.Param{
		text("ICP_CURRENT", "12"), text("LPF_RESISTOR", "8"), text("MFG_ENABLE_FILTEROPAMP", "1"), text("MFG_GMCREF_SEL", "2"),
	}
	return def
}
