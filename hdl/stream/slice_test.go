package stream_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/sim"
	"gornic/hdl/stream"
)

func TestSlice(t *testing.T)        { testSlice(t, stream.SliceDef(hdl.W(16))) }
func TestForwardSlice(t *testing.T) { testSlice(t, stream.ForwardSliceDef(hdl.W(16))) }

func testSlice(t *testing.T, def hdl.Def[stream.SliceIO[hdl.Bits]]) {
	d, io := build(t, def)
	onBoth(t, d, func(t *testing.T, s *sim.Sim, tr traffic) {
		in, out := sim.NewSource(s, io.In, tr.in), sim.NewSink(s, io.Out, tr.out)
		s.Reset(2)
		want := numbers(t, 300, 16)
		in.Send(anys(want)...)
		s.Await(10000, out.Beats(len(want)))
		got, cycles := payloads(out)
		require.Equal(t, want, got)
		if tr.name == "full speed" {
			requireFullRate(t, cycles, 1)
		}
	})
}

// What a slice is for: its outputs do not follow its inputs within the cycle.
func TestSliceCutsPaths(t *testing.T) {
	d, io := build(t, stream.SliceDef(hdl.W(8)))
	s, err := sim.New(d, sim.Options{})
	require.NoError(t, err)
	s.Reset(1)
	ready := s.Get(io.In.Ready)
	for _, r := range []uint64{0, 1} {
		s.Set(io.Out.Ready, r)
		require.Equal(t, ready, s.Get(io.In.Ready), "ready passes through")
	}
	valid := s.Get(io.Out.Valid)
	for _, v := range []uint64{0, 1} {
		s.Set(io.In.Valid, v)
		require.Equal(t, valid, s.Get(io.Out.Valid), "valid passes through")
	}
	require.NoError(t, s.Close())
}
