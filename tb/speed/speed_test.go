// Package speed has the benchmark of the simulators on the 512-bit receive
// path, all in one run:
//
//	go test ./tb/speed -bench . -benchtime 300000x
//
// The figure to compare is cycles/CPU-s.
package speed

import (
	"testing"

	"gornic/blocks/rxpath"
	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
	"gornic/tb/frames"

	"github.com/stretchr/testify/require"
)

func receivePath(b *testing.B) (*hdl.Design, *rxpath.IO) {
	b.Helper()
	design, io, err := hdl.Build(rxpath.Def(rxpath.Params{DataWidth: 512, Beats: 1024, Frames: 64, RawBeats: 1024}))
	require.NoError(b, err)
	return design, io
}

func BenchmarkReceivePath512(b *testing.B) {
	design, io := receivePath(b)
	for _, s := range []sim.Simulator{
		verilator.Simulator,
		hdltest.GeneratedSimulator(b.Context(), "../../build/gogen"),
		{Name: "bytecode", Open: sim.Native},
	} {
		b.Run(s.Name, func(b *testing.B) {
			hdltest.BenchmarkCycles(b, s, design, func(s *sim.Sim) func() { return feed(s, io) })
		})
	}
	b.Run("icarus", func(b *testing.B) { icarus(b, design, io) })
}

// feed keeps the input busy with frames of all kinds, and takes everything.
func feed(s *sim.Sim, io *rxpath.IO) func() {
	in := sim.NewSource(s, io.In, sim.Pattern{})
	for _, p := range []sim.StreamPorts{
		sim.Ports(s, io.Header.Valid, io.Header.Ready, io.Header.Data),
		sim.Ports(s, io.Payload.Valid, io.Payload.Ready, io.Payload.Data),
		sim.Ports(s, io.Raw.Valid, io.Raw.Ready, io.Raw.Data),
	} {
		sim.NewSinkOf(s, p, sim.Pattern{}, sim.SinkOptions{Discard: true})
	}
	words := traffic(in, 5000)
	return func() {
		if in.Pending() < 4200 {
			in.SendWords(words)
		}
	}
}

// traffic returns packed beats, at least n of them.
func traffic(in *sim.Source, n int) []uint64 {
	g := frames.NewGenerator(1)
	var words []uint64
	for len(words) < n*in.Ports().BeatWords() {
		words = append(words, hdltest.PackFrame(in, g.Next().Data, false)...)
	}
	return words
}
