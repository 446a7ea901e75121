package stream_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/sim"
	"gornic/hdl/stream"
)

func TestJoin(t *testing.T) {
	d, io := build(t, stream.JoinDef(hdl.W(16), hdl.W(7)))
	onBoth(t, d, func(t *testing.T, s *sim.Sim, tr traffic) {
		a, b := sim.NewSource(s, io.A, tr.in), sim.NewSource(s, io.B, tr.out)
		out := sim.NewSink(s, io.Out, tr.out)
		s.Reset(2)
		as, bs := numbers(t, 200, 16), numbers(t, 200, 7)
		a.Send(anys(as)...)
		b.Send(anys(bs)...)
		s.Await(10000, out.Beats(200))
		got, cycles := payloads(out)
		for i := range got {
			require.Equal(t, as[i]|bs[i]<<16, got[i])
		}
		if tr.name == "full speed" {
			requireFullRate(t, cycles, 0)
		}
	})
}
