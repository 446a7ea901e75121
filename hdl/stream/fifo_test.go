package stream_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/sim"
	"gornic/hdl/stream"
)

func TestFIFO(t *testing.T) {
	for _, depth := range []int{1, 2, 5, 16} {
		t.Run(fmt.Sprint(depth), func(t *testing.T) {
			testFIFO(t, stream.FIFODef(hdl.W(16), depth), depth, 1, depth > 1)
		})
	}
}

func TestBlockFIFO(t *testing.T) {
	for _, depth := range []int{1, 3, 4, 7, 64} {
		t.Run(fmt.Sprint(depth), func(t *testing.T) {
			testFIFO(t, stream.BlockFIFODef(hdl.W(16), depth), depth, 3, depth >= 4)
		})
	}
}

func testFIFO(t *testing.T, def hdl.Def[stream.FIFOIO[hdl.Bits]], depth, latency int, fullRate bool) {
	d, io := build(t, def)
	run := eachTraffic
	if depth == 5 || depth == 7 {
		run = onBoth
	}
	run(t, d, func(t *testing.T, s *sim.Sim, tr traffic) {
		in, out := sim.NewSource(s, io.In, tr.in), sim.NewSink(s, io.Out, tr.out)
		s.Reset(2)
		want := numbers(t, 400, 16)
		in.Send(anys(want)...)
		s.Await(20000, out.Beats(len(want)))
		got, cycles := payloads(out)
		require.Equal(t, want, got)
		if tr.name == "full speed" && fullRate {
			requireFullRate(t, cycles, latency)
		}
	})
	t.Run("capacity", func(t *testing.T) {
		s, err := sim.New(d, sim.Options{})
		require.NoError(t, err)
		in, out := sim.NewSource(s, io.In, sim.Pattern{}), sim.NewSink(s, io.Out, sim.Pattern{Kind: sim.Never})
		s.Reset(2)
		in.Send(anys(numbers(t, depth+3, 16))...)
		s.Run(depth + 20)
		require.Equal(t, 3, in.Pending(), "holds exactly its depth")
		require.Equal(t, uint64(depth), s.Get(io.Level))
		out.SetPattern(sim.Pattern{})
		s.Await(depth+30, out.Beats(depth+3))
		s.Run(1)
		require.Zero(t, s.Get(io.Level))
		require.Equal(t, uint64(depth), s.Get(io.HighWater), "the highest level since reset")
		require.NoError(t, s.Close())
	})
}

func TestHighWaterFollowsTheLevel(t *testing.T) {
	d, io := build(t, stream.FIFODef(hdl.W(8), 8))
	s, err := sim.New(d, sim.Options{})
	require.NoError(t, err)
	in, out := sim.NewSource(s, io.In, sim.Pattern{}), sim.NewSink(s, io.Out, sim.Pattern{Kind: sim.Never})
	s.Reset(2)
	for _, c := range []struct{ send, high int }{{3, 3}, {2, 3}, {6, 6}, {1, 6}} {
		in.Send(anys(numbers(t, c.send, 8))...)
		s.Run(12)
		require.Equal(t, uint64(c.high), s.Get(io.HighWater))
		out.SetPattern(sim.Pattern{})
		s.Run(12)
		out.SetPattern(sim.Pattern{Kind: sim.Never})
		s.Run(1)
	}
	require.NoError(t, s.Close())
}

type levelIO struct {
	In    hdl.Stream[hdl.Bits] `hdl:"in"`
	Out   hdl.Stream[hdl.Bits] `hdl:"out"`
	Level hdl.Bits             `hdl:"out" w:"5"`
}

// A Def takes a payload as well as a prototype of one.
func TestDefOfAPayload(t *testing.T) {
	d, io := build(t, hdl.Def[levelIO]{
		Name: "level",
		IO:   levelIO{In: hdl.StreamOf(hdl.W(8)), Out: hdl.StreamOf(hdl.W(8))},
		Body: func(m *hdl.Module, io *levelIO) {
			q := hdl.Instance(m, "u_fifo", stream.FIFODef(io.In.Data, 16))
			hdl.Connect(q.In, io.In)
			hdl.Connect(io.Out, q.Out)
			io.Level.Set(q.Level)
			m.Unused(q.HighWater)
		},
	})
	s, err := sim.New(d, sim.Options{})
	require.NoError(t, err)
	in := sim.NewSource(s, io.In, sim.Pattern{})
	s.Reset(2)
	in.Send(1, 2, 3)
	s.Run(10)
	require.Equal(t, uint64(3), s.Get(io.Level))
	require.NoError(t, s.Close())
}
