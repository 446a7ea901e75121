package requester_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/blocks/requester"
	"gornic/format"
	"gornic/hdl/sim"
)

// A queue pair that is held goes on with no message, begins none, gives no local operation away, and settles none. When it is not
// any more, it goes on where it was.
func TestHeld(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		q := b.open(1, ready(7, 256, 4))
		long := order(format.WRWrite)
		long.sges = []format.SGE[uint64]{{Addr: 0x1000, Length: 700, LKey: 5}}
		q.post(long, order(format.WRRegMR), order(format.WRSend))
		b.grant.Send(1)
		b.run(300)
		require.Equal(t, 1, b.got[1])
		for _, step := range []struct {
			what string
			jobs int
		}{{"goes on", 2}, {"parked", 2}} {
			b.hold(1)
			b.run(100)
			require.Empty(t, b.turns(1), step.what)
			if step.what == "parked" {
				require.Len(t, b.keyOps, 1)
			} else {
				require.Empty(t, b.keyOps)
			}
			b.release(1)
			require.Len(t, b.turns(1), step.jobs, step.what)
			if step.what == "goes on" {
				require.Len(t, b.keyOps, 1)
				b.settle(1, requester.Outcome{})
			}
		}
		require.Equal(t, []int{1, 1}, b.marks)
		require.Equal(t, 5, b.got[1])
	})
}

// What is flushed is flushed though its queue pair is held: in ERR, and behind a WQE that has failed.
func TestHeldFlushes(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		q := b.open(1, ready(7, 256, 4))
		q.post(order(format.WRSend), order(format.WRRead))
		b.hold(1)
		b.run(100)
		require.Empty(t, b.turns(1))
		q.ref.State = format.QPError
		require.Len(t, b.turns(1), 2)

		q = b.open(2, ready(7, 256, 4))
		q.post(order(99))
		require.Len(t, b.turns(2), 1)
		q.post(order(format.WRSend))
		b.hold(2)
		b.run(100)
		jobs := b.turns(2)
		require.Len(t, jobs, 1)
		require.Equal(t, format.StatusFlush, jobs[0].Entry.Status)
	})
}

// A queue pair that waits for its rate begins no packet and goes on with none; operations on keys, their records and what is flushed go on.
func TestPaced(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		q := b.open(1, ready(7, 256, 4))
		long := order(format.WRWrite)
		long.sges = []format.SGE[uint64]{{Addr: 0x1000, Length: 700, LKey: 5}}
		q.post(long, order(format.WRRegMR), order(format.WRRead))
		b.grant.Send(1)
		b.run(300)
		require.Equal(t, 1, b.got[1])
		b.pace(1, true)
		require.Empty(t, b.turns(1), "it does not go on")
		b.pace(1, false)
		require.Len(t, b.turns(1), 2)
		b.pace(1, true)
		b.settle(1, requester.Outcome{})
		jobs := b.turns(1)
		require.Len(t, jobs, 1)
		require.Equal(t, link.EntryLocal, jobs[0].Entry.Kind)
		q.post(order(format.WRSend))
		q.ref.State = format.QPError
		require.Len(t, b.turns(1), 2)

		q = b.open(2, ready(7, 256, 4))
		b.pace(2, true)
		q.post(order(format.WRRegMR))
		require.Empty(t, b.turns(2))
		require.Equal(t, 2, b.keyOps[len(b.keyOps)-1].QP, "it is given away")
	})
}

// A mark comes behind the job of a turn that has begun, and its queue pair gives none behind it.
func TestMarkBehindTurn(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		b.open(1, ready(7, 1024, 4)).post(order(format.WRSend), order(format.WRSend))
		b.job.SetPattern(sim.Pattern{Kind: sim.Never})
		b.grant.Send(1)
		b.run(100)
		b.hold(1)
		b.run(100)
		b.job.SetPattern(sim.Pattern{})
		b.run(100)
		require.Equal(t, []int{1}, b.marks)
		require.Equal(t, 1, b.got[1])
		require.Empty(t, b.turns(1))
	})
}

// Marks and turns that are always due come in turn, and a fence between marks: none keeps another from coming.
func TestMarksAndTurns(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		b.open(0, ready(7, 1024, 4))
		b.open(1, ready(7, 1024, 4)).post(order(format.WRSend), order(format.WRSend), order(format.WRSend), order(format.WRSend))
		b.queues[0].held = true
		const marks = 20
		for range marks {
			b.mark.Send(0)
		}
		b.fence.Send(2)
		b.follow = true
		b.grant.Send(1)
		for range 5000 {
			before := len(b.marks)
			b.step()
			if len(b.marks) > before && len(b.marks) == marks {
				break
			}
		}
		require.Len(t, b.marks, marks)
		require.Equal(t, 4, b.got[1], "turns come between marks")
		require.Equal(t, []int{2}, b.fences, "so does a fence")
		b.follow = false
	})
}

// An entry that is no packet is kept back as well: so what is in the ring when a mark has come is all that is sent again.
func TestMarkBehindLocal(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		b.open(1, ready(7, 1024, 4)).post(order(format.WRRegMR), order(format.WRSend))
		require.Empty(t, b.turns(1))
		b.hold(1)
		b.run(100)
		b.settle(1, requester.Outcome{})
		require.Empty(t, b.turns(1))
		b.release(1)
		jobs := b.turns(1)
		require.Len(t, jobs, 2)
		require.Equal(t, []int{link.EntryLocal, link.EntryRequest}, []int{jobs[0].Entry.Kind, jobs[1].Entry.Kind})
	})
}

// Wherever a turn is when a mark comes, in its look-up or behind that: the mark comes behind its job, or the turn has none.
func TestMarkBehindLookUp(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		for after := range 40 {
			b.open(1, ready(7, 1024, 4)).post(order(format.WRSend))
			b.grant.Send(1)
			b.run(after)
			b.hold(1)
			b.run(120)
			require.Len(t, b.marks, after+1)
			b.release(1)
		}
	})
}
