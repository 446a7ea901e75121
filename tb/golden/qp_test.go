package golden_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/host"
)

// In SQD what was started is finished, and nothing new is begun; who asked for it hears
// when that is so.
func TestRequesterDrains(t *testing.T) {
	q, _ := newTarget(t, qpConfig{sigAll: 1})
	q.send(sendWR{id: 1, op: format.WRSend, list: []format.SGE[uint64]{q.buf.part(0, 600)}})
	_, ok := q.s.nic.Send()
	require.True(t, ok)
	q.drainNotify(1)
	q.send(sendWR{id: 2, op: format.WRSend})
	require.Len(t, q.drain(), 2, "the rest of the first")
	require.Empty(t, q.s.events())
	require.Empty(t, q.inject(ack(2, 0)))
	require.Equal(t, []string{"SQ_DRAINED " + qpName}, q.s.events())
	require.Empty(t, q.drain())
	require.Empty(t, q.s.events(), "once")
	q.modify(format.QPRTS)
	require.Len(t, q.drain(), 1)
	q.inject(ack(3, 0))
	for range 2 { // nobody asked
		q.modify(format.QPSQD)
		require.Empty(t, q.drain())
		require.Empty(t, q.s.events())
		q.modify(format.QPRTS)
	}
	q.drainNotify(0)
	require.Empty(t, q.drain())
	require.Empty(t, q.s.events())
}

// drainNotify is modify to SQD with a wish for the event, or without.
func (q *qp) drainNotify(wish uint64) {
	q.s.must(format.CmdModifyQP, format.ModifyQP[uint64]{
		QPN: q.number, State: uint64(format.QPSQD), Mask: format.AttrState | format.AttrNotify, Notify: wish,
	})
}

// RESET forgets everything without a word, and the QP can start again at index 0.
func TestReset(t *testing.T) {
	q, _ := newTarget(t, qpConfig{sigAll: 1})
	q.receive(1, q.buf.whole()...)
	q.receive(2, q.buf.whole()...)
	q.inject(packetSpec{op: format.OpSendFirst, size: 256})
	q.send(sendWR{id: 3, op: format.WRSend}, sendWR{id: 4, op: format.WRSend})
	q.drain()
	q.modify(format.QPReset)
	require.Equal(t, format.QPStatus[uint64]{QPN: q.number}, q.query())
	require.Empty(t, q.inject(ack(1, 0), packetSpec{op: format.OpSendLast, psn: 1, size: 4, a: 1}))
	require.Empty(t, q.s.poll(q.sendCQ))
	require.Empty(t, q.s.poll(q.recvCQ))

	q.posted, q.recv, q.c.psn = 0, 0, 500
	q.connect(peerQPN, 0x0200000000FF, peerIP())
	q.receive(5, q.buf.whole()...)
	q.send(sendWR{id: 6, op: format.WRSend})
	require.Equal(t, []string{"SEND_ONLY 0x1f4 A"}, q.drain())
	require.Equal(t, []string{"ACKNOWLEDGE 0x1f4 0x1f msn 1"}, q.inject(ack(0, 0), packetSpec{op: format.OpSendOnly, size: 9, a: 1}))
	require.Equal(t, []string{"6 SUCCESS SEND 0"}, brief(q.s.poll(q.sendCQ)))
	require.Equal(t, []string{"5 SUCCESS RECV 9"}, brief(q.s.poll(q.recvCQ)))
}

// Bus faults end the operation that meets them, and nothing else.
func TestBusFaults(t *testing.T) {
	t.Run("gather", func(t *testing.T) {
		q, _ := newTarget(t, qpConfig{sigAll: 1})
		q.s.mem.InjectFault(q.buf.addr+300, 1, host.Reads)
		q.send(sendWR{id: 1, op: format.WRSend, list: []format.SGE[uint64]{q.buf.part(0, 600)}}, sendWR{id: 2, op: format.WRSend})
		require.Equal(t, []string{"SEND_FIRST 0x64 256 bytes"}, q.drain())
		require.Equal(t, []string{"1 LOC_PROT_ERR (error response to a read)", "2 WR_FLUSH_ERR (none)"}, brief(q.s.poll(q.sendCQ)))
		require.Equal(t, uint32(1), q.s.nic.Counter(format.CntBusErrors))
	})
	t.Run("send WQE", func(t *testing.T) {
		q, _ := newTarget(t, qpConfig{sigAll: 1})
		q.s.mem.InjectFault(q.sq, 1, host.Reads)
		q.send(sendWR{id: 1, op: format.WRSend}, sendWR{id: 2, op: format.WRSend})
		require.Empty(t, q.drain())
		require.Equal(t, []string{"0 LOC_QP_OP_ERR (the WQE could not be read)", "2 WR_FLUSH_ERR (none)"}, brief(q.s.poll(q.sendCQ)))
	})
	t.Run("flushed WQE", func(t *testing.T) {
		q, _ := newTarget(t, qpConfig{sigAll: 1})
		q.s.mem.InjectFault(q.sq+64, 1, host.Reads)
		q.modify(format.QPError)
		q.send(sendWR{id: 1, op: format.WRSend}, sendWR{id: 2, op: format.WRSend}, sendWR{id: 3, op: format.WRSend})
		require.Empty(t, q.drain())
		require.Equal(t, []string{"1 WR_FLUSH_ERR (none)", "0 WR_FLUSH_ERR (none)", "3 WR_FLUSH_ERR (none)"}, brief(q.s.poll(q.sendCQ)))
	})
	responder := func(name string, fault func(q *target), packet func(q *target) packetSpec, recv, events []string) {
		t.Run(name, func(t *testing.T) {
			q, _ := newTarget(t, qpConfig{})
			q.receive(1, q.buf.whole()...)
			fault(q)
			require.Equal(t, []string{nak(100, 0x63, 0)}, q.inject(packet(q)))
			require.Equal(t, recv, brief(q.s.poll(q.recvCQ)))
			require.Equal(t, events, q.s.events())
			require.Equal(t, format.QPError, q.state())
		})
	}
	sendOnly := func(*target) packetSpec { return packetSpec{op: format.OpSendOnly, size: 8, a: 1} }
	write := func(op format.Opcode) func(*target) packetSpec {
		return func(q *target) packetSpec { return packetSpec{op: op, size: 8, dma: 8, va: q.va, key: q.key, a: 1} }
	}
	responder("receive WQE", func(q *target) { q.s.mem.InjectFault(q.rq, 16, host.Reads) }, sendOnly,
		[]string{"0 LOC_QP_OP_ERR (the WQE could not be read)"}, nil)
	responder("scatter", func(q *target) { q.s.mem.InjectFault(q.buf.addr+7, 1, host.Writes) }, sendOnly,
		[]string{"1 LOC_PROT_ERR (error response to a write)"}, nil)
	responder("WRITE", func(q *target) { q.s.mem.InjectFault(q.va, 1, host.Writes) }, write(format.OpWriteOnly),
		[]string{"1 WR_FLUSH_ERR (none)"}, fatalErr)
	responder("WRITE with immediate", func(q *target) { q.s.mem.InjectFault(q.va, 1, host.Writes) }, write(format.OpWriteOnlyImm),
		[]string{"1 LOC_PROT_ERR (error response to a write)"}, nil)
}
