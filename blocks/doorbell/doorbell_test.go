package doorbell_test

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/doorbell"
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
)

var sizes = link.Sizes{QPBits: 3, CQBits: 2, EQBits: 1}

type bell struct{ Page, Offset, Index, Number uint32 }

type owner struct{ Kind, Index, Exists, Page, Number uint32 }

// Random doorbells and owners: what gets through is what the reference lets
// through, in order for each queue.
func TestAgainstReference(t *testing.T) {
	design, io := hdltest.Build(t, doorbell.Def(doorbell.Params{Sizes: sizes}))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		r := rand.New(rand.NewPCG(hdltest.Seed(t), 3))
		bells, owners := sim.NewSource(s, io.Bell, hdltest.Gaps(t, 20)), sim.NewSource(s, io.Owner, sim.Pattern{})
		sq, rq := sim.NewSink(s, io.SQ, hdltest.Gaps(t, 30)), sim.NewSink(s, io.RQ, hdltest.Gaps(t, 30))
		cq, eq := sim.NewSink(s, io.CQ, hdltest.Gaps(t, 30)), sim.NewSink(s, io.EQ, hdltest.Gaps(t, 30))
		s.Reset(2)
		ref := doorbell.Reference{QPBits: sizes.QPBits, CQBits: sizes.CQBits, EQBits: sizes.EQBits, Owners: map[doorbell.Queue]doorbell.Owner{}}
		through, refused := 0, 0
		for range 60 {
			o := owner{Kind: r.Uint32N(2), Exists: min(1, r.Uint32N(4)), Page: r.Uint32N(3)}
			o.Index = r.Uint32N(1 << []int{sizes.QPBits, sizes.CQBits}[o.Kind])
			o.Number = o.Index | r.Uint32N(2)<<8
			owners.Send(o)
			if q := (doorbell.Queue{Kind: int(o.Kind), Index: o.Index}); o.Exists == 1 {
				ref.Owners[q] = doorbell.Owner{Page: o.Page, Number: o.Number}
			} else {
				delete(ref.Owners, q)
			}
			s.Run(14)
			want := map[uint32][]doorbell.Ring{}
			for range 20 {
				b := bell{Page: r.Uint32N(3), Offset: r.Uint32N(7), Index: r.Uint32N(1 << 16), Number: r.Uint32N(8) | r.Uint32N(2)<<8}
				if len(ref.Owners) > 0 && r.IntN(2) == 0 {
					q := anyOf(r, ref.Owners)
					b.Page, b.Number = ref.Owners[q].Page, ref.Owners[q].Number
					b.Offset = []uint32{0, 2}[q.Kind] + r.Uint32N(2)
				}
				bells.Send(b)
				if ring, ok := ref.Ring(b.Page, 4*b.Offset, b.Index<<16|b.Number); ok {
					want[ring.Offset] = append(want[ring.Offset], ring)
					through++
				} else {
					refused++
				}
			}
			s.Run(200)
			require.Zero(t, bells.Pending())
			type update struct{ Queue, Index uint32 }
			type armed struct {
				Queue, Index uint32
				Arm          int
			}
			got := map[uint32][]doorbell.Ring{}
			for offset, sink := range map[uint32]*sim.Sink{format.DoorbellSQ: sq, format.DoorbellRQ: rq, format.DoorbellEQ: eq} {
				for _, u := range sim.Received[update](sink) {
					got[offset] = append(got[offset], doorbell.Ring{Offset: offset, Queue: u.Queue, Index: u.Index})
				}
			}
			for _, u := range sim.Received[armed](cq) {
				got[format.DoorbellCQ] = append(got[format.DoorbellCQ], doorbell.Ring{Offset: format.DoorbellCQ, Queue: u.Queue, Index: u.Index, Arm: u.Arm})
			}
			require.Equal(t, want, got)
		}
		require.Greater(t, through, 100)
		require.Greater(t, refused, 100)
	}, verilator.Simulator)
}

// anyOf draws one of the queues that exist.
func anyOf(r *rand.Rand, owners map[doorbell.Queue]doorbell.Owner) doorbell.Queue {
	all := slices.SortedFunc(maps.Keys(owners), func(p, q doorbell.Queue) int {
		return cmp.Or(cmp.Compare(p.Kind, q.Kind), cmp.Compare(p.Index, q.Index))
	})
	return all[r.IntN(len(all))]
}

// Each refused doorbell is counted once, however the takers behave.
func TestRefusedIsCounted(t *testing.T) {
	design, io := hdltest.Build(t, doorbell.Def(doorbell.Params{Sizes: sizes}))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		bells := sim.NewSource(s, io.Bell, hdltest.Gaps(t, 50))
		s.Reset(2)
		for range 25 {
			bells.Send(bell{Page: 1, Number: 2})
		}
		n := 0
		for range 200 {
			s.Step()
			n += int(s.Get(io.Refused))
		}
		require.Equal(t, 25, n)
	}, verilator.Simulator)
}

func TestValidate(t *testing.T) {
	require.Error(t, doorbell.Params{}.Validate())
	require.NoError(t, doorbell.Params{Sizes: sizes}.Validate())
}
