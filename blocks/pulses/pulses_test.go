package pulses_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/pulses"
	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
)

type io struct {
	In  hdl.Bits `hdl:"in" w:"3"`
	Out hdl.Bits `hdl:"out" w:"1"`
}

func def(bits int) hdl.Def[io] {
	return hdl.Def[io]{
		Name: "merged", Doc: "Three sources of pulses in one.",
		Body: func(m *hdl.Module, p *io) {
			p.Out.Set(pulses.Merge(m, "pulse", bits, p.In.Bit(0), p.In.Bit(1), p.In.Bit(2)))
		},
	}
}

// Each pulse is counted once, those of the same cycle one after the other; what is more than there is room for is lost, and nothing else.
func TestMerge(t *testing.T) {
	const bits = 3
	design, p := hdltest.Build(t, def(bits))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		r := rand.New(rand.NewPCG(hdltest.Seed(t), 1))
		s.Set(p.In, 0)
		s.Reset(2)
		waiting, together, lost := 0, 0, 0
		for i := range 4000 {
			in := uint64(0)
			for k := range 3 {
				if often := 12; r.IntN(100) < often+70*(i/1000%2) {
					in |= 1 << k
				}
			}
			s.Set(p.In, in)
			came := int(in&1 + in>>1&1 + in>>2)
			if came > 1 {
				together++
			}
			sum := waiting + came
			require.Equal(t, sum > 0, s.Get(p.Out) == 1, "cycle %d: %d wait, %d come", i, waiting, came)
			if waiting = max(sum-1, 0); waiting > 1<<bits-1 {
				waiting = 1<<bits - 1
				lost++
			}
			s.Step()
		}
		require.Greater(t, together, 100)
		require.Greater(t, lost, 100)
	})
}
