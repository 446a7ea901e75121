package responder_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/blocks/responder"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
)

// run runs n cycles.
func (b *bench) run(n int) {
	for range n {
		b.step()
	}
}

// begin makes queue pair 0 with n receive WQEs, and 1 with as many.
func (b *bench) begin(n int) {
	for qp := range 2 {
		b.create(qp, responder.Reference{MTU: mtu, Access: 15, MaxDest: 4})
		for i := range n {
			b.post(qp, wqeOf(b.t, uint64(i), format.SGE[uint64]{Addr: 1 << 20, Length: 4 * mtu, LKey: 3}))
		}
	}
}

// packet sends a request with the expected PSN that fills the MTU.
func (b *bench) packet(qp int, op format.Opcode) {
	p := b.pairs[qp]
	b.send(qp, responder.Request{Opcode: op, PSN: p.psn, Expected: p.psn, Length: mtu, RETH: format.RETH[uint64]{DMALen: mtu}}, responder.Translation{})
}

// The WQE of a message in progress is flushed first, then all others, those that
// come later too; nothing is flushed before the queue pair is in ERR.
func TestFlush(t *testing.T) {
	each(t, 20, func(t *testing.T, b *bench) {
		b.begin(5)
		p := b.pairs[0]
		b.packet(0, format.OpSendFirst)
		b.drain()
		b.flush.Send(0)
		b.run(100)
		require.Zero(t, p.head, "not in ERR")

		p.state = format.QPError
		b.commits = nil
		b.flush.Send(0)
		b.run(300)
		require.Equal(t, 5, p.head)
		for i, c := range b.commits {
			require.Equal(t, []any{uint64(i), format.StatusFlush, false}, []any{c.Completion.WRID, c.Completion.Status, c.Fatal})
		}

		// One that is posted but not here stays until it is.
		p.wqes = append(p.wqes, wqeOf(t, 77))
		b.flush.Send(0)
		b.run(100)
		require.Equal(t, 5, p.head)
		p.here = len(p.wqes)
		b.flush.Send(0)
		b.run(100)
		require.Equal(t, 6, p.head)

		b.packet(0, format.OpSendMiddle) // too late: it goes nowhere
		b.drain()
		require.Equal(t, responder.Result{Segments: []responder.Segment{{Length: mtu, Skip: true}}, Dead: true}, b.results[len(b.results)-1])
	})
}

// While a long queue is flushed, requests of another queue pair go on.
func TestFlushTakesTurns(t *testing.T) {
	each(t, 0, func(t *testing.T, b *bench) {
		b.begin(60)
		b.pairs[0].state = format.QPError
		b.flush.Send(0)
		others := 0
		for b.pairs[0].head < 60 {
			if !b.pairs[1].locked && b.pairs[1].head < 60 {
				b.packet(1, format.OpWriteOnly)
				others++
			}
			b.step()
		}
		require.Greater(t, others, 30)
	})
}

// A request that meets the flush of its queue pair is executed before it, or
// dropped behind it.
func TestFlushMeetsRequests(t *testing.T) {
	each(t, 30, func(t *testing.T, b *bench) {
		r := rand.New(rand.NewPCG(hdltest.Seed(t), 6))
		executed, dropped := 0, 0
		for range 150 {
			b.begin(3)
			p := b.pairs[0]
			b.packet(0, format.OpSendFirst)
			b.drain()
			b.results = nil
			p.state = format.QPError // the request's context may be older than that
			requestFirst := r.IntN(2) == 0
			if requestFirst {
				b.packet(0, format.OpSendMiddle)
			} else {
				b.flush.Send(0)
			}
			b.run(r.IntN(25))
			if requestFirst {
				b.flush.Send(0)
			} else {
				b.packet(0, format.OpSendMiddle)
			}
			b.drain()
			b.run(200)
			require.Equal(t, 3, p.head)
			if b.results[0].Dead {
				dropped++
			} else {
				executed++
			}
		}
		require.NotZero(t, executed)
		require.NotZero(t, dropped)
	})
}

// A fence passes between two WQEs of a flush. Behind it the state is looked at
// anew: a queue pair that was reset meanwhile loses no further one.
func TestFlushEndsAtFence(t *testing.T) {
	each(t, 20, func(t *testing.T, b *bench) {
		r := rand.New(rand.NewPCG(hdltest.Seed(t), 7))
		early := 0
		for range 60 {
			b.begin(20)
			p := b.pairs[0]
			p.state = format.QPError
			b.flush.Send(0)
			b.run(r.IntN(200))
			p.state = format.QPReset
			b.commits = nil
			b.sendFence(1)
			for len(b.commits) == 0 || b.commits[len(b.commits)-1].Kind != link.CommitFence {
				b.step()
			}
			head := p.head
			if head < 20 {
				early++
			}
			b.run(300)
			require.Equal(t, head, p.head)
		}
		require.NotZero(t, early)
	})
}

// Whoever tells of flushes never waits, even while nothing else goes on.
func TestFlushIsNoted(t *testing.T) {
	each(t, 0, func(t *testing.T, b *bench) {
		b.begin(2)
		b.commit.SetPattern(sim.Pattern{Kind: sim.Never})
		b.packet(1, format.OpWriteOnly)
		b.pairs[0].state = format.QPError
		for range 50 {
			b.flush.Send(0)
			b.flush.Send(1)
		}
		b.run(300)
		require.Zero(t, b.flush.Pending())
		b.commit.SetPattern(sim.Pattern{})
		b.run(200)
		require.Equal(t, 2, b.pairs[0].head)
	})
}

// A fence leaves behind everything before it, with its token.
func TestFence(t *testing.T) {
	each(t, 40, func(t *testing.T, b *bench) {
		b.begin(0)
		tokens := 0
		for i := range uint32(40) {
			if !b.pairs[i&1].locked {
				b.packet(int(i&1), format.OpWriteOnly)
			}
			b.sendFence(i & 3)
			b.run(int(i) % 7)
		}
		b.drain() // the bench compares the order
		fences := 0
		for _, c := range b.commits {
			fences += c.Kind
			tokens += int(c.PSN) * c.Kind
		}
		require.Equal(t, 40, fences)
		require.Equal(t, 60, tokens)
	})
}

// Nobody hears of the end of a request while its WQE is still at the head.
func TestOutcomeBehindTake(t *testing.T) {
	each(t, 0, func(t *testing.T, b *bench) {
		b.begin(1)
		b.take.SetPattern(sim.Pattern{Kind: sim.Never})
		b.packet(0, format.OpSendOnly)
		b.run(60)
		require.Len(t, b.commits, 1)
		require.True(t, b.pairs[0].locked)
		b.take.SetPattern(sim.Pattern{})
		b.drain()
	})
}

func TestValidate(t *testing.T) {
	require.NoError(t, params.Validate())
	require.Error(t, responder.Params{}.Validate())
	require.Error(t, responder.Params{Sizes: link.Sizes{QPBits: 17}}.Validate())
}
