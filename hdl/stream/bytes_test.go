package stream_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/sim"
	"gornic/hdl/stream"
)

type bytesIO struct {
	Keep hdl.Bits `hdl:"in"`
	Last hdl.Bits `hdl:"out"`
	Back hdl.Bits `hdl:"out"`
	Beat hdl.Bits `hdl:"out" w:"1"` // a clock for the simulator
}

func TestLastByteAndKeepTo(t *testing.T) {
	for n, bits := range map[int]int{1: 1, 2: 1, 4: 2, 8: 3, 12: 4, 64: 6} {
		d, io := build(t, hdl.Def[bytesIO]{
			Name: "bytes",
			IO:   bytesIO{Keep: hdl.W(n), Last: hdl.W(bits), Back: hdl.W(n)},
			Body: func(m *hdl.Module, io *bytesIO) {
				last := stream.LastByte(io.Keep)
				io.Last.Set(last)
				io.Back.Set(stream.KeepTo(last, n))
				beat := m.Reg("toggle", 1, 0)
				beat.Set(beat.Not())
				io.Beat.Set(beat)
				m.Unused(io.Keep)
			},
		})
		s, err := sim.New(d, sim.Options{})
		require.NoError(t, err)
		for count := 1; count <= n; count++ {
			keep := ^uint64(0) >> (64 - count)
			s.Set(io.Keep, keep)
			require.Equal(t, uint64(count-1), s.Get(io.Last), "%d of %d bytes", count, n)
			require.Equal(t, keep, s.Get(io.Back), "%d of %d bytes", count, n)
		}
		require.NoError(t, s.Close())
	}
}
