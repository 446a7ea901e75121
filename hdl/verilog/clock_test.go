package verilog_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
)

// OscillatorIO are the ports of a black box that makes clocks.
type OscillatorIO struct {
	In     hdl.Bits `hdl:"in" w:"1"`
	Fast   hdl.Bits `hdl:"out" w:"1"`
	Slow   hdl.Bits `hdl:"out" w:"1"`
	Locked hdl.Bits `hdl:"out" w:"1"`
}

// Oscillator is a black box that makes clocks.
func Oscillator() hdl.Def[OscillatorIO] {
	return hdl.Def[OscillatorIO]{Name: "VENDOR_OSC", External: true, Attrs: []hdl.Param{{Name: "LOOP", Value: `"12"`}, {Name: "keep", Value: "1"}}, Body: func(*hdl.Module, *OscillatorIO) {}}
}

// ResetIO are the ports of a reset synchroniser.
type ResetIO struct {
	Hold  hdl.Bits `hdl:"in" w:"1"`
	Reset hdl.Bits `hdl:"out" w:"1"`
}

// MadeClocksIO are the ports of a top that has no clock among them.
type MadeClocksIO struct {
	Pin   hdl.Bits `hdl:"in" w:"1"`
	Other hdl.Bits `hdl:"in" w:"1"` // another clock
	Count hdl.Bits `hdl:"out" w:"4"`
	Seen  hdl.Bits `hdl:"out" w:"1"`
}

// MadeClocks exercises domains whose clocks are signals: of a black box, and of a pin.
func MadeClocks() hdl.Def[MadeClocksIO] { return madeClocks("made_clocks", true) }

func madeClocks(name string, safe bool) hdl.Def[MadeClocksIO] {
	return hdl.Def[MadeClocksIO]{
		Name: name,
		Doc:  "A top whose clocks are made inside.",
		Body: func(m *hdl.Module, io *MadeClocksIO) {
			osc := hdl.Instance(m, "u_osc", Oscillator())
			osc.In.Set(io.Pin)
			m.Unused(osc.Slow)
			hold := osc.Locked.Not()
			fast := m.ClockOf("fast", osc.Fast, hold)
			pin := m.ClockOf("", io.Other, hold)
			var count, top hdl.Bits
			m.In(fast, func() {
				count = m.Reg("counter", 4, 0)
				count.Set(count.AddK(1))
				top = m.Reg("top_bit", 1, 0)
				if safe {
					hdl.CrossSafe(top)
				}
				top.Set(count.MSB())
				io.Count.Set(count)
			})
			m.In(pin, func() {
				seen := m.Reg("seen_bit", 1, 0)
				seen.Set(top)
				io.Seen.Set(seen)
			})
		},
	}
}

func TestMadeClocksAreDomains(t *testing.T) {
	_, _, err := hdl.Build(madeClocks("unsafe_clocks", false))
	require.ErrorContains(t, err, "register seen_bit of domain clk depends on top_bit")
	require.ErrorContains(t, err, "of domain fast_clk")
}

func TestMadeClocksOfTheTopOnly(t *testing.T) {
	_, _, err := hdl.Build(hdl.Def[MadeClocksIO]{Name: "around", Body: func(m *hdl.Module, io *MadeClocksIO) {
		hdl.Connect(*io, *hdl.Instance(m, "u_inner", MadeClocks()))
	}})
	require.ErrorContains(t, err, "only the outermost module makes clocks")
}

func TestMadeClocksHaveOneName(t *testing.T) {
	_, _, err := hdl.Build(hdl.Def[MadeClocksIO]{Name: "twice", Body: func(m *hdl.Module, io *MadeClocksIO) {
		m.ClockOf("a", io.Pin, io.Other)
		m.ClockOf("a", io.Other, io.Pin)
		io.Count.SetK(0)
		io.Seen.SetK(0)
	}})
	require.ErrorContains(t, err, `the clock domain "a" is there already`)
}

func TestMadeClocksDoNotRun(t *testing.T) {
	d, _, err := hdl.Build(MadeClocks())
	require.NoError(t, err)
	for _, open := range []sim.Open{sim.Native, verilator.Open} {
		_, err := open(d, sim.Options{})
		require.ErrorContains(t, err, "made_clocks makes the clock fast_clk of its own")
	}
}
