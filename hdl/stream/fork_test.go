package stream_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/sim"
	"gornic/hdl/stream"
)

func TestFork(t *testing.T) {
	d, io := build(t, stream.ForkDef(hdl.W(16), 3))
	onBoth(t, d, func(t *testing.T, s *sim.Sim, tr traffic) { testCopies(t, s, tr, io.In, io.Out, 0) })
}

type broadcastIO struct {
	In  hdl.Stream[hdl.Bits]   `hdl:"in"`
	Out []hdl.Stream[hdl.Bits] `hdl:"out"`
}

func TestBroadcast(t *testing.T) {
	proto := hdl.StreamOf(hdl.W(16))
	d, io := build(t, hdl.Def[broadcastIO]{
		Name: "broadcast",
		IO:   broadcastIO{In: proto, Out: []hdl.Stream[hdl.Bits]{proto, proto, proto}},
		Body: func(m *hdl.Module, io *broadcastIO) {
			for i, out := range stream.Broadcast(m, "u_broadcast", io.In, len(io.Out)) {
				hdl.Connect(io.Out[i], out)
			}
		},
	})
	eachTraffic(t, d, func(t *testing.T, s *sim.Sim, tr traffic) { testCopies(t, s, tr, io.In, io.Out, 1) })
}

// testCopies sends numbers and expects them at every output, each of which
// pauses by itself.
func testCopies(t *testing.T, s *sim.Sim, tr traffic, in hdl.Stream[hdl.Bits], outs []hdl.Stream[hdl.Bits], latency int) {
	source := sim.NewSource(s, in, tr.in)
	sinks := make([]*sim.Sink, len(outs))
	for i, out := range outs {
		p := tr.out
		p.Seed += uint64(i)
		sinks[i] = sim.NewSink(s, out, p)
	}
	s.Reset(2)
	want := numbers(t, 200, 16)
	source.Send(anys(want)...)
	for _, k := range sinks {
		s.Await(10000, k.Beats(len(want)))
		got, cycles := payloads(k)
		require.Equal(t, want, got)
		if tr.name == "full speed" {
			requireFullRate(t, cycles, latency)
		}
	}
}

// An output that has its copy does not wait for the others before it can be
// used.
func TestForkOutputsAreIndependent(t *testing.T) {
	d, io := build(t, stream.ForkDef(hdl.W(8), 2))
	s, err := sim.New(d, sim.Options{})
	require.NoError(t, err)
	in := sim.NewSource(s, io.In, sim.Pattern{})
	fast := sim.NewSink(s, io.Out[0], sim.Pattern{})
	slow := sim.NewSink(s, io.Out[1], sim.Pattern{Kind: sim.Never})
	s.Reset(2)
	in.Send(1, 2)
	s.Run(10)
	require.Equal(t, uint64(1), fast.Count(), "one copy, and no second one of the same payload")
	require.Equal(t, uint64(0), slow.Count())
	slow.SetPattern(sim.Pattern{})
	s.Run(5)
	require.Equal(t, uint64(2), fast.Count())
	require.Equal(t, uint64(2), slow.Count())
	require.NoError(t, s.Close())
}
