package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/fpga/blocks/ethport"
	"gornic/fpga/blocks/pads"
	"gornic/fpga/blocks/top"
	"gornic/fpga/board"
	"gornic/fpga/flow"
	"gornic/hdl"
	"gornic/hdl/stream"
	"gornic/tools/toolset"
)

// echoIO is some of the pins of a board with one port.
type echoIO struct {
	Osc    hdl.Bits    `hdl:"in" w:"1" name:"osc"`
	ResetN hdl.Bits    `hdl:"in" w:"1" name:"reset_n"`
	Eth    []top.RGMII `hdl:"in"`
}

// echo sends every frame back that comes in at port 0: the clocks, pads and crossings of a board without the core, which takes
// minutes.
func echo(b board.Board) hdl.Def[echoIO] {
	return hdl.Def[echoIO]{Name: "echo", IO: echoIO{Eth: make([]top.RGMII, 1)}, Body: func(m *hdl.Module, io *echoIO) {
		pll := hdl.Instance(m, "u_pll", pads.PLLDef(b.PLL))
		pll.In.Set(io.Osc)
		resets := map[string]hdl.Bits{}
		domain := func(name string, clock hdl.Bits) hdl.Clock {
			r := hdl.Instance(m, "u_reset_"+name, pads.ResetDef())
			r.Clock.Set(clock)
			r.Hold.Set(pll.Locked.Not().Or(io.ResetN.Not()))
			resets[name] = r.Reset
			if name == "core" {
				name = ""
			}
			return m.ClockOf(name, clock, r.Reset)
		}
		pins := io.Eth[0]
		core, net, rx := domain("core", pll.Core), domain("net", pll.Net), domain("rx0", pins.RxClk)
		m.In(core, func() {
			port := hdl.Instance(m, "u_port", ethport.Def(ethport.DefaultParams()), hdl.WithClock("net", net), hdl.WithClock("rx", rx))
			hdl.Connect(port.Tx, stream.FrameFIFO(m, "u_fifo", port.Rx, 256))
			hdl.UnusedBut(m, port.Count)
			hdl.UnusedBut(m, port.Status)
			steps := hdl.Instance(m, "u_stepper", pads.StepperDef(b.Ports[0].RxDelay))
			steps.Target.SetK(uint64(b.Ports[0].RxDelay))
			m.Unused(steps.Taps)
			in := hdl.Instance(m, "u_rx_pads", pads.RxDef(b.Ports[0].RxDelay))
			in.Clock.Set(pins.RxClk)
			in.Reset.Set(resets["rx0"])
			in.Ctl.Set(pins.RxCtl)
			in.Data.Set(pins.RxD)
			hdl.Connect(in.Delay, steps.Moves)
			hdl.Connect(port.RxPins, in.Pins)
			out := hdl.Instance(m, "u_tx_pads", pads.TxDef(b.Ports[0].TxDelay))
			out.Clock.Set(pll.Net)
			out.Reset.Set(resets["net"])
			hdl.Connect(out.Pins, port.TxPins)
			pins.TxClk.Set(out.TxC)
			pins.TxCtl.Set(out.Ctl)
			pins.TxD.Set(out.Data)
		})
	}}
}

// The hardware around the core meets the timing of Ethernet on the smallest board, with its pins, and becomes a bitstream.
func TestAnEchoBecomesABitstream(t *testing.T) {
	// nextpnr and ecppack are no part of what `make test` sets up: a build for a board takes longer than its tests may.
	for _, name := range []string{toolset.Yosys, toolset.Nextpnr, toolset.Ecppack} {
		if _, err := toolset.Find(name); err != nil {
			t.Skipf("needs %v", err)
		}
	}
	b := board.I5()
	b.Ports = b.Ports[:1]
	design, _, err := hdl.Build(echo(b))
	require.NoError(t, err)
	target, err := wholeBoard.target(b)
	require.NoError(t, err)
	target.Name = "echo"
	r, err := flow.Build(t.Context(), target, design, flow.Options{Dir: t.TempDir()})
	if r != nil {
		require.NoError(t, r.Print(os.Stdout))
	}
	require.NoError(t, err)
	require.FileExists(t, r.Bitstream)
	require.Len(t, r.Clocks, 3)
	for _, c := range r.Clocks {
		require.NotEmpty(t, c.Path, c.Name)
	}
}
