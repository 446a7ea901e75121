package requester_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/blocks/requester"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
)

// wqes is how many WQEs each queue pair has in a round.
const wqes = 24

// Random WQEs on four queue pairs with random grants: every job, segment and
// inline payload is the reference's.
func TestAgainstReference(t *testing.T) {
	for _, width := range []int{64, 128, 256, 512} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			design, io := hdltest.Build(t, requester.Def(params(width)))
			hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
				r := rand.New(rand.NewPCG(hdltest.Seed(t), 7))
				b := newBench(t, s, io, 25)
				for range 4 {
					b.round(r)
				}
				b.covered()
			}, linktest.Others(width)...)
		})
	}
}

func (b *bench) round(r *rand.Rand) {
	for qp := range qps {
		q := &queue{ref: requester.Reference{
			State: format.QPRTS, SigAll: r.IntN(2) == 0, Stride: r.IntN(2), MTU: 256 << r.IntN(5), PSN: r.Uint32N(1 << 24),
			Entries: 1 << replayBits, MaxRD: []int{1, 2, 3, 8}[r.IntN(4)],
		}}
		switch qp {
		case 2:
			q.ref.MaxRD = r.IntN(3)
		case 3:
			q.ref.State = format.QPError
		}
		for i := range wqes {
			q.wqes = append(q.wqes, randomWQE(r, q.ref.Stride, q.ref.MTU))
			q.fault = append(q.fault, r.IntN(200) == 0 || qp == 2 && i == 12)
		}
		b.queues[qp], b.got[qp] = q, 0
	}
	for qp := range qps {
		b.clear(qp, b.queues[qp].ref.PSN)
	}
	for range 800 {
		b.random(r, r.IntN(qps))
	}
	b.quiesce()
	require.Empty(b.t, b.waiting)
	require.Empty(b.t, b.segments)
	require.Empty(b.t, b.issues)
	require.Empty(b.t, b.payloads)
	total := 0
	for qp := range qps {
		b.s.Set(b.io.Peek.QP, uint64(qp))
		b.run(link.PeekCycles)
		require.EqualValues(b.t, b.queues[qp].ref.PSN, b.s.Get(b.io.Peek.Value))
		total += b.got[qp]
	}
	require.Greater(b.t, total, 40)
	require.Zero(b.t, b.mark.Pending()+b.fence.Pending())
	require.Greater(b.t, len(b.marks), 10)
	b.marks = nil
}

// covered requires that every sort of job has come.
func (b *bench) covered() {
	for _, kind := range []string{
		"entry 0, SUCCESS, none", "entry 1, SUCCESS, none", "entry 2, SUCCESS, none", "entry 3, SUCCESS, none",
		"entry 0, WR_FLUSH_ERR, none", "LOCAL_INV", "BIND_MW", "REG_MR",
	} {
		require.Positive(b.t, b.kinds[kind], "%s of %v", kind, b.kinds)
	}
}

// random gives a queue pair WQEs, turns, and news of what it had begun.
func (b *bench) random(r *rand.Rand, qp int) {
	q := b.queues[qp]
	if r.IntN(3) == 0 {
		q.here = min(q.here+r.IntN(3), len(q.wqes))
	}
	switch {
	case !q.held && r.IntN(20) == 0:
		b.hold(qp)
	case q.ref.Held && r.IntN(5) == 0:
		b.release(qp)
	}
	if r.IntN(30) == 0 {
		b.pace(qp, true)
	} else if q.paced && r.IntN(5) == 0 {
		b.pace(qp, false)
	}
	if r.IntN(30) == 0 {
		b.fence.Send(r.IntN(4))
	}
	b.grant.Send(qp)
	b.run(20)
	if q.parked && r.IntN(2) == 0 {
		o := requester.Outcome{}
		if r.IntN(30) == 0 {
			o = requester.Outcome{Status: format.StatusMWBind, Vendor: format.VendorKeyRights}
		}
		b.settle(qp, o)
	}
	if r.IntN(3) == 0 {
		// A packet asks for an acknowledgement by what is used when it is made.
		b.run(300)
		if len(q.sent) > 0 {
			b.retire(qp, 1+r.IntN(len(q.sent)))
		}
	}
}

// quiesce gives all queue pairs turns until nothing is left to do.
func (b *bench) quiesce() {
	b.follow = true
	b.run(1000)
	for qp := range qps {
		b.release(qp)
		b.pace(qp, false)
		b.grant.Send(qp)
	}
	b.run(4000)
	b.follow = false
	b.still()
}

// async is an asynchronous event.
type async struct {
	Code, Vendor int
	Number       uint32
}

// A queue pair in SQD begins nothing, and says once that what had begun is done, if
// somebody asked.
func TestDrained(t *testing.T) {
	design, io := hdltest.Build(t, requester.Def(params(64)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, 25)
		send, err := format.AppendHost(nil, format.SendControl[uint64]{Opcode: uint64(format.WRSend)})
		require.NoError(t, err)
		q := &queue{ref: requester.Reference{State: format.QPRTS, MTU: 1024, PSN: 5, Entries: 1 << replayBits}, here: 3}
		for range 3 {
			q.wqes, q.fault = append(q.wqes, append(send, make([]byte, 32)...)), append(q.fault, false)
		}
		b.queues[1] = q
		b.clear(1, 5)
		turn := func() []async {
			b.grant.Send(1)
			b.run(100)
			return sim.Received[async](b.async)
		}
		drain := func(wish uint32) {
			b.control.Send(linktest.QPControl{QP: 1, Kind: link.ControlDrain, PSN: wish})
			for b.control.Pending() > 0 {
				b.step()
			}
		}
		retire := func() { b.retire(1, 1) }
		event := []async{{Code: int(format.EventSQDrained), Number: 0x101}}
		require.Empty(t, turn())
		drain(1)
		q.ref.State = format.QPSQD
		require.Empty(t, turn(), "a packet is on its way")
		require.Equal(t, 1, b.got[1])
		retire()
		require.Equal(t, event, turn())
		require.Empty(t, turn(), "once")

		q.ref.State = format.QPRTS
		require.Empty(t, turn())
		require.Equal(t, 2, b.got[1])
		drain(0)
		q.ref.State = format.QPSQD
		retire()
		require.Empty(t, turn(), "nobody asked")
		drain(1)
		require.Equal(t, event, turn(), "nothing had to be done")
		require.Equal(t, 2, b.got[1])
	}, linktest.Others(64)...)
}
