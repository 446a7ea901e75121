package netlist_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	"gornic/tb/netlist"
	"gornic/tools/toolset"
)

type copiesIO struct {
	Write   hdl.Bits `hdl:"in" w:"1"`
	At      hdl.Bits `hdl:"in" w:"4"`
	Other   hdl.Bits `hdl:"in" w:"4"`
	Data    hdl.Bits `hdl:"in" w:"4"`
	Differs hdl.Bits `hdl:"out" w:"4"`
}

// copies is a memory with two who read it: where both look at one word they see the same, if it was written.
func copies() hdl.Def[copiesIO] {
	return hdl.Def[copiesIO]{Name: "copies", IO: copiesIO{}, Body: func(m *hdl.Module, io *copiesIO) {
		words := m.LUTRAM("words", 16, 4)
		words.Write(io.At, io.Write, io.Data)
		io.Differs.Set(words.At(io.At).Xor(words.At(io.Other)))
	}}
}

// A memory with several who read it becomes a copy for each. What was never written differs between copies, so that a design that counts
// on its being the same fails on its netlist, though not in the simulators of its source.
func TestCopiesOfAMemoryStartApart(t *testing.T) {
	toolset.Need(t, toolset.Yosys)
	toolset.Need(t, toolset.Verilator)
	design, io := hdltest.Build(t, copies())
	s := hdltest.Open(t, netlist.Simulator(t.Context()), design, sim.Options{Seed: hdltest.Seed(t)})
	s.Reset(2)
	differ := func() (n int) {
		for at := range uint64(16) {
			s.Set(io.At, at)
			s.Set(io.Other, at)
			if s.Get(io.Differs) != 0 {
				n++
			}
		}
		return n
	}
	require.NotZero(t, differ(), "of 16 words of 4 bits")
	for at := range uint64(16) {
		s.Set(io.At, at)
		s.Set(io.Write, 1)
		s.Set(io.Data, at^5)
		s.Step()
	}
	s.Set(io.Write, 0)
	require.Zero(t, differ())
}
