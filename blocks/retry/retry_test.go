package retry_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/blocks/retry"
	"gornic/hdl/hdltest"
	verilator "gornic/sim-verilator"
)

// random plays the block and the reference, an event after another.
type random struct {
	*bench
	r    *rand.Rand
	ref  retry.Reference
	psns []uint32
	seen map[string]int
}

// Random events of four queue pairs, in every order: what is told, and when, is what the reference tells.
func TestAgainstReference(t *testing.T) {
	p := params(2, 200, 16)
	onBlock(t, p, 25, func(b *bench) {
		x := random{bench: b, r: rand.New(rand.NewPCG(hdltest.Seed(b.t), 1)), psns: make([]uint32, 4), seen: map[string]int{}}
		for qp := range 4 {
			b.clear(qp)
			x.ref.Clear(qp)
		}
		b.settle()
		b.nextTick()
		x.ref.Now = b.ticks()
		for range 8000 {
			if int(b.s.Peek("u_retry.cycle")) > p.Tick-2*few || x.r.IntN(2) == 0 {
				x.tick()
				continue
			}
			x.event(x.r.IntN(4))
			x.compare()
		}
		for _, what := range []string{"mark", "resend", "stop", "failure", "wake", "timeout"} {
			require.Greater(b.t, x.seen[what], 10, what)
		}
		require.Greater(b.t, b.s.Covered("u_retry.wait_ends"), uint64(10))
	}, verilator.Simulator)
}

func (x *random) tick() {
	x.nextTick()
	x.ref.Tick(x.waits)
	require.Equal(x.t, x.ref.Now, x.ticks())
	x.compare()
}

// event is anything that may happen to a queue pair.
func (x *random) event(qp int) {
	switch x.r.IntN(30) {
	case 0:
		x.clear(qp)
		x.ref.Clear(qp)
		x.psns[qp] = 0
	case 1:
		x.psns[qp] = x.r.Uint32N(1 << 24)
		x.control.Send(linktest.QPControl{QP: qp, Kind: link.ControlSendPSN, PSN: x.psns[qp]})
		x.ref.SetPSN(qp, x.psns[qp])
	case 2, 3:
		set := retry.Timers{Timeout: x.r.IntN(5), RetryCnt: x.r.IntN(8), RNRRetry: x.r.IntN(8)}
		if x.r.IntN(2) == 0 {
			set.RetryCnt, set.RNRRetry = x.r.IntN(3), x.r.IntN(2)
		}
		x.timers(qp, set)
		x.ref.SetTimers(qp, set)
	case 4:
		x.control.Send(linktest.QPControl{QP: qp, Kind: []int{link.ControlRecvPSN, link.ControlDrain}[x.r.IntN(2)], PSN: x.r.Uint32N(1 << 24)})
	case 5:
		x.setWaits(qp, false)
	case 6, 7, 8, 9, 10, 11:
		if !x.waits(qp) {
			x.start(qp)
			x.ref.Started(qp)
		}
	case 12, 13:
		x.psns[qp] = (x.psns[qp] + x.r.Uint32N(4)) & 0xFFFFFF
		x.progress(qp, x.psns[qp])
		x.ref.Progress(qp, x.psns[qp])
	case 14:
		x.heard.Send(linktest.Heard{QP: qp, Kind: link.HeardLocal, PSN: x.psns[qp]})
		x.ref.Started(qp)
	case 15, 16, 17:
		x.missing(qp, x.psns[qp], x.r.IntN(3))
		x.ref.Missing(qp)
	case 18, 19, 20:
		code := 1 + x.r.IntN(1+5*x.r.IntN(2))
		x.notReady(qp, x.psns[qp], code)
		x.ref.NotReady(qp, code)
	case 21:
		psn := (x.psns[qp] + x.r.Uint32N(2)) & 0xFFFFFF
		x.fault.Send(linktest.ResendFault{QP: qp, PSN: psn, Vendor: 9})
		x.ref.Fault(qp, psn, 9)
	case 22, 23, 24:
		number := x.r.IntN(4)
		x.resent.Send(linktest.Resent{QP: qp, Number: number})
		x.ref.Resent(qp, number)
	default:
		if x.ref.MarkOut(qp) {
			x.marked.Send(qp)
			x.ref.Marked(qp)
		}
	}
}

func (x *random) compare() {
	var want []retry.Told
	timeouts := 0
	for _, told := range x.ref.Take() {
		x.seen[told.What]++
		if told.What == "timeout" {
			timeouts++
			continue
		}
		want = append(want, told)
	}
	x.expect(want...)
	x.expectTimeouts(timeouts)
	for qp := range 4 {
		require.Equal(x.t, x.ref.Held(qp), x.bench.held(qp))
	}
}

func TestValidate(t *testing.T) {
	for _, p := range []retry.Params{params(1, 2, 2), params(1, 2, 65536), params(16, 65535, 2), params(16, 65535, 65536)} {
		require.NoError(t, p.Validate())
		hdltest.Build(t, retry.Def(p))
	}
	for _, p := range []retry.Params{params(0, 4, 4), params(17, 4, 4), params(4, 1, 4), params(4, 65536, 4), params(4, 4, 1), params(4, 4, 12)} {
		require.Error(t, p.Validate())
	}
}
