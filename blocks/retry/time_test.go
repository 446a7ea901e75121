package retry_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/blocks/retry"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
)

// sendOne sends a payload and returns the cycle in which it has been taken.
func (b *bench) sendOne(s *sim.Source, payload any) uint64 {
	s.Send(payload)
	for s.Pending() > 0 {
		b.s.Step()
	}
	return b.s.Cycle()
}

// Each timer code of an RNR NAK waits no less than it says, and two ticks longer at most, and some cycles
// (section 9, cases 19 and 19b): 32 queue pairs with a code each.
func TestRNRWaits(t *testing.T) {
	const slack = 48 // cycles: some queue pairs end their wait in the same tick, and others begin one
	p := params(5, 4, 1024)
	onBlock(t, p, 0, func(b *bench) {
		begun := map[int]uint64{}
		for code := range 32 {
			b.begin(code, 1, retry.Timers{RNRRetry: 7})
			begun[code] = b.sendOne(b.heard, linktest.Heard{QP: code, Kind: link.HeardRNR, PSN: 1, Code: code})
			b.s.Await(100, b.mark.Beats(code+1))
			b.marked.Send(code)
		}
		b.s.Await(170_000*p.Tick, b.resend.Beats(32))
		require.NoError(b.t, b.s.Err())
		for _, beat := range b.resend.Take() {
			qp := int(beat.Words[0] & 31)
			wait := (retry.RNRWait(qp).Nanoseconds()*int64(p.Tick) + 4095) / 4096 // cycles
			took := int64(beat.Cycle - begun[qp])
			require.GreaterOrEqual(b.t, took, wait, "code %d", qp)
			require.LessOrEqual(b.t, took, wait+2*int64(p.Tick)+slack, "code %d", qp)
			delete(begun, qp)
		}
		require.Empty(b.t, begun)
	})
}

// In real time the wait is longer than the code says by 10 us at most.
func TestRNRWaitsInRealTime(t *testing.T) {
	require.Equal(t, 655_360*time.Microsecond, retry.RNRWait(0))
	require.Equal(t, 10*time.Microsecond, retry.RNRWait(1))
	require.Equal(t, 491_520*time.Microsecond, retry.RNRWait(31))
	for code := range 32 {
		units := (retry.RNRWait(code) + retry.Unit - 1) / retry.Unit
		shortest, longest := units*retry.Unit, (units+1)*retry.Unit
		require.GreaterOrEqual(t, shortest, retry.RNRWait(code), code)
		require.Less(t, longest, retry.RNRWait(code)+9*time.Microsecond, code) // the rest is some cycles
	}
}

// A first packet is recorded about when the deadline of those before it is looked at, while so much is heard that visits are
// due: it has its own deadline, in whichever cycle it comes.
func TestStartedBeforeVisits(t *testing.T) {
	p := params(2, 400, 8)
	onBlock(t, p, 0, func(b *bench) {
		for delay := range 80 {
			b.nextTick()
			b.begin(0, 1, retry.Timers{Timeout: 1, RetryCnt: 7})
			b.s.Run(3*p.Tick - int(b.s.Peek("u_retry.cycle")) - 30)
			b.setWaits(0, false)
			for i := range 120 {
				b.progress(1+i%3, uint32(i))
			}
			b.s.Run(30 + delay)
			b.started.Send(0)
			b.s.Step()
			b.setWaits(0, true)
			b.s.Run(6 * few)
			b.expectTimeouts(0)
			b.expect()
		}
	})
}

// A deadline that moves to an earlier tick is met there, wherever in a list its queue pair stands: an RNR wait begins
// under an ACK timer that is far away.
func TestEarlierDeadline(t *testing.T) {
	onBlock(t, params(3, 1000, 64), 0, func(b *bench) {
		for _, order := range [][]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 3, 0, 2}, {2, 0, 3, 1}} {
			b.nextTick()
			for qp := range 4 { // in one slot
				b.begin(qp, 1, retry.Timers{Timeout: 5, RetryCnt: 0, RNRRetry: 7})
			}
			for _, qp := range order[:3] {
				b.notReady(qp, 1, 1)
				b.expect(mark(qp))
				b.marked.Send(qp)
				b.settle()
			}
			at := b.ticks()
			b.quiet(waitTicks - 1)
			b.nextTick()
			var sent []int
			for _, x := range b.told() {
				require.Equal(b.t, "resend", x.What)
				sent = append(sent, x.QP)
			}
			require.ElementsMatch(b.t, order[:3], sent)
			require.Equal(b.t, at+waitTicks, b.ticks())
			b.quiet(32 - waitTicks)
			b.nextTick()
			b.expect(failure(order[3], 1, format.StatusRetryExceeded))
			for qp := range 4 {
				b.clear(qp)
			}
			b.settle()
			b.quiet(70) // all have left the wheel
		}
		require.EqualValues(b.t, 12, b.s.Covered("u_retry.changes_slots"))
	})
}

// The longest timeout: 2^31 ticks are beyond the slots that there are, and beyond a test. Deadlines half way there do not expire.
func TestLongestTimeout(t *testing.T) {
	onBlock(t, params(1, 2, 2), 0, func(b *bench) {
		b.begin(0, 1, retry.Timers{Timeout: 31})
		b.begin(1, 1, retry.Timers{Timeout: 14})
		b.s.Run(2 * (1<<14 + 1))
		b.s.Await(200, b.failure.Beats(1))
		require.Equal(b.t, []retry.Told{failure(1, 1, format.StatusRetryExceeded)}, b.told())
		b.s.Run(100_000)
		b.expect()
	})
}

// 1000 queue pairs expire in one tick, so that visits lag behind several ticks: each expires once, and none is early. Some have progress meanwhile,
// which moves their deadline.
func TestCrowd(t *testing.T) {
	const qps, timeout = 1000, 4
	p := params(10, 4000, 8)
	onBlock(t, p, 0, func(b *bench) {
		r := rand.New(rand.NewPCG(hdltest.Seed(b.t), 2))
		for qp := range qps {
			b.setWaits(qp, true)
			b.clear(qp)
		}
		b.s.Await(10*qps, b.control.Drained())
		b.s.Run(p.Tick - int(b.s.Peek("u_retry.cycle")))
		began := b.s.Cycle()
		for qp := range qps {
			b.timers(qp, retry.Timers{Timeout: timeout})
		}
		b.s.Await(p.Tick, b.control.Drained()) // all in one tick, in one slot

		least := uint64(p.Tick) << timeout
		b.s.Run(int(began + least + uint64(p.Tick) - 10 - b.s.Cycle()))
		require.Zero(b.t, b.failure.Count())
		last := map[int]uint64{}
		for qp := range qps {
			last[qp] = began
		}
		late := false
		for range 100 {
			qp := r.IntN(qps)
			last[qp] = b.sendOne(b.heard, linktest.Heard{QP: qp, Kind: link.HeardProgress, PSN: 5})
			b.s.Run(100)
			late = late || b.s.Peek("u_retry.behind") > 0
		}
		require.True(b.t, late, "visits lag behind")
		b.s.Run(int(least) + 4*p.Tick)
		failed := map[int][]uint64{}
		for _, beat := range b.failure.Take() {
			qp := int(beat.Words[0] & 1023)
			failed[qp] = append(failed[qp], beat.Cycle)
		}
		moved := 0
		for qp := range qps {
			at := failed[qp]
			require.NotEmpty(b.t, at, "queue pair %d is lost", qp)
			end := at[len(at)-1]
			require.GreaterOrEqual(b.t, end, last[qp]+least, "queue pair %d", qp)
			require.LessOrEqual(b.t, end, last[qp]+least+uint64(6*p.Tick), "queue pair %d", qp)
			for _, at := range at[:len(at)-1] { // before the progress that revived it
				require.GreaterOrEqual(b.t, at, began+least, "queue pair %d", qp)
				require.Less(b.t, at, last[qp]+uint64(few), "queue pair %d", qp)
			}
			if last[qp] > began {
				moved++
			}
		}
		require.Greater(b.t, moved, 50)
	})
}

// What a message of one packet costs: Started and Heard together, at full rate, with all queue pairs in the wheel.
func TestCycles(t *testing.T) {
	onBlock(t, params(3, 64, 64), 0, func(b *bench) {
		for qp := range 8 {
			b.begin(qp, 1, retry.Timers{Timeout: 14, RetryCnt: 7, RNRRetry: 7})
		}
		const messages = 400
		before := b.s.Cycle()
		for i := range messages {
			b.started.Send(i % 8)
			b.progress((i+3)%8, uint32(i))
		}
		b.s.Await(10*messages, b.started.Drained(), b.heard.Drained())
		for b.heard.Pending()+b.started.Pending() > 0 {
			b.s.Step()
		}
		each := float64(b.s.Cycle()-before) / messages
		t.Logf("%.2f cycles a message", each)
		require.Less(b.t, each, 5.0)

		before = b.s.Cycle()
		for i := range messages {
			b.progress(0, uint32(i))
		}
		b.s.Await(10*messages, b.heard.Drained())
		each = float64(b.s.Cycle()-before) / messages
		t.Logf("%.2f cycles a response of one queue pair", each)
		require.Less(b.t, each, 3.5)
	})
}

// However much comes in, deadlines are looked at and what is owed is told.
func TestVisitsAreNotStarved(t *testing.T) {
	p := params(2, 400, 8)
	onBlock(t, p, 0, func(b *bench) {
		b.begin(0, 1, retry.Timers{Timeout: 1, RetryCnt: 7})
		for i := range 2000 {
			b.progress(1+i%3, uint32(i))
		}
		b.s.Await(4*p.Tick, b.mark.Beats(1))
		require.Greater(b.t, b.heard.Pending(), 1000)
	})
}
