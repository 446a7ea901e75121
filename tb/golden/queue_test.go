package golden_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/golden"
	"gornic/tb/host"
)

// completions makes n completions of zero-length WRITEs on a QP of a target.
func (q *target) completions(n int) {
	q.s.t.Helper()
	for range n {
		q.send(sendWR{id: uint64(q.posted), op: format.WRWrite})
		psn := uint64(q.posted - 1)
		require.Len(q.s.t, q.drain(), 1)
		q.inject(ack(psn, 0))
	}
}

// The phase bit flips each lap; a full CQ is an error, not an overwritten CQE,
// for the QP that meets it and for each later one, and no other.
func TestCQOverflow(t *testing.T) {
	s := newStation(t, 9, golden.DefaultConfig())
	full := s.newCQ(2)
	q := &target{qp: s.newQP(qpConfig{psn: startPSN, sigAll: 1, cq: full})}
	other := &target{qp: s.newQP(qpConfig{psn: startPSN, sigAll: 1, cq: full})}
	fine := &target{qp: s.newQP(qpConfig{psn: startPSN, sigAll: 1})}
	for _, x := range []*target{q, other, fine} {
		x.connect(peerQPN, 1, peerIP())
	}
	for lap := range 3 {
		q.completions(4)
		require.Len(t, s.poll(full), 4, "lap %d", lap)
	}
	q.completions(4)
	require.Empty(t, s.events())
	before := s.read(full.base, 4*32)
	q.completions(1)
	require.Equal(t, []string{"CQ_ERR 0x0", "QP_FATAL 0xa50002"}, s.events())
	require.Equal(t, before, s.read(full.base, 4*32))
	require.Equal(t, format.QPError, q.state())
	require.Equal(t, format.QPRTS, other.state())
	require.Len(t, s.poll(full), 4)

	other.completions(1)
	require.Equal(t, []string{"QP_FATAL 0xa50003"}, s.events(), "there is room again, but something is missing")
	require.Empty(t, s.poll(full))
	fine.completions(3)
	require.Equal(t, format.QPRTS, fine.state())
}

// A receive completion that finds no room: no ACK.
func TestCQOverflowOfReceiver(t *testing.T) {
	s := newStation(t, 9, golden.DefaultConfig())
	full := s.newCQ(1)
	q := &target{qp: s.newQP(qpConfig{psn: startPSN, recvCQ: full})}
	q.connect(peerQPN, 1, peerIP())
	for i := range uint64(3) {
		q.receive(i)
	}
	p := packetSpec{op: format.OpSendOnly, a: 1}
	require.Equal(t, []string{nak(100, 0x1F, 1)}, q.inject(p))
	p.psn++
	require.Equal(t, []string{nak(101, 0x1F, 2)}, q.inject(p))
	p.psn++
	require.Empty(t, q.inject(p))
	require.Equal(t, []string{"CQ_ERR 0x0", "QP_FATAL 0xa50002"}, s.events())
	require.Len(t, s.poll(full), 2)
}

// A CQE that the bus refuses is lost: the CQ has failed as if it were full.
func TestCQWriteFault(t *testing.T) {
	q, _ := newTarget(t, qpConfig{sigAll: 1})
	q.s.mem.InjectFault(q.sendCQ.base+32, 1, host.Writes)
	q.completions(2)
	require.Len(t, q.s.poll(q.sendCQ), 1)
	require.Equal(t, []string{"CQ_ERR 0x0", "QP_FATAL " + qpName}, q.s.events())
}

// Armed CQs: for the next CQE, or for one that is solicited or an error.
func TestArm(t *testing.T) {
	q, _ := newTarget(t, qpConfig{sigAll: 1})
	s, psn := q.s, uint64(0)
	arm := func(kind uint32, c *cq, consumed uint16) { s.doorbell(testPage, kind, consumed, c.number) }
	event := []string{"completion 1"}
	recv := func(se uint64) {
		q.receive(1)
		q.inject(packetSpec{op: format.OpSendOnly, psn: psn, a: 1, se: se})
		psn++
	}
	recv(1)
	require.Empty(t, s.events(), "not armed")
	s.poll(q.recvCQ)

	arm(format.DoorbellArm, q.recvCQ, q.recvCQ.consumed)
	require.Empty(t, s.events(), "nothing new")
	recv(0)
	require.Equal(t, event, s.events())
	recv(0)
	require.Empty(t, s.events(), "once")

	arm(format.DoorbellArm, q.recvCQ, q.recvCQ.consumed)
	require.Equal(t, event, s.events(), "at once, for what software did not see")
	s.poll(q.recvCQ)

	arm(format.DoorbellArm, q.recvCQ, q.recvCQ.consumed)
	arm(format.DoorbellArmSolicited, q.recvCQ, q.recvCQ.consumed)
	recv(0)
	require.Equal(t, event, s.events(), "armed for any stays so")
	s.poll(q.recvCQ)

	arm(format.DoorbellArmSolicited, q.recvCQ, q.recvCQ.consumed)
	recv(0)
	require.Empty(t, s.events(), "not solicited")
	recv(1)
	require.Equal(t, event, s.events())
	arm(format.DoorbellArmSolicited, q.recvCQ, q.recvCQ.consumed)
	require.Equal(t, event, s.events(), "at once, for the solicited one among them")
	s.poll(q.recvCQ)

	recv(1)
	recv(0)
	arm(format.DoorbellArmSolicited, q.recvCQ, q.recvCQ.consumed+1)
	require.Empty(t, s.events(), "the solicited one was seen")
	q.receive(2)
	q.modify(format.QPError)
	q.drain()
	require.Equal(t, event, s.events(), "an error counts")
}

// An interrupt stays until software clears it.
func TestInterrupt(t *testing.T) {
	q, _ := newTarget(t, qpConfig{sigAll: 1})
	require.False(t, q.s.nic.Interrupt())
	q.s.doorbell(testPage, format.DoorbellArm, 0, q.sendCQ.number)
	q.completions(1)
	require.True(t, q.s.nic.Interrupt())
	require.Equal(t, uint32(1<<2), q.s.nic.ReadRegister(format.RegIRQPending))
	q.s.nic.WriteRegister(format.RegIRQPending, ^uint32(1<<2))
	require.True(t, q.s.nic.Interrupt())
	q.s.nic.WriteRegister(format.RegIRQPending, 1<<2)
	require.False(t, q.s.nic.Interrupt())
}

// An EQ that is full keeps what it has no room for, once for each source.
func TestEQNeverDrops(t *testing.T) {
	s := newStation(t, 9, golden.DefaultConfig())
	small := s.newRing(1, 16)
	s.must(format.CmdCreateEQ, format.CreateEQ[uint64]{EQN: 1, LogSize: 1, Base: small.base})
	c := s.newRing(5, 32)
	s.must(format.CmdCreateCQ, format.CreateCQ[uint64]{CQN: 40, EQN: 1, LogSize: 5, Page: testPage, Base: c.base})
	q := &target{qp: s.newQP(qpConfig{psn: startPSN, sigAll: 1, cq: &cq{ring: c, number: 40}})}
	q.connect(peerQPN, 1, peerIP())
	for range 6 {
		s.doorbell(testPage, format.DoorbellArm, c.consumed, 40)
		q.completions(1)
		for s.next(c) != nil {
		}
	}
	for range 2 {
		require.NotNil(t, s.next(small))
	}
	require.Nil(t, s.next(small), "two are all that fit")
	s.doorbell(0, format.DoorbellEQ, small.consumed, 1)
	require.NotNil(t, s.next(small), "four more are one")
	require.Nil(t, s.next(small))
}

// What a CQ or QP that is destroyed still had to say is forgotten.
func TestDestroyForgets(t *testing.T) {
	s := newStation(t, 9, golden.DefaultConfig())
	first, second := s.newCQ(5), s.newCQ(5)
	q := &target{qp: s.newQP(qpConfig{psn: startPSN, sigAll: 1, cq: first, recvCQ: second, state: format.QPRTR})}
	q.connect(peerQPN, 1, peerIP())
	fill := func() {
		for range 1 << s.eq.log {
			s.doorbell(testPage, format.DoorbellArm, first.consumed, first.number)
			q.modify(format.QPError)
			q.send(sendWR{op: format.WRWrite})
			q.drain()
			for s.next(first.ring) != nil {
			}
			s.doorbell(testPage, format.DoorbellCQ, first.consumed, first.number)
		}
	}
	q.receive(1)
	fill() // with completion events, so that the next ones have to wait
	s.doorbell(testPage, format.DoorbellArm, second.consumed, second.number)
	s.must(format.CmdDestroyQP, format.QueueRef[uint64]{Number: q.number})
	s.must(format.CmdDestroyCQ, format.QueueRef[uint64]{Number: second.number})
	require.Len(t, s.events(), 1<<s.eq.log)
	require.Empty(t, s.events())
	s.must(format.CmdDestroyCQ, format.QueueRef[uint64]{Number: first.number})
	s.must(format.CmdDestroyEQ, format.QueueRef[uint64]{Number: 0})
}
