package requester_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/blocks/requester"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
)

// A LOCAL_INV waits until nothing is outstanding; the other operations on keys do not.
func TestLocalInvWaits(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		for _, op := range []format.WROpcode{format.WRLocalInv, format.WRRegMR, format.WRBindMW} {
			q := b.open(1, ready(0, 1024, 4))
			q.post(order(format.WRSend), order(op))
			b.keyOps = nil
			require.Len(t, b.turns(1), 1)
			require.Equal(t, op == format.WRLocalInv, len(b.keyOps) == 0, "%v", op)
			b.retire(1, 1)
			require.Empty(t, b.turns(1))
			require.Len(t, b.keyOps, 1, "%v", op)
			b.settle(1, requester.Outcome{})
			require.Len(t, b.turns(1), 1)
		}
	})
}

// A local operation takes an entry and no PSN. What stands behind it waits for its outcome, and is flushed where that is bad.
func TestOutcome(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		for _, o := range []requester.Outcome{
			{}, {Status: format.StatusLocQPOp, Vendor: format.VendorKeyState}, {Status: format.StatusMWBind, Vendor: format.VendorKeyRights},
		} {
			q := b.open(1, ready(77, 1024, 4))
			q.post(order(format.WRBindMW), order(format.WRSend))
			require.Empty(t, b.turns(1))
			require.Empty(t, b.turns(1), "it is not given away twice")
			b.settle(1, o)
			jobs := b.turns(1)
			require.Len(t, jobs, 2)
			require.Equal(t, link.JobRecord, jobs[0].Kind)
			require.Equal(t, linktest.ReplayEntry{
				Kind: link.EntryLocal, PSN: 77, LastPSN: 77, First: true, Last: true, WC: format.WCBindMW, WRID: 0x1D08, Status: o.Status, Vendor: o.Vendor,
			}, jobs[0].Entry)
			if o.Status == format.StatusSuccess {
				require.Equal(t, uint32(77), jobs[1].Entry.PSN)
				require.Equal(t, link.JobPacket, jobs[1].Kind)
			} else {
				require.Equal(t, format.StatusFlush, jobs[1].Entry.Status)
			}
		}
	})
}

// In SQD a local operation that has been given away finishes, and then the queue has drained; none begins.
func TestParkedInSQD(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		q := b.open(1, ready(0, 1024, 4))
		q.post(order(format.WRRegMR), order(format.WRRegMR))
		require.Empty(t, b.turns(1))
		require.Len(t, b.keyOps, 1)
		q.ref.State = format.QPSQD
		b.control.Send(linktest.QPControl{QP: 1, Kind: link.ControlDrain, PSN: 1})
		require.Empty(t, b.turns(1))
		b.settle(1, requester.Outcome{})
		require.Len(t, b.turns(1), 1)
		require.Empty(t, sim.Received[async](b.async))
		b.retire(1, 1)
		require.Empty(t, b.turns(1))
		require.Len(t, b.keyOps, 1, "the second one does not begin")
		require.Equal(t, []async{{Code: int(format.EventSQDrained), Number: 0x101}}, sim.Received[async](b.async))
	})
}

// In ERR one that has been given away is flushed, but only once it has ended.
func TestParkedInError(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		q := b.open(1, ready(0, 1024, 4))
		q.post(order(format.WRLocalInv), order(format.WRRead))
		require.Empty(t, b.turns(1))
		require.Len(t, b.keyOps, 1)
		q.ref.State = format.QPError
		require.Empty(t, b.turns(1))
		b.settle(1, requester.Outcome{})
		jobs := b.turns(1)
		require.Len(t, jobs, 2)
		for _, j := range jobs {
			require.Equal(t, []any{link.JobRecord, link.EntryRequest, format.StatusFlush}, []any{j.Kind, j.Entry.Kind, j.Entry.Status})
		}
	})
}

// While nobody takes a local operation, other queue pairs go on; another local operation waits its turn, and a fence is
// behind the first.
func TestKeyOpNotTaken(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		b.keyOp.SetPattern(sim.Pattern{Kind: sim.Never})
		for qp := range qps {
			b.open(qp, ready(uint32(qp), 1024, 4))
		}
		for qp := range 3 {
			b.queues[qp].post(order(format.WRRegMR))
		}
		b.queues[3].post(order(format.WRSend), order(format.WRRead))
		b.follow = true
		for qp := range qps {
			b.grant.Send(qp)
		}
		b.run(500)
		require.Equal(t, 2, b.got[3])
		asked := b.askHead.Count()
		b.run(500)
		require.Equal(t, asked, b.askHead.Count(), "who waits has no turns")
		b.fence.Send(3)
		b.run(200)
		require.Empty(t, b.fences)
		b.keyOp.SetPattern(sim.Pattern{})
		for len(b.fences) == 0 {
			require.LessOrEqual(t, len(b.keyOps), 1)
			b.step()
		}
		require.Equal(t, []int{3}, b.fences)
		require.Len(t, b.keyOps, 1)
		b.run(500)
		require.Len(t, b.keyOps, 3)
		for qp := range 3 {
			b.settle(qp, requester.Outcome{})
			b.grant.Send(qp)
		}
		b.run(500)
		require.Equal(t, [qps]int{1, 1, 1, 2}, b.got)
	})
}

// An outcome that comes in the very cycle in which another queue pair gives an operation away touches neither.
func TestOutcomeMeetsKeyOp(t *testing.T) {
	design, io := hdltest.Build(t, requester.Def(params(64)))
	b := newBench(t, hdltest.Open(t, sim.NativeSimulator, design, sim.Options{Seed: hdltest.Seed(t)}), io, 0)
	for qp := range 2 {
		b.open(qp, ready(0, 1024, 4)).post(order(format.WRRegMR))
		require.Empty(t, b.turns(qp))
		b.settle(qp, requester.Outcome{})
		require.Len(t, b.turns(qp), 1)
	}
	for delay := range 30 {
		for qp := range 2 {
			b.retire(qp, 1)
			b.queues[qp].post(order(format.WRBindMW))
		}
		require.Empty(t, b.turns(0))
		b.grant.Send(1)
		b.run(delay)
		b.settle(0, requester.Outcome{})
		b.run(60)
		require.Empty(t, b.turns(1), "after %d cycles", delay)
		b.settle(1, requester.Outcome{})
		for qp := range 2 {
			require.Len(t, b.turns(qp), 1)
		}
	}
}
