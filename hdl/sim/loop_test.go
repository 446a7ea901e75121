package sim_test

import (
	"testing"

	"gornic/hdl"
	"gornic/hdl/sim"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type loopIO struct {
	In  hdl.Bits `hdl:"in" w:"8"`
	Out hdl.Bits `hdl:"out" w:"8"`
}

// open elaborates a module without the checks of hdl.Build, which would
// report a loop before a simulator sees it.
func open(body func(m *hdl.Module, io *loopIO)) (*sim.Sim, *loopIO, error) {
	design, io, _ := hdl.Elaborate(hdl.Def[loopIO]{Name: "dut", Body: body})
	s, err := sim.New(design, sim.Options{})
	return s, io, err
}

func TestLoopIsAnError(t *testing.T) {
	_, _, err := open(func(m *hdl.Module, io *loopIO) {
		x, y := m.Wire("x", 8), m.Wire("y", 8)
		x.Set(y.Add(io.In))
		m.If(io.In.Any(), func() { y.Set(x) }).Else(func() { y.SetK(0) })
		io.Out.Set(y)
	})
	require.Error(t, err)
	assert.Regexp(t, `^sim: combinational loop: (x|y) \(hdl/sim/loop_test.go:28\) -> (x|y) \(hdl/sim/loop_test.go:28\)$`, err.Error())
}

// Values that depend on each other bit by bit, or in different branches of
// one If, are no loop.
func TestFalseLoops(t *testing.T) {
	prefixParity := func(in uint64) uint64 { // bit i is the parity of bits 0 to i
		want := in
		for range 8 {
			want = want<<1&0xff ^ in
		}
		return want
	}
	for name, test := range map[string]struct {
		body func(m *hdl.Module, io *loopIO)
		want func(in uint64) uint64
	}{
		"ripple through a word": {func(m *hdl.Module, io *loopIO) {
			x := m.Wire("x", 8)
			x.Set(hdl.Cat(x.Slice(6, 0).Xor(io.In.Slice(7, 1)), io.In.Bit(0)))
			io.Out.Set(x)
		}, prefixParity},
		"ripple by an adder": {func(m *hdl.Module, io *loopIO) {
			// x = 2x + in, bit by bit from below.
			x := m.Wire("x", 8)
			x.Set(hdl.Cat(x.Slice(6, 0), hdl.K(1, 0)).Add(io.In))
			io.Out.Set(x)
		}, func(in uint64) uint64 { return -in & 0xff }},
		"branches of one If": {func(m *hdl.Module, io *loopIO) {
			// A request goes one way and an answer comes back through the same If.
			request, answer, doubled := m.Wire("request", 8), m.Wire("answer", 8), m.Wire("doubled", 8)
			doubled.Set(request.Add(request))
			m.If(io.In.Bit(7), func() {
				request.Set(io.In)
				answer.Set(doubled)
			}).Else(func() {
				request.SetK(0)
				answer.Set(doubled.AddK(1))
			})
			io.Out.Set(answer)
		}, func(in uint64) uint64 {
			if in >= 128 {
				return in << 1 & 0xff
			}
			return 1
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s, io, err := open(test.body)
			require.NoError(t, err)
			for in := range uint64(256) {
				s.Set(io.In, in)
				require.Equal(t, test.want(in), s.Get(io.Out), "%#x", in)
			}
		})
	}
}

// Whatever is done to the lower bit of a word may be its upper bit.
func TestFalseLoopThroughAnything(t *testing.T) {
	for name, f := range map[string]func(in, low hdl.Bits) hdl.Bits{
		"not":      func(_, low hdl.Bits) hdl.Bits { return low.Not() },
		"and":      func(in, low hdl.Bits) hdl.Bits { return in.Bit(3).And(low) },
		"mux":      func(in, low hdl.Bits) hdl.Bits { return hdl.Mux(low, in.Bit(4), in.Bit(5)) },
		"repeat":   func(in, low hdl.Bits) hdl.Bits { return low.Rep(8).Or(in).All() },
		"less":     func(in, low hdl.Bits) hdl.Bits { return low.ZExt(8).Lt(in) },
		"sub":      func(in, low hdl.Bits) hdl.Bits { return in.Sub(low.ZExt(8)).Bit(4) },
		"shift":    func(in, low hdl.Bits) hdl.Bits { return in.Shr(low.ZExt(3)).Bit(2) },
		"multiply": func(in, low hdl.Bits) hdl.Bits { return in.Mul(low.ZExt(3)).Bit(6) },
		"constant": func(_, low hdl.Bits) hdl.Bits { return low.Xor(hdl.K(1, 1)) },
	} {
		t.Run(name, func(t *testing.T) {
			looped, io, err := open(func(m *hdl.Module, io *loopIO) {
				x := m.Wire("x", 2)
				x.Set(hdl.Cat(f(io.In, x.Bit(0)), io.In.Bit(0)))
				io.Out.Set(x.ZExt(8))
			})
			require.NoError(t, err)
			straight, io2, err := open(func(m *hdl.Module, io *loopIO) {
				low := m.Wire("low", 1)
				low.Set(io.In.Bit(0))
				io.Out.Set(hdl.Cat(f(io.In, low), low).ZExt(8))
			})
			require.NoError(t, err)
			for in := range uint64(256) {
				looped.Set(io.In, in)
				straight.Set(io2.In, in)
				require.Equal(t, straight.Get(io2.Out), looped.Get(io.Out), "%#x", in)
			}
		})
	}
}

func TestFaultyDesign(t *testing.T) {
	_, _, err := open(func(m *hdl.Module, io *loopIO) { io.Out.Set(io.In.Add(hdl.K(4, 1))) })
	require.ErrorContains(t, err, "cannot be simulated")
	_, _, err = open(func(m *hdl.Module, io *loopIO) { io.Out.Set(m.Wire("nothing", 8)) })
	require.ErrorContains(t, err, "nothing is driven by nothing")
}
