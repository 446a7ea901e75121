package top

import (
	"cmp"
	"fmt"

	"gornic/fpga/blocks/ethport"
	"gornic/fpga/blocks/pads"
	"gornic/fpga/board"
	"gornic/hdl"
)

// RGMII is the pins of a port.
type RGMII struct {
	RxClk hdl.Bits `w:"1" name:"rx_clk"`
	RxCtl hdl.Bits `w:"1" name:"rx_ctl"`
	RxD   hdl.Bits `w:"4" name:"rxd"`
	TxClk hdl.Bits `hdl:"flip" w:"1" name:"tx_clk"`
	TxCtl hdl.Bits `hdl:"flip" w:"1" name:"tx_ctl"`
	TxD   hdl.Bits `hdl:"flip" w:"4" name:"txd"`
}

// IO is the pins, under the names that constraints/NAME.lpf has.
type IO struct {
	Osc    hdl.Bits `hdl:"in" w:"1" name:"osc"`
	ResetN hdl.Bits `hdl:"in" w:"1" name:"reset_n"` // a button

	Eth       []RGMII  `hdl:"in"`
	PHYResetN hdl.Bits `hdl:"out" name:"phy_rst_n"`

	UARTRx hdl.Bits `hdl:"in" w:"1" name:"uart_rx"`
	UARTTx hdl.Bits `hdl:"out" w:"1" name:"uart_tx"`
	LEDs   hdl.Bits `hdl:"out" name:"led_n"`
}

// Design elaborates the top of a board.
func Design(b board.Board) (*hdl.Design, error) {
	p, err := ParamsOf(b)
	if err != nil {
		return nil, err
	}
	design, _, err := hdl.Build(Def(p))
	return design, err
}

// Def is the top of a bitstream. Its clocks are made inside: clk of the core, net_clk, rx0_clk and rx1_clk. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	return hdl.Def[IO]{
		Name: "gornic_" + p.Board.Name,
		Doc:  fmt.Sprintf("RDMA NIC on the board %s.", p.Board.Title),
		IO:   IO{Eth: make([]RGMII, p.ports()), PHYResetN: hdl.W(p.Board.PHYResets), LEDs: hdl.W(p.Board.LEDs.Count)},
		Body: func(m *hdl.Module, io *IO) { (&chip{m: m, p: p, io: io}).build() },
	}
}

// chip is the top while it is built.
type chip struct {
	m  *hdl.Module
	p  Params
	io *IO

	pll    *pads.PLLIO
	core   hdl.Clock
	resets []*pads.ResetIO // of all domains
	board  *BoardIO
}

func (c *chip) build() {
	c.clocks()
	for i := range c.io.Eth {
		c.port(i)
	}
	c.board.UARTRx.Set(c.io.UARTRx)
	c.io.UARTTx.Set(c.board.UARTTx)
	lit := c.board.LEDs
	if c.p.Board.LEDs.Low {
		lit = lit.Not()
	}
	c.io.LEDs.Set(lit)
	c.phyReset()
}

// clocks makes the domains, and the board in them. A reset is of all of them: when the button is pressed, while the PLL has
// no lock, and when software wants it.
func (c *chip) clocks() {
	m := c.m
	c.pll = hdl.Instance(m, "u_pll", pads.PLLDef(c.p.Board.PLL))
	c.pll.In.Set(c.io.Osc)
	c.core = c.domain("", c.pll.Core)
	joins := []hdl.ClockJoin{hdl.WithClock("net", c.domain("net", c.pll.Net))}
	for i, pins := range c.io.Eth {
		name := fmt.Sprintf("rx%d", i)
		joins = append(joins, hdl.WithClock(name, c.domain(name, pins.RxClk)))
	}
	m.In(c.core, func() { c.board = hdl.Instance(m, "u_board", BoardDef(c.p), joins...) })
	for _, r := range c.resets {
		r.Hold.Set(c.dead().Or(c.board.Reset))
	}
}

// dead is one while there can be no clock, or nobody wants one.
func (c *chip) dead() hdl.Bits { return c.pll.Locked.Not().Or(c.io.ResetN.Not()) }

// domain is the domain of a clock.
func (c *chip) domain(name string, clock hdl.Bits) hdl.Clock {
	r := hdl.Instance(c.m, "u_reset_"+cmp.Or(name, "core"), pads.ResetDef())
	r.Clock.Set(clock)
	c.resets = append(c.resets, r)
	return c.m.ClockOf(name, clock, r.Reset)
}

// Domains of the resets, in the order in which they are made.
const (
	resetNet = 1
	resetRx  = 2 // of port 0
)

// port puts pads between a port and its pins.
func (c *chip) port(i int) {
	m, pins, at := c.m, c.io.Eth[i], c.p.Board.Ports[i]
	rx := hdl.Instance(m, fmt.Sprintf("u_rx_pads_%d", i), pads.RxDef(at.RxDelay))
	rx.Clock.Set(pins.RxClk)
	rx.Reset.Set(c.resets[resetRx+i].Reset)
	rx.Ctl.Set(pins.RxCtl)
	rx.Data.Set(pins.RxD)
	hdl.Connect(append([]ethport.Pins{c.board.Rx0}, c.board.Rx1...)[i], rx.Pins)
	m.In(c.core, func() {
		steps := hdl.Instance(m, fmt.Sprintf("u_stepper_%d", i), pads.StepperDef(at.RxDelay))
		steps.Target.Set(c.board.RxDelay[i])
		hdl.Connect(rx.Delay, steps.Moves)
		m.Unused(steps.Taps)
	})

	tx := hdl.Instance(m, fmt.Sprintf("u_tx_pads_%d", i), pads.TxDef(at.TxDelay))
	tx.Clock.Set(c.pll.Net)
	tx.Reset.Set(c.resets[resetNet].Reset)
	hdl.Connect(tx.Pins, c.board.Tx[i])
	pins.TxClk.Set(tx.TxC)
	pins.TxCtl.Set(tx.Ctl)
	pins.TxD.Set(tx.Data)
}

// phyCycles is log2 of the cycles that PHYs are held in reset: 16 ms at 62.5 MHz, where they want 10.
const phyCycles = 20

// phyReset holds the PHYs in reset for a while after the button; not when software resets the board, since a link
// takes seconds to come up.
func (c *chip) phyReset() {
	m := c.m
	alive := hdl.Instance(m, "u_reset_phy", pads.ResetDef())
	alive.Clock.Set(c.pll.Core)
	alive.Hold.Set(c.dead())
	m.In(m.ClockOf("phy", c.pll.Core, alive.Reset), func() {
		passed := m.Reg("phy_passed", phyCycles+1, 0)
		m.If(passed.MSB().Not(), func() { passed.Set(passed.AddK(1)) })
		reset := make([]hdl.Bits, c.p.Board.PHYResets)
		for i := range reset {
			reset[i] = passed.MSB()
		}
		c.io.PHYResetN.Set(hdl.Cat(reset...))
	})
}
