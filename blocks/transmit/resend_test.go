package transmit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
)

// resends has a packet sent again, with payload or a fault of it.
func (b *bench) resends(qp int, psn uint32, fault format.VendorCode) linktest.TxJob {
	j := linktest.TxJob{Kind: link.JobResend, QP: qp, Opcode: format.OpSendOnly, PayloadLen: 8, AckReq: true, Entry: linktest.ReplayEntry{PSN: psn}}
	b.job.Send(j)
	b.gathered.Send(int(fault))
	if fault == 0 {
		hdltest.SendFrame(b.payload, []byte("contents"))
	}
	return j
}

// A packet is sent again in RTS and SQD alone, and then without a record; in other states its payload is dropped, and no fault of it
// is told.
func TestResendByState(t *testing.T) {
	each(t, func(b *bench) {
		for _, c := range []struct {
			qp    int
			state format.QPState
			sent  bool
		}{
			{1, format.QPError, false}, {1, format.QPReset, false}, {1, format.QPInit, false}, {1, format.QPRTR, false},
			{1, format.QPRTS, true}, {1, format.QPSQD, true}, {gone, format.QPRTS, false},
		} {
			b.refs[c.qp].State = c.state
			j := b.resends(c.qp, 7, 0)
			b.resends(c.qp, 8, format.VendorKeyRange)
			other := b.resends(2, 9, 0)
			b.run(300)
			want := expected{descs: []format.TxDescriptor[uint64]{packet(other)}, frames: [][]byte{[]byte("contents")}}
			if c.sent {
				want = expected{
					descs: []format.TxDescriptor[uint64]{packet(j), packet(other)}, frames: [][]byte{[]byte("contents"), []byte("contents")},
					missing: []linktest.ResendFault{{QP: c.qp, PSN: 8, Vendor: format.VendorKeyRange}},
				}
			}
			b.compare(want)
		}
	})
}

// A payload that is missing when a packet is sent again fails nothing: what is behind it leaves, of requests and of answers. Where a
// request has failed, those before it are sent again all the same. A queue pair that is silent sends nothing again.
func TestResendFailsNothing(t *testing.T) {
	each(t, func(b *bench) {
		b.resends(1, 7, format.VendorBusRead)
		request := linktest.TxJob{Kind: link.JobPacket, QP: 1, Opcode: format.OpSendOnly}
		b.job.Send(request)
		answer := linktest.TxJob{Kind: link.JobAnswer, QP: 1, Opcode: format.OpReadResponseOnly}
		b.answer(answer, 0, nil)
		b.run(300)
		b.compare(expected{
			descs:   []format.TxDescriptor[uint64]{packet(request), packet(answer)},
			records: []linktest.Record{{QP: 1}}, missing: []linktest.ResendFault{{QP: 1, PSN: 7, Vendor: format.VendorBusRead}},
		})

		request.PayloadLen = 8
		b.job.Send(request)
		b.gathered.Send(int(format.VendorKeyRange))
		again := b.resends(1, 8, 0)
		b.resends(1, 9, format.VendorBusRead)
		b.run(300)
		b.compare(expected{
			records: []linktest.Record{{QP: 1, Entry: linktest.ReplayEntry{Status: format.StatusLocProt, Vendor: format.VendorKeyRange}}},
			descs:   []format.TxDescriptor[uint64]{packet(again)}, frames: [][]byte{[]byte("contents")},
			missing: []linktest.ResendFault{{QP: 1, PSN: 9, Vendor: format.VendorBusRead}},
		})

		answer.QP, answer.Failed, answer.Entry.Vendor = 2, true, format.VendorBusWrite
		b.answer(answer, 0, nil)
		b.run(300)
		require.Len(b.t, b.faults, 1)
		b.descs, b.faults = nil, nil
		b.resends(2, 8, 0)
		b.resends(2, 8, format.VendorBusRead)
		b.run(300)
		b.compare(expected{})
	})
}

// Resent is a pulse with each packet that was sent before, as Sent is with all; an answer that was refused behind one is none.
func TestResentCounts(t *testing.T) {
	each(t, func(b *bench) {
		sent, resent := 0, 0
		count := func(n int) {
			for range n {
				sent += int(b.s.Get(b.io.Sent))
				resent += int(b.s.Get(b.io.Resent))
				b.run(1)
			}
		}
		for psn := range uint32(5) {
			b.resends(1, psn, 0)
			b.job.Send(linktest.TxJob{Kind: link.JobPacket, QP: 1, Opcode: format.OpSendOnly})
			b.answer(linktest.TxJob{QP: 2, Opcode: format.OpReadResponseOnly}, 0, nil)
		}
		b.resends(1, 9, format.VendorKeyRange)
		count(200)
		b.ack.Send(linktest.Ack{QP: 1})
		count(200)
		require.Equal(b.t, []int{16, 5}, []int{sent, resent})
	})
}

// A mark comes when the jobs before it have been recorded; it holds up no acknowledgement while nobody takes it, and a fence leaves
// behind it.
func TestMark(t *testing.T) {
	each(t, func(b *bench) {
		never := sim.Pattern{Kind: sim.Never}
		b.marked.SetPattern(never)
		b.job.Send(linktest.TxJob{Kind: link.JobPacket, QP: 1, Opcode: format.OpSendOnly, PayloadLen: 8})
		b.job.Send(linktest.TxJob{Kind: link.JobMark, QP: 1})
		b.job.Send(linktest.TxJob{Kind: link.JobFence, Entry: linktest.ReplayEntry{PSN: 3}})
		b.marked.SetPattern(sim.Pattern{})
		b.run(100)
		require.Empty(b.t, b.marks, "the payload of the job before it is not here")
		b.record.SetPattern(never)
		b.gathered.Send(0)
		hdltest.SendFrame(b.payload, []byte("12345678"))
		b.run(100)
		require.Empty(b.t, b.marks, "nor has it been recorded")
		b.marked.SetPattern(never)
		b.record.SetPattern(sim.Pattern{})
		b.run(100)
		b.ack.Send(linktest.Ack{QP: 2})
		b.run(100)
		require.Len(b.t, b.descs, 2, "the acknowledgement passes")
		require.Empty(b.t, b.fences)
		b.marked.SetPattern(sim.Pattern{})
		b.run(100)
		require.Equal(b.t, []mark{{1, 1}}, b.marks)
		require.Equal(b.t, []int{3}, b.fences)

		b.marked.SetPattern(never)
		b.job.Send(linktest.TxJob{Kind: link.JobMark, QP: 2})
		b.job.Send(linktest.TxJob{Kind: link.JobMark, QP: 3})
		b.run(100)
		require.NotZero(b.t, b.s.Covered("mark_waits"))
		b.marked.SetPattern(sim.Pattern{})
		b.run(100)
		require.Equal(b.t, []mark{{1, 1}, {2, 1}, {3, 1}}, b.marks)
	})
}
