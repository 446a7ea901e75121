package resend_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/blocks/resend"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
)

// fresh is a bench of 64 bits in the native simulator.
func fresh(t *testing.T, gaps uint32) *bench {
	design, io := hdltest.Build(t, resend.Def(params(64)))
	return newBench(t, hdltest.Open(t, sim.NativeSimulator, design, sim.Options{Seed: hdltest.Seed(t)}), io, gaps, 0)
}

// psns takes the PSNs of the jobs so far.
func (b *bench) psns() []uint32 {
	var psns []uint32
	for _, j := range b.jobs {
		psns = append(psns, j.Entry.PSN)
	}
	b.jobs, b.at = nil, nil
	return psns
}

// opcodes takes the opcodes of the jobs so far.
func (b *bench) opcodes() []format.Opcode {
	var ops []format.Opcode
	for _, j := range b.jobs {
		ops = append(ops, j.Opcode)
	}
	b.jobs, b.at = nil, nil
	return ops
}

// What has not been answered is sent again from the middle of a message on.
func TestMiddleOfMessage(t *testing.T) {
	b := fresh(t, 0)
	q := b.open(1, format.MTU256, 3, 1, 0xFFFFFE)
	b.post(q, b.wqe(format.WRWriteImm, format.WRFlagSolicited, 0, 300, 0, 200, 268)) // 3 packets
	b.post(q, b.wqe(format.WRSend, 0))
	b.again(q)
	b.drain()
	require.Equal(t, []format.Opcode{format.OpWriteFirst, format.OpWriteMiddle, format.OpWriteLastImm, format.OpSendOnly}, b.opcodes())
	b.pop(q)
	b.again(q)
	b.drain()
	require.Equal(t, []uint32{0xFFFFFF, 0, 1}, b.psns())
	b.pop(q)
	b.pop(q)
	b.pop(q)
	b.again(q)
	b.drain()
	require.Empty(t, b.jobs)
	require.Len(t, b.resents, 3)
}

// A queue pair that has to wait for its rate sends nothing again until it is woken, also between two packets of its ring; others do. A Stop
// does not wait, and neither does one that may not send any more, or that has nothing left.
func TestPaced(t *testing.T) {
	b := fresh(t, 0)
	q, other := b.open(1, format.MTU256, 3, 0, 10), b.open(2, format.MTU256, 3, 0, 20)
	b.post(q, b.wqe(format.WRWrite, 0, 1024)) // 4 packets
	b.post(other, b.wqe(format.WRWrite, 0, 700))
	b.paced[1] = true
	b.again(q)
	b.again(other)
	b.run(300)
	require.Equal(t, []uint32{20, 21, 22}, b.psns())
	require.Len(t, b.resents, 1)
	b.goes(1)
	b.until("a packet", func() bool { return len(b.jobs) > 0 })
	b.paced[1] = true // one more may be on its way
	b.run(300)
	begun := len(b.psns())
	require.Less(t, begun, 3)
	b.goes(1)
	b.run(300)
	require.Len(t, b.psns(), 4-begun)
	require.Len(t, b.resents, 2)

	b.paced[1] = true
	b.again(q)
	b.run(100)
	b.send(q, true, 10)
	b.goes(1)
	b.run(300)
	require.Empty(t, b.jobs, "it is stopped")
	require.Len(t, b.resents, 2)

	b.paced[1] = true
	b.again(q)
	b.run(100)
	q.state, q.mayNot = format.QPError, true
	b.again(q)
	b.run(100)
	require.Empty(t, b.jobs)
	require.Len(t, b.resents, 3, "it waits for no rate, as it may not send")
	b.wake.Send(2) // one that has nothing to send again
	b.drain()
	require.Empty(t, b.jobs)
}

// A READ is asked again from the first PSN on that is owed, unless that is of another entry.
func TestRestartedREAD(t *testing.T) {
	b := fresh(t, 0)
	q := b.open(0, 3, 3, 0, 0xFFFFFF)
	b.post(q, b.wqe(format.WRRead, 0, 5000, 121)) // 6 packets: 0xFFFFFF to 4
	b.post(q, b.wqe(format.WRRead, 0, 2048))      // 5 and 6
	b.post(q, b.wqe(format.WRRead, 0))            // 7
	whole := q.entries[0].sent
	for _, c := range []struct {
		due   uint32
		first uint32 // PSN of the first job
		moved uint64
	}{{0xFFFFFF, 0xFFFFFF, 0}, {0, 0, 1024}, {4, 4, 5 * 1024}, {0xFFFFFE, 0xFFFFFF, 0}} {
		b.send(q, false, c.due)
		b.drain()
		require.Len(t, b.jobs, 3)
		j := b.jobs[0]
		require.Equal(t, []any{c.first, whole.VA + c.moved, uint32(5121 - c.moved), true}, []any{j.Entry.PSN, j.VA, j.DMALen, j.AckReq})
		require.Equal(t, []uint32{c.first, 5, 7}, b.psns())
	}
	b.pop(q) // and the data of the next one has come in part already
	b.send(q, false, 6)
	b.drain()
	require.Equal(t, []uint32{6, 7}, b.psns())
	require.Zero(t, len(b.segments))
}

// An acknowledgement is asked for in the middle of a message by the newest entry, and by the last one of each half of the ring.
func TestAckReq(t *testing.T) {
	b := fresh(t, 0)
	q := b.open(0, format.MTU256, 3, 0, 0)
	q.count = 4
	b.post(q, b.wqe(format.WRSend, 0, 1<<20))
	require.Len(t, q.entries, 8) // 4 to 11
	acks := func() (asked []uint32) {
		for _, j := range b.jobs {
			if j.AckReq {
				asked = append(asked, j.Entry.PSN)
			}
		}
		b.jobs = nil
		return asked
	}
	b.again(q)
	b.drain()
	require.Equal(t, []uint32{3, 7}, acks())
	b.pop(q)
	b.goOn(q)
	b.again(q)
	b.drain()
	require.Equal(t, []uint32{3, 7, 8}, acks())
}

// The newest entry is the newest when its packet goes: another has come behind it since it was looked at first.
func TestNewestMeanwhile(t *testing.T) {
	b := fresh(t, 0)
	q := b.open(0, format.MTU256, 3, 0, 0)
	q.count = 1
	b.post(q, b.wqe(format.WRSend, 0, 1<<20))
	for len(q.entries) > 1 {
		q.entries = q.entries[:len(q.entries)-1]
		q.first.PSN--
		q.count--
	}
	b.reads.Hold = true
	b.again(q)
	b.until("first look", func() bool { return q.times == 1 })
	i := q.entries[0]
	i.ref.PSN++
	i.ref.Index++
	i.link.PSN++
	i.link.Offset += 256
	i.link.First = false
	sent := *i.sent
	i.sent = &sent
	q.entries, q.count = append(q.entries, i), q.count+1
	b.until("its packet", func() bool { return len(b.jobs) == 1 })
	require.False(t, b.jobs[0].AckReq)
}

// Entries that are no packets, or were not sent, are passed over.
func TestPassedOver(t *testing.T) {
	b := fresh(t, 0)
	q := b.open(2, format.MTU4096, 3, 0, 100)
	b.local(q, 0)
	b.post(q, b.wqe(format.WRSend, 0, 1))
	b.local(q, 0)
	b.post(q, b.wqe(format.WRFetchAdd, 0, 8))
	b.local(q, format.StatusLocProt)
	b.local(q, format.StatusFlush)
	b.again(q)
	b.drain()
	require.Equal(t, []uint32{100, 101}, b.psns())
	require.EqualValues(t, 2, b.reads.Bursts)
}

// Nothing is sent in a state that has no packets; the queue pair is through.
func TestStates(t *testing.T) {
	b := fresh(t, 0)
	for state := format.QPReset; state <= format.QPError; state++ {
		q := b.open(0, format.MTU1024, 3, 0, 0)
		b.post(q, b.wqe(format.WRSend, 0, 1))
		q.state = state
		b.again(q)
		b.drain()
		sends := state == format.QPRTS || state == format.QPSQD
		require.Equal(t, sends, len(b.psns()) == 1, state)
		q.exists, q.state = false, format.QPRTS
		b.again(q)
		b.drain()
		require.Empty(t, b.psns())
	}
	require.Len(t, b.resents, 2*(int(format.QPError)+1))
}

// Queue pairs have a packet each, in turn.
func TestTurns(t *testing.T) {
	b := fresh(t, 0)
	for qp := range qps {
		b.post(b.open(qp, format.MTU256, 3, 0, 0), b.wqe(format.WRSend, 0, 700))
	}
	b.job.SetPattern(sim.Pattern{Kind: sim.Never})
	for _, q := range b.qps {
		b.again(q)
	}
	b.job.SetPattern(sim.Pattern{})
	b.drain()
	require.Equal(t, []uint32{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}, b.psns())
}

// A Stop takes effect behind the packet that is offered, and has no Resent; a newer Resend begins anew.
func TestStop(t *testing.T) {
	b := fresh(t, 0)
	q := b.open(0, format.MTU256, 3, 0, 0)
	b.post(q, b.wqe(format.WRSend, 0, 1024))
	b.job.SetPattern(sim.Pattern{Kind: sim.Never})
	b.again(q)
	b.run(60) // the first packet is offered
	b.send(q, true, 0)
	b.job.SetPattern(sim.Pattern{})
	b.run(200)
	require.Equal(t, []uint32{0}, b.psns())
	require.Empty(t, b.resents)

	b.job.SetPattern(sim.Pattern{Kind: sim.Never})
	b.again(q)
	b.run(60)
	b.again(q)
	b.job.SetPattern(sim.Pattern{})
	b.drain()
	require.Equal(t, []uint32{0, 0, 1, 2, 3}, b.psns())
	require.Equal(t, []linktest.Resent{{QP: 0, Number: q.number}}, b.resents)
}

// A Resend is taken, and counts, in any cycle of a turn: also in the one in which the next entry is noted.
func TestNewerAtAnyTime(t *testing.T) {
	b := fresh(t, 0)
	q := b.open(0, format.MTU256, 3, 0, 0)
	b.post(q, b.wqe(format.WRSend, 0, 1024))
	for wait := range 90 {
		b.jobs, b.resents = nil, nil
		b.again(q)
		b.run(wait)
		b.again(q)
		at := b.s.Cycle()
		b.drain()
		psns := b.psns()
		require.GreaterOrEqual(t, len(psns), 4, "%d cycles, at %d", wait, at)
		require.Equal(t, []uint32{0, 1, 2, 3}, psns[len(psns)-4:])
		require.Equal(t, linktest.Resent{Number: q.number}, b.resents[len(b.resents)-1])

		b.again(q) // and a Stop
		b.run(wait)
		b.send(q, true, 0)
		b.run(150)
		b.again(q)
		b.drain()
		psns = b.psns()
		require.Equal(t, []uint32{0, 1, 2, 3}, psns[len(psns)-4:])
	}
}

// A Resend that comes while, or when, the Resent of the one before is taken in its first turn is not lost.
func TestNewerThanResent(t *testing.T) {
	b := fresh(t, 0)
	q := b.open(0, format.MTU256, 3, 0, 0)
	for wait := range 40 {
		b.again(q)
		b.run(wait)
		b.again(q)
		b.drain()
		require.Equal(t, linktest.Resent{Number: q.number}, b.resents[len(b.resents)-1])
	}
}

// Resends of a queue pair that come without a turn between them, as many as there are numbers, begin at the oldest.
func TestManyResends(t *testing.T) {
	b := fresh(t, 0)
	q := b.open(0, format.MTU256, 3, 0, 0)
	other := b.open(1, format.MTU256, 3, 0, 0)
	b.post(q, b.wqe(format.WRSend, 0, 1024))
	b.post(other, b.wqe(format.WRSend, 0, 1))
	b.again(q)
	b.until("its first packet", func() bool { return len(b.psns()) == 1 })
	for n := range 9 {
		b.job.SetPattern(sim.Pattern{Kind: sim.Never})
		b.again(other)
		b.run(100) // a packet of the other one stalls
		for range n {
			b.again(q)
		}
		b.job.SetPattern(sim.Pattern{})
		b.drain()
		b.again(q)
		b.until("its first packet", func() bool { return len(b.jobs) > 3 })
		b.jobs = nil
	}
	b.drain()
}

// The entry leaves the ring, and its WQE changes, while that is read: nothing is sent of it.
func TestGoneMeanwhile(t *testing.T) {
	b := fresh(t, 0)
	q := b.open(0, format.MTU256, 3, 0, 0)
	b.post(q, b.wqe(format.WRSend, 0, 200))
	b.post(q, b.wqe(format.WRWrite, 0, 100))
	b.reads.Latency = 40
	for _, after := range []int{1, 10, 20, 30} {
		b.again(q)
		b.until("first look", func() bool { return q.times == 1 })
		b.run(after)
		b.pop(q)
		b.drain()
		b.post(q, b.wqe(format.WRSend, 0, 100+after))
	}
	require.Empty(t, b.faults)
}

// The WQE of the packet before is not read again; after another Resend it is.
func TestKept(t *testing.T) {
	b := fresh(t, 0)
	q := b.open(0, format.MTU256, 3, 0, 0)
	b.post(q, b.wqe(format.WRSend, 0, 100, 800))
	b.again(q)
	b.drain()
	require.Equal(t, 1, b.reads.Bursts)
	b.post(q, b.wqe(format.WRSend, 0, 100))
	b.again(q)
	b.drain()
	require.Equal(t, 3, b.reads.Bursts)

	// A queue pair with the same index, and the same one after 2^16 WQEs.
	other := b.open(1, format.MTU256, 3, 0, 0)
	b.post(other, b.wqe(format.WRWrite, 0, 100))
	b.again(q)
	b.again(other)
	b.drain()
	for len(q.entries) > 0 {
		b.pop(q)
	}
	q.wqe--
	b.post(q, b.wqe(format.WRSendImm, 0, 300))
	b.again(q)
	b.drain()
}

// All that a packet needs is here when it goes: its segments wait for nobody.
func TestSegmentsWaitForNobody(t *testing.T) {
	for _, gaps := range []uint32{0, 40} {
		b := fresh(t, gaps)
		b.hold = true
		q := b.open(0, format.MTU4096, 3, 1, 0)
		b.post(q, b.wqe(format.WRSend, 0, 1, 0, 2, 0, 0, 3))
		b.post(q, b.wqe(format.WRWrite, 0, 4000, 90, 4, 1, 0, 3000))
		b.post(q, b.inline(format.WRSend, 0, 96))
		b.again(q)
		b.drain()
		require.Equal(t, []uint32{0, 1, 2, 3}, b.psns())
	}
}

// Data in a WQE: whole, none, and in the last slot of a page.
func TestInline(t *testing.T) {
	b := fresh(t, 0)
	for stride, most := range []int{32, 96} {
		q := b.open(stride, format.MTU256, 6, stride, 0)
		q.wqe = 63
		for _, n := range []int{most, 0, 1} {
			b.post(q, b.inline(format.WRWriteImm, 0, n))
		}
		b.again(q)
		b.drain()
		require.Len(t, b.jobs, 3)
		require.Zero(t, b.jobs[1].PayloadLen)
		b.jobs = nil
	}
	require.Equal(t, 4, b.counts["bus"])
}

// Fences pass between turns, and hold the next one back.
func TestFence(t *testing.T) {
	b := fresh(t, 0)
	q := b.open(0, format.MTU256, 3, 0, 0)
	b.post(q, b.wqe(format.WRSend, 0, 600))
	b.job.SetPattern(sim.Pattern{Kind: sim.Never})
	b.again(q)
	b.run(60)
	for token := range 4 {
		b.token(token)
	}
	b.run(60)
	require.Len(t, b.fences, 4)
	b.pass.SetPattern(sim.Pattern{Kind: sim.Never})
	b.job.SetPattern(sim.Pattern{})
	b.run(100)
	require.Len(t, b.psns(), 1)
	b.pass.SetPattern(sim.Pattern{})
	b.drain()
	require.Len(t, b.psns(), 2)
}

// A queue pair that is cleared is forgotten.
func TestClear(t *testing.T) {
	b := fresh(t, 0)
	q := b.open(0, format.MTU256, 3, 0, 0)
	b.post(q, b.wqe(format.WRSend, 0, 600))
	b.job.SetPattern(sim.Pattern{Kind: sim.Never})
	b.again(q)
	b.run(60)
	b.token(1)
	b.job.SetPattern(sim.Pattern{})
	b.pass.SetPattern(sim.Pattern{Kind: sim.Never})
	b.run(60)
	b.control.Send(linktest.QPControl{QP: 0, Kind: link.ControlSendPSN})
	b.control.Send(linktest.QPControl{QP: 0, Kind: link.ControlTimers})
	b.until("others", func() bool { return b.control.Pending() == 0 })
	b.pass.SetPattern(sim.Pattern{})
	b.until("fence", func() bool { return len(b.fences) == 0 })
	b.until("second", func() bool { return len(b.jobs) == 2 })
	b.token(1)
	b.until("fence", func() bool { return len(b.fences) == 0 })
	b.open(0, format.MTU256, 3, 0, 0)
	b.run(200)
	require.LessOrEqual(t, len(b.psns()), 3)
	require.Empty(t, b.resents)
}

// Control waits while a Resend of another queue pair is taken, and is not lost.
func TestClearBesideResend(t *testing.T) {
	b := fresh(t, 0)
	gone, other := b.open(0, format.MTU256, 3, 0, 0), b.open(1, format.MTU256, 3, 0, 0)
	b.pass.SetPattern(sim.Pattern{Kind: sim.Never})
	b.token(1) // no turn begins
	b.run(4)
	b.again(gone)
	b.control.Send(linktest.QPControl{QP: gone.index, Kind: link.ControlClear})
	b.again(other)
	b.until("Control", func() bool { return b.control.Pending() == 0 })
	gone.order = nil
	b.pass.SetPattern(sim.Pattern{})
	b.drain()
	require.Equal(t, []linktest.Resent{{QP: other.index, Number: other.number}}, b.resents)
}
