package retry_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/blocks/retry"
	"gornic/format"
)

// usual is what most rules are looked at with: many events fit in a tick.
var usual = params(2, 1000, 8)

func mark(qp int) retry.Told { return retry.Told{What: "mark", QP: qp} }
func wake(qp int) retry.Told { return retry.Told{What: "wake", QP: qp} }
func resend(qp, number int, psn uint32) retry.Told {
	return retry.Told{What: "resend", QP: qp, Number: number, PSN: psn}
}
func stop(qp, number int, psn uint32) retry.Told {
	return retry.Told{What: "stop", QP: qp, Number: number, PSN: psn}
}
func failure(qp int, psn uint32, status format.Status) retry.Told {
	return retry.Told{What: "failure", QP: qp, PSN: psn, Status: status}
}

// resends plays requester, transmit and resend for a mark that has been given.
func (b *bench) resends(qp, number int, psn uint32) {
	b.t.Helper()
	b.marked.Send(qp)
	b.expect(resend(qp, number, psn))
	require.True(b.t, b.held(qp))
	b.resent.Send(linktest.Resent{QP: qp, Number: number})
	b.expect(wake(qp))
	require.False(b.t, b.held(qp))
}

// quiet runs n ticks in which nothing is told.
func (b *bench) quiet(n int) {
	b.t.Helper()
	for range n {
		b.nextTick()
		b.expect()
	}
}

// A peer that never answers: retry_cnt n allows n restarts, and the timer is not early (protocol section 9, case 27).
func TestTimeouts(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7} {
		onBlock(t, usual, 0, func(b *bench) {
			b.begin(1, 0xFFFFFE, retry.Timers{Timeout: 2, RetryCnt: n})
			for i := range n {
				b.quiet(4)
				b.nextTick()
				b.expect(mark(1))
				b.expectTimeouts(1)
				b.resends(1, (i+1)%4, 0xFFFFFE)
			}
			b.quiet(4)
			b.nextTick()
			b.expect(failure(1, 0xFFFFFE, format.StatusRetryExceeded))
			b.expectTimeouts(1)
			require.False(b.t, b.held(1))
			b.quiet(20)
		})
	}
}

// A timeout of 0 is none, and one of a queue pair without packets means nothing (case 26).
func TestTimerOff(t *testing.T) {
	onBlock(t, usual, 0, func(b *bench) {
		b.begin(0, 1, retry.Timers{Timeout: 0, RetryCnt: 1})
		b.begin(1, 1, retry.Timers{Timeout: 1, RetryCnt: 1})
		b.setWaits(1, false)
		b.progress(1, 2)
		b.quiet(30)
		b.expectTimeouts(0)

		b.start(1) // the deadline of those before has passed long ago
		b.quiet(2)
		b.nextTick()
		b.expect(mark(1))

		b.timers(0, retry.Timers{Timeout: 1}) // set while a packet waits
		b.quiet(2)
		b.nextTick()
		b.expect(failure(0, 1, format.StatusRetryExceeded))
	})
}

// A ring that empties and fills again has the deadline of its new packet, though the old one comes first.
func TestStartedCountsAnew(t *testing.T) {
	onBlock(t, usual, 0, func(b *bench) {
		b.begin(0, 1, retry.Timers{Timeout: 2, RetryCnt: 1})
		b.quiet(3)
		b.setWaits(0, false)
		b.quiet(1)
		b.start(0)
		b.quiet(4)
		b.nextTick()
		b.expect(mark(0))
	})
}

// Responses of a long READ restart the timer each (case 26), and so does what is no packet as it leaves.
func TestProgressRestartsTheTimer(t *testing.T) {
	onBlock(t, usual, 0, func(b *bench) {
		b.begin(0, 1, retry.Timers{Timeout: 2, RetryCnt: 0})
		for i := range uint32(20) {
			b.quiet(4)
			b.progress(0, i)
		}
		b.quiet(4)
		b.heard.Send(linktest.Heard{QP: 0, Kind: link.HeardLocal, PSN: 19})
		b.quiet(4)
		b.nextTick()
		b.expect(failure(0, 19, format.StatusRetryExceeded))
		b.expectTimeouts(1)
	})
}

// What is missing counts once until there is progress, whatever the cause; timeouts count each.
func TestMissingCountsOnce(t *testing.T) {
	for _, cause := range []int{link.CauseSequence, link.CauseImplied, link.CauseGap} {
		onBlock(t, usual, 0, func(b *bench) {
			b.begin(0, 7, retry.Timers{Timeout: 1, RetryCnt: 2})
			b.missing(0, 7, cause)
			b.expect(mark(0))
			require.True(b.t, b.held(0))
			b.missing(0, 7, cause)
			b.missing(0, 7, link.CauseSequence)
			b.expect()
			b.resends(0, 1, 7)
			b.missing(0, 7, cause)
			b.expect()

			b.quiet(2)
			b.nextTick()
			b.expect(mark(0)) // a timeout: the second one
			b.resends(0, 2, 7)
			b.progress(0, 8) // both are back
			b.missing(0, 8, cause)
			b.expect(mark(0))
			b.resends(0, 3, 8)
			b.progress(0, 9)
			b.missing(0, 9, cause)
			b.expect(mark(0))
			b.expectTimeouts(1)
		})
	}
}

// retry_cnt 0 allows no restart.
func TestMissingWithoutRetries(t *testing.T) {
	onBlock(t, usual, 0, func(b *bench) {
		b.begin(2, 5, retry.Timers{Timeout: 3, RetryCnt: 0, RNRRetry: 7})
		b.missing(2, 5, link.CauseSequence)
		b.expect(failure(2, 5, format.StatusRetryExceeded))
		b.missing(2, 5, link.CauseSequence)
		b.notReady(2, 5, 1)
		b.expect()
	})
}

// Missing packets while others are sent again: once more from the oldest one on. The Resent of the first time does not count.
func TestMissingWhileSending(t *testing.T) {
	onBlock(t, usual, 0, func(b *bench) {
		b.begin(0, 7, retry.Timers{Timeout: 1, RetryCnt: 2})
		b.missing(0, 7, link.CauseSequence)
		b.expect(mark(0))
		b.marked.Send(0)
		b.expect(resend(0, 1, 7))
		b.progress(0, 9)
		b.missing(0, 9, link.CauseSequence)
		b.expect(resend(0, 2, 9))
		b.resent.Send(linktest.Resent{QP: 0, Number: 1})
		b.expect()
		require.True(b.t, b.held(0))
		b.quiet(10) // no timer runs meanwhile
		b.resent.Send(linktest.Resent{QP: 0, Number: 2})
		b.expect(wake(0))
		b.quiet(2) // and it begins anew now
		b.nextTick()
		b.expect(mark(0))
	})
}

// However often packets are missing before resend listens again, the Resent of what it was at is not taken for that of
// the last Resend, and it hears of two at most.
func TestNumbersDoNotComeRound(t *testing.T) {
	for n := range 9 {
		onBlock(t, usual, 0, func(b *bench) {
			b.begin(0, 0, retry.Timers{RetryCnt: 2})
			b.missing(0, 0, link.CauseSequence)
			b.expect(mark(0))
			b.marked.Send(0)
			b.expect(resend(0, 1, 0))
			b.resend.SetPattern(never)
			for i := range n {
				b.progress(0, uint32(i+1))
				b.missing(0, uint32(i+1), link.CauseSequence)
				b.settle()
			}
			b.resent.Send(linktest.Resent{QP: 0, Number: 1})
			b.settle()
			require.Equal(b.t, n > 0, b.held(0))
			b.resend.SetPattern(always)
			switch n {
			case 0:
				b.expect(wake(0))
			case 1:
				b.expect(resend(0, 2, 1))
			default:
				b.expect(resend(0, 2, 1), resend(0, 3, uint32(n)))
			}
		})
	}
}

// waitTicks is the wait of code 1: 10 us are 3 ticks, and the one in which it begins.
const waitTicks = 4

// rnr_retry n allows n waits; 7 is without end (cases 5 and 44). The ACK timer expires in none of them (case 4).
func TestRNR(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7} {
		onBlock(t, usual, 0, func(b *bench) {
			b.begin(1, 3, retry.Timers{Timeout: 1, RetryCnt: 0, RNRRetry: n})
			waits := n
			if n == 7 {
				waits = 50
			}
			for i := range waits {
				b.notReady(1, 3, 1)
				b.expect(mark(1))
				require.True(b.t, b.held(1))
				b.marked.Send(1)
				b.quiet(waitTicks - 1)
				b.nextTick()
				number := (i + 1) % 4
				b.expect(resend(1, number, 3))
				b.resent.Send(linktest.Resent{QP: 1, Number: number})
				b.expect(wake(1))
			}
			b.expectTimeouts(0)
			b.notReady(1, 3, 1)
			if n == 7 {
				b.expect(mark(1))
				return
			}
			b.expect(failure(1, 3, format.StatusRNRExceeded))
			require.False(b.t, b.held(1))
		})
	}
}

// rnr_retry 2: a wait, progress, two waits, and then it is over (case 5).
func TestRNRReload(t *testing.T) {
	onBlock(t, usual, 0, func(b *bench) {
		b.begin(1, 3, retry.Timers{RNRRetry: 2})
		psn := uint32(3)
		for i := range 3 {
			b.notReady(1, psn, 1)
			b.expect(mark(1))
			b.marked.Send(1)
			b.quiet(waitTicks - 1)
			b.nextTick()
			b.expect(resend(1, i+1, psn))
			b.resent.Send(linktest.Resent{QP: 1, Number: i + 1})
			b.expect(wake(1))
			if i == 0 {
				psn++
				b.progress(1, psn)
			}
		}
		b.notReady(1, psn, 1)
		b.expect(failure(1, psn, format.StatusRNRExceeded))
	})
}

// Nothing shortens or lengthens a wait, or counts in it: a NAK, another RNR NAK, progress, timers, a first packet, a mark (case 4).
func TestNothingCutsAWaitShort(t *testing.T) {
	onBlock(t, usual, 0, func(b *bench) {
		b.begin(1, 3, retry.Timers{Timeout: 1, RetryCnt: 1, RNRRetry: 1})
		b.notReady(1, 3, 5) // 60 us: 15 ticks, and one
		b.expect(mark(1))
		b.quiet(2)
		b.missing(1, 3, link.CauseSequence)
		b.quiet(2)
		b.notReady(1, 3, 1)
		b.quiet(2)
		b.marked.Send(1)
		b.heard.Send(linktest.Heard{QP: 1, Kind: link.HeardLocal, PSN: 3})
		b.quiet(2)
		b.timers(1, retry.Timers{Timeout: 1, RetryCnt: 1, RNRRetry: 1})
		b.start(1)
		b.resent.Send(linktest.Resent{QP: 1, Number: 0})
		b.quiet(2)
		b.progress(1, 4)
		b.quiet(5)
		b.nextTick()
		b.expect(resend(1, 1, 4))
		b.expectTimeouts(0)

		b.missing(1, 4, link.CauseSequence) // retry_cnt is whole
		b.expect(resend(1, 2, 4))
		b.notReady(1, 4, 1) // and so is rnr_retry
		b.expect(stop(1, 2, 4))
		b.quiet(waitTicks - 1)
		b.nextTick()
		b.expect(resend(1, 3, 4))
	})
}

// A wait ends though no packet waits any more, since the queue pair is held.
func TestWaitOfAnEmptyRing(t *testing.T) {
	onBlock(t, usual, 0, func(b *bench) {
		b.begin(1, 3, retry.Timers{Timeout: 1, RetryCnt: 1, RNRRetry: 1})
		b.notReady(1, 3, 3)
		b.expect(mark(1))
		b.marked.Send(1)
		b.setWaits(1, false)
		b.quiet(8)
		b.nextTick()
		b.expect(resend(1, 1, 3))
	})
}

// The mark comes back after the wait: then what has to be sent again follows at once.
func TestMarkAfterTheWait(t *testing.T) {
	onBlock(t, usual, 0, func(b *bench) {
		b.begin(1, 3, retry.Timers{Timeout: 1, RetryCnt: 1, RNRRetry: 1})
		b.notReady(1, 3, 1)
		b.expect(mark(1))
		b.quiet(waitTicks + 10)
		require.True(b.t, b.held(1))
		b.marked.Send(1)
		b.expect(resend(1, 1, 3))
	})
}

// An RNR NAK while the mark is waited for, and while packets are sent again: that stops.
func TestRNRInARestart(t *testing.T) {
	onBlock(t, usual, 0, func(b *bench) {
		b.begin(1, 3, retry.Timers{Timeout: 1, RetryCnt: 1, RNRRetry: 2})
		b.missing(1, 3, link.CauseSequence)
		b.expect(mark(1))
		b.notReady(1, 3, 1)
		b.expect()
		b.marked.Send(1)
		b.quiet(waitTicks - 1)
		b.nextTick()
		b.expect(resend(1, 1, 3))
		b.notReady(1, 3, 1)
		b.expect(stop(1, 1, 3))
		b.resent.Send(linktest.Resent{QP: 1, Number: 1}) // of what was stopped
		b.quiet(waitTicks - 1)
		b.nextTick()
		b.expect(resend(1, 2, 3))
		b.resent.Send(linktest.Resent{QP: 1, Number: 1})
		b.expect()
		b.notReady(1, 3, 1)
		b.expect(stop(1, 2, 3), failure(1, 3, format.StatusRNRExceeded))
	})
}

// Progress that crosses a failure: the queue pair goes on, with all of its retries.
func TestProgressRevives(t *testing.T) {
	onBlock(t, usual, 0, func(b *bench) {
		b.begin(1, 3, retry.Timers{Timeout: 2, RetryCnt: 0, RNRRetry: 0})
		b.missing(1, 3, link.CauseSequence)
		b.expect(failure(1, 3, format.StatusRetryExceeded))
		b.progress(1, 4)
		b.expect(wake(1))
		b.quiet(4)
		b.nextTick()
		b.expect(failure(1, 4, format.StatusRetryExceeded))

		// A failure that waits for its turn is not told once progress has overtaken it.
		b.failure.SetPattern(never)
		b.begin(0, 9, retry.Timers{})
		b.begin(2, 9, retry.Timers{})
		b.missing(2, 9, link.CauseSequence)
		b.s.Run(few)
		b.missing(0, 9, link.CauseSequence)
		b.s.Run(few)
		b.progress(0, 10)
		b.s.Run(few)
		b.failure.SetPattern(always)
		b.expect(failure(2, 9, format.StatusRetryExceeded), wake(0))
	})
}

// The mark of a restart that ended in a failure is not taken for that of the next one.
func TestMarkOfAFailure(t *testing.T) {
	onBlock(t, usual, 0, func(b *bench) {
		b.begin(1, 3, retry.Timers{RetryCnt: 1, RNRRetry: 7})
		b.missing(1, 3, link.CauseSequence)
		b.expect(mark(1))
		b.fault.Send(linktest.ResendFault{QP: 1, PSN: 3, Vendor: 6})
		b.expect(retry.Told{What: "failure", QP: 1, PSN: 3, Status: format.StatusLocProt, Vendor: 6})
		b.progress(1, 4)
		b.expect(wake(1))
		b.missing(1, 4, link.CauseSequence)
		b.expect() // one mark at a time
		require.True(b.t, b.held(1))
		b.marked.Send(1)
		b.expect(mark(1)) // the one before says nothing of what was begun since
		b.resends(1, 1, 4)
	})
}

// A payload that cannot be had fails the oldest packet in any phase, and matters to no other.
func TestResendFault(t *testing.T) {
	fault := linktest.ResendFault{QP: 1, PSN: 3, Vendor: 5}
	fails := retry.Told{What: "failure", QP: 1, PSN: 3, Status: format.StatusLocProt, Vendor: 5}
	onBlock(t, usual, 0, func(b *bench) {
		b.begin(1, 3, retry.Timers{RetryCnt: 3, RNRRetry: 3})
		b.fault.Send(linktest.ResendFault{QP: 1, PSN: 4, Vendor: 5})
		b.expect()
		b.fault.Send(fault)
		b.expect(fails)
		b.fault.Send(linktest.ResendFault{QP: 1, PSN: 3, Vendor: 7})
		b.expect()
		b.begin(1, 3, retry.Timers{RetryCnt: 3, RNRRetry: 3})
		b.missing(1, 3, link.CauseSequence)
		b.expect(mark(1))
		b.marked.Send(1)
		b.expect(resend(1, 1, 3))
		b.fault.Send(fault)
		b.expect(stop(1, 1, 3), fails)
		b.resent.Send(linktest.Resent{QP: 1, Number: 1})
		b.expect()
		b.begin(1, 3, retry.Timers{RetryCnt: 3, RNRRetry: 3})
		b.notReady(1, 3, 1)
		b.expect(mark(1))
		b.fault.Send(fault)
		b.expect(fails)
		b.marked.Send(1)
		b.quiet(10)
	})
}

// In a new life nothing of the old one happens, whatever it was in.
func TestClear(t *testing.T) {
	set := retry.Timers{Timeout: 1, RetryCnt: 1, RNRRetry: 1}
	lives := map[string]func(b *bench){
		"idle":    func(b *bench) {},
		"marking": func(b *bench) { b.missing(1, 3, link.CauseSequence); b.expect(mark(1)) },
		"waiting": func(b *bench) { b.notReady(1, 3, 3); b.expect(mark(1)) },
		"marked":  func(b *bench) { b.notReady(1, 3, 3); b.expect(mark(1)); b.marked.Send(1); b.expect() },
		"sending": func(b *bench) {
			b.missing(1, 3, link.CauseSequence)
			b.expect(mark(1))
			b.marked.Send(1)
			b.expect(resend(1, 1, 3))
		},
		"dead": func(b *bench) {
			b.fault.Send(linktest.ResendFault{QP: 1, PSN: 3})
			b.expect(failure(1, 3, format.StatusLocProt))
		},
	}
	for name, live := range lives {
		t.Run(name, func(t *testing.T) {
			onBlock(t, usual, 0, func(b *bench) {
				b.begin(1, 3, set)
				live(b)
				b.clear(1)
				b.expect()
				require.False(b.t, b.held(1))
				if name == "marking" || name == "waiting" {
					b.marked.Send(1)
				}
				b.resent.Send(linktest.Resent{QP: 1, Number: 1})
				b.quiet(30)
				b.expectTimeouts(0)
				// Counters are whole, and timers are those of the new life.
				b.start(1)
				b.quiet(10)
				b.timers(1, set)
				b.settle()
				b.missing(1, 0, link.CauseSequence)
				b.expect(mark(1))
			})
		})
	}
}

// A mark that is out in a new life is not taken for one of it.
func TestMarkOfAnOldLife(t *testing.T) {
	onBlock(t, usual, 0, func(b *bench) {
		b.begin(1, 3, retry.Timers{RetryCnt: 1})
		b.missing(1, 3, link.CauseSequence)
		b.expect(mark(1))
		b.begin(1, 5, retry.Timers{RetryCnt: 1})
		b.missing(1, 5, link.CauseSequence)
		b.expect()
		b.marked.Send(1)
		b.expect(mark(1))
		b.resends(1, 1, 5)
	})
}

// Control waits until what the old life has said is taken, and everything else goes on meanwhile.
func TestClearWaitsForWhatWasSaid(t *testing.T) {
	onBlock(t, usual, 0, func(b *bench) {
		b.begin(0, 9, retry.Timers{Timeout: 1, RetryCnt: 1})
		b.begin(1, 3, retry.Timers{})
		b.setWaits(0, false)
		b.failure.SetPattern(never)
		b.missing(1, 3, link.CauseSequence)
		b.s.Run(few)
		b.clear(1)
		b.progress(0, 10)
		b.s.Run(few)
		require.Equal(b.t, 1, b.control.Pending())
		require.Zero(b.t, b.heard.Pending())
		b.failure.SetPattern(always)
		b.expect(failure(1, 3, format.StatusRetryExceeded))
	})
}

// So it does where that has been decided and is not offered yet: in whichever cycle Control comes.
func TestClearWaitsForWhatIsAboutToBeSaid(t *testing.T) {
	for delay := range 20 {
		onBlock(t, usual, 0, func(b *bench) {
			b.begin(1, 3, retry.Timers{})
			b.failure.SetPattern(never)
			b.missing(1, 3, link.CauseSequence)
			b.s.Run(delay)
			b.clear(1)
			b.s.Run(few)
			cleared := b.control.Pending() == 0
			b.failure.SetPattern(always)
			b.s.Run(few)
			require.Equal(b.t, !cleared, len(b.told()) == 1, "after %d cycles", delay)
		})
	}
}

// Lives that end while a queue pair has something to tell: it stands in the queue once for all of them.
func TestClearOfWhoOwes(t *testing.T) {
	onBlock(t, usual, 0, func(b *bench) {
		for qp := range 3 {
			b.begin(qp, 3, retry.Timers{RetryCnt: 1})
		}
		b.mark.SetPattern(never)
		b.missing(0, 3, link.CauseSequence)
		b.settle()
		for range 6 {
			b.begin(1, 5, retry.Timers{RetryCnt: 1})
			b.missing(1, 5, link.CauseSequence)
			b.settle()
		}
		b.missing(2, 3, link.CauseSequence)
		b.settle()
		b.clear(2)
		b.settle()
		b.mark.SetPattern(always)
		b.expect(mark(0), mark(1))
		b.resends(1, 1, 5)
	})
}

// Each queue pair has its own.
func TestTwoQueuePairs(t *testing.T) {
	onBlock(t, usual, 0, func(b *bench) {
		b.begin(1, 3, retry.Timers{Timeout: 2, RetryCnt: 1, RNRRetry: 1})
		b.begin(2, 8, retry.Timers{Timeout: 3, RetryCnt: 0, RNRRetry: 1})
		b.quiet(4)
		b.nextTick()
		b.expect(mark(1))
		b.notReady(2, 8, 1)
		b.expect(mark(2))
		b.marked.Send(2)
		b.quiet(3)
		b.nextTick()
		b.expect(resend(2, 1, 8))
		b.resends(1, 1, 3)
		b.resent.Send(linktest.Resent{QP: 2, Number: 1})
		b.expect(wake(2))
		b.quiet(4)
		b.nextTick()
		b.expect(failure(1, 3, format.StatusRetryExceeded))
		b.quiet(3)
		b.nextTick()
		b.expect(failure(2, 8, format.StatusRetryExceeded))
	})
}
