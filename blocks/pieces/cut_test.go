package pieces_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/pieces"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
)

type piece struct {
	Addr       uint64
	Len        int
	Skip, Last bool
}

type chunk struct {
	Addr             uint64
	Less, Beats, End int
	Skip, Last       bool
}

// chunks cuts a piece, by the byte.
func chunks(p piece, width int) []chunk {
	if p.Skip {
		return []chunk{{Addr: p.Addr, Skip: true, Last: p.Last}}
	}
	beat := uint64(width / 8)
	most := min(4096, 256*beat)
	var all []chunk
	for i := range uint64(p.Len) {
		a := p.Addr + i
		if i == 0 || a%most == 0 {
			all = append(all, chunk{Addr: a, Less: -1})
		}
		c := &all[len(all)-1]
		c.Less++
		c.Beats, c.End = int(a/beat-c.Addr/beat), int(a%beat)
	}
	all[len(all)-1].Last = p.Last
	return all
}

func TestCut(t *testing.T) {
	for _, width := range []int{64, 128, 256, 512} {
		design, io := hdltest.Build(t, pieces.CutDef(width))
		hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
			r := rand.New(rand.NewPCG(hdltest.Seed(t), 3))
			in, out := sim.NewSource(s, io.In, hdltest.Gaps(t, 30)), sim.NewSink(s, io.Out, hdltest.Gaps(t, 30))
			s.Reset(2)
			var want []chunk
			for range 300 {
				p := piece{Addr: r.Uint64() >> r.IntN(53), Len: 1 + r.IntN(1<<(1+r.IntN(12))), Skip: r.IntN(10) == 0, Last: r.IntN(2) == 0}
				if r.IntN(4) == 0 {
					p.Addr |= 0xFF0
				}
				in.Send(p)
				want = append(want, chunks(p, width)...)
			}
			s.Await(10000, out.Beats(len(want)))
			got := sim.Received[chunk](out)
			for i := range want {
				if want[i].Skip {
					got[i].Less, got[i].Beats, got[i].End = 0, 0, 0
				}
				require.Equal(t, want[i], got[i], "chunk %d", i)
			}
		})
	}
}
