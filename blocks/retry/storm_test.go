package retry_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/blocks/retry"
	"gornic/hdl/hdltest"
)

// storm is all neighbours at once, each at its own pace.
type storm struct {
	*bench
	r      *rand.Rand
	marks  []int       // that are on their way
	sends  map[int]int // who is sent again: the number of the Resend
	faults int         // failures that were told
	told   map[string]int
	psn    map[int]uint32
}

// step takes what the block tells, and answers some of it.
func (x *storm) step() {
	x.s.Run(1 + x.r.IntN(12))
	for _, t := range x.bench.told() {
		x.told[t.What]++
		switch t.What {
		case "mark":
			require.NotContains(x.t, x.marks, t.QP, "a mark is out")
			x.marks = append(x.marks, t.QP)
		case "resend":
			require.NotContains(x.t, x.marks, t.QP, "sent again though a mark is out")
			x.sends[t.QP] = t.Number
		case "stop":
			delete(x.sends, t.QP)
		}
	}
	if len(x.marks) > 0 && x.r.IntN(4) == 0 {
		i := x.r.IntN(len(x.marks))
		x.marked.Send(x.marks[i])
		x.marks = append(x.marks[:i:i], x.marks[i+1:]...)
	}
	for _, qp := range slices.Sorted(maps.Keys(x.sends)) {
		if x.r.IntN(8) == 0 {
			x.resent.Send(linktest.Resent{QP: qp, Number: x.sends[qp]})
			delete(x.sends, qp)
		}
	}
}

// disturb is what responses, the replay ring and software may do at any time.
func (x *storm) disturb(qp int) {
	switch x.r.IntN(12) {
	case 0, 1, 2:
		x.psn[qp] = (x.psn[qp] + 1) & 0xFFFFFF
		x.progress(qp, x.psn[qp])
	case 3, 4:
		x.missing(qp, x.psn[qp], link.CauseSequence)
	case 5, 6:
		x.notReady(qp, x.psn[qp], 1+x.r.IntN(3))
	case 7:
		x.setWaits(qp, false)
	case 8, 9:
		x.start(qp)
	case 10:
		x.fault.Send(linktest.ResendFault{QP: qp, PSN: x.psn[qp]})
	default:
		x.clear(qp)
		x.timers(qp, retry.Timers{Timeout: 1 + x.r.IntN(3), RetryCnt: x.r.IntN(8), RNRRetry: x.r.IntN(8)})
	}
}

// All streams at once, with gaps: nothing is lost or comes twice, and at last every queue pair goes on.
func TestStorm(t *testing.T) {
	const qps = 8
	onBlock(t, params(3, 16, 4), 40, func(b *bench) {
		x := storm{
			bench: b, r: rand.New(rand.NewPCG(hdltest.Seed(b.t), 3)), sends: map[int]int{}, told: map[string]int{}, psn: map[int]uint32{},
		}
		for qp := range qps {
			x.begin(qp, 0, retry.Timers{Timeout: 2, RetryCnt: 7, RNRRetry: 7})
		}
		for round := range 40 {
			for range 300 {
				x.step()
				x.disturb(x.r.IntN(qps))
			}
			// Now everything is answered, and nothing waits.
			for qp := range qps {
				x.setWaits(qp, false)
			}
			for range 300 {
				x.step()
			}
			x.settle()
			require.Empty(b.t, x.marks, round)
			require.Empty(b.t, x.sends, round)
			for qp := range qps {
				require.False(b.t, x.held(qp), "round %d: queue pair %d is held for ever", round, qp)
				x.timers(qp, retry.Timers{Timeout: 2, RetryCnt: 7, RNRRetry: 7})
				x.progress(qp, x.psn[qp])
				x.start(qp)
			}
			x.s.Run(10 * few)
			x.settle()
		}
		for _, what := range []string{"mark", "resend", "stop", "failure", "wake"} {
			require.Greater(b.t, x.told[what], 100, what)
		}
		b.expectMoreTimeouts(50)
	})
}

// expectMoreTimeouts wants n or more ACK timeouts so far.
func (b *bench) expectMoreTimeouts(n uint64) {
	require.GreaterOrEqual(b.t, b.s.Get(b.io.Timeouts), n)
}
