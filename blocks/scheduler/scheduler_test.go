package scheduler_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/blocks/scheduler"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
)

func params(bits, wakes int) scheduler.Params {
	return scheduler.Params{Sizes: link.Sizes{QPBits: bits}, Wakes: wakes}
}

// One block that wakes: the grants are those of the reference, in order.
func TestAgainstReference(t *testing.T) {
	for _, bits := range []int{2, 7} {
		design, io := hdltest.Build(t, scheduler.Def(params(bits, 1)))
		hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
			r := rand.New(rand.NewPCG(hdltest.Seed(t), 1))
			wake := sim.NewSource(s, io.Wakes[0], hdltest.Gaps(t, 30))
			grant := sim.NewSink(s, io.Grant, sim.Pattern{})
			s.Reset(2)
			var ref scheduler.Reference
			for range 50 {
				// All wakes of a round are in before the first grant is taken.
				grant.SetPattern(sim.Pattern{Kind: sim.Never})
				for range r.IntN(3 << bits) {
					qp := r.IntN(1 << bits)
					wake.Send(qp)
					ref.Wake(qp)
				}
				s.Run(12 << bits)
				require.Zero(t, wake.Pending())
				// The block with a queue in block RAM holds the first ones in registers, but none has left.
				grant.SetPattern(sim.Pattern{})
				s.Run(8 + 2<<bits)
				for _, b := range grant.Take() {
					qp, ok := ref.Grant()
					require.True(t, ok, "a grant too many, of %d", b.Words[0])
					require.Equal(t, uint64(qp), b.Words[0])
				}
				_, more := ref.Grant()
				require.False(t, more, "a grant is missing")
			}
		}, verilator.Simulator)
	}
}

// Several blocks wake at random: each wake has its grant, and no queue pair
// stands in the queue twice.
func TestEveryWakeIsGranted(t *testing.T) {
	const bits, wakes = 3, 3
	design, io := hdltest.Build(t, scheduler.Def(params(bits, wakes)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		r := rand.New(rand.NewPCG(hdltest.Seed(t), 2))
		var sources []*sim.Source
		for _, w := range io.Wakes {
			sources = append(sources, sim.NewSource(s, w, hdltest.Gaps(t, 60)))
		}
		grant := sim.NewSink(s, io.Grant, hdltest.Gaps(t, 50))
		s.Reset(2)
		woken := map[uint64]bool{}
		for range 300 {
			qp := r.IntN(1 << bits)
			woken[uint64(qp)] = true
			sources[r.IntN(wakes)].Send(qp)
		}
		s.Run(3000)
		granted := map[uint64]bool{}
		for _, b := range grant.Take() {
			granted[b.Words[0]] = true
		}
		require.Equal(t, woken, granted)
	}, verilator.Simulator)
}

// Queue pairs that always have more get every n-th turn.
func TestFair(t *testing.T) {
	const bits = 4
	design, io := hdltest.Build(t, scheduler.Def(params(bits, 2)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		first := sim.NewSource(s, io.Wakes[0], sim.Pattern{})
		again := sim.NewSource(s, io.Wakes[1], sim.Pattern{})
		grant := sim.NewSink(s, io.Grant, sim.Pattern{})
		s.Reset(2)
		for _, qp := range []int{3, 9, 5} {
			first.Send(qp)
		}
		var order []uint64
		for range 200 {
			s.Step()
			for _, b := range grant.Take() {
				order = append(order, b.Words[0])
				again.Send(int(b.Words[0]))
			}
		}
		require.Greater(t, len(order), 60)
		for i, qp := range order {
			require.Equal(t, []uint64{3, 9, 5}[i%3], qp, "turn %d", i)
		}
	}, verilator.Simulator)
}

func TestValidate(t *testing.T) {
	require.Error(t, params(0, 1).Validate())
	require.Error(t, params(17, 1).Validate())
	require.Error(t, params(4, 0).Validate())
	require.NoError(t, params(4, 1).Validate())
}
