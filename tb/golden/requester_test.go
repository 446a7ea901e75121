package golden_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/golden"
	"gornic/tb/host"
)

// drain returns what a NIC sends, as words.
func (q *target) drain() []string {
	q.s.t.Helper()
	return q.inject()
}

// ack is an ACKNOWLEDGE for packet psn behind startPSN.
func ack(psn, syndrome uint64) packetSpec {
	return packetSpec{op: format.OpAcknowledge, psn: psn, aeth: syndrome<<24 | 1}
}

// Messages as packets, at the borders of the MTU (protocol sections 4.1, 4.2).
func TestRequesterSegments(t *testing.T) {
	const signaled = format.WRFlagSignaled
	for _, c := range []struct {
		name string
		wr   sendWR
		size uint64
		want []string
	}{
		{"SEND of nothing", sendWR{op: format.WRSend}, 0, []string{"SEND_ONLY 0x64 A"}},
		{"SEND of a byte", sendWR{op: format.WRSend}, 1, []string{"SEND_ONLY 0x64 1 bytes A"}},
		{"SEND of an MTU", sendWR{op: format.WRSend}, 256, []string{"SEND_ONLY 0x64 256 bytes A"}},
		{"SEND of an MTU and one", sendWR{op: format.WRSend}, 257, []string{"SEND_FIRST 0x64 256 bytes", "SEND_LAST 0x65 1 bytes A"}},
		{"SEND of two MTUs", sendWR{op: format.WRSend}, 512, []string{"SEND_FIRST 0x64 256 bytes", "SEND_LAST 0x65 256 bytes A"}},
		{"solicited SEND", sendWR{op: format.WRSend, flags: format.WRFlagSolicited}, 300, []string{"SEND_FIRST 0x64 256 bytes", "SEND_LAST 0x65 44 bytes SE A"}},
		{"immediate", sendWR{op: format.WRSendImm, imm: 0x44332211}, 300, []string{"SEND_FIRST 0x64 256 bytes", "SEND_LAST_IMM 0x65 imm 11223344 44 bytes A"}},
		{"immediate alone", sendWR{op: format.WRSendImm, imm: 0x44332211, flags: format.WRFlagSolicited}, 0, []string{"SEND_ONLY_IMM 0x64 imm 11223344 SE A"}},
		{"WRITE of nothing", sendWR{op: format.WRWrite}, 0, []string{"WRITE_ONLY 0x64 dma 0 A"}},
		{"solicited WRITE: the bit has no place", sendWR{op: format.WRWrite, flags: format.WRFlagSolicited}, 4, []string{"WRITE_ONLY 0x64 dma 4 4 bytes A"}},
		{"WRITE of three", sendWR{op: format.WRWrite}, 513, []string{"WRITE_FIRST 0x64 dma 513 256 bytes", "WRITE_MIDDLE 0x65 256 bytes", "WRITE_LAST 0x66 1 bytes A"}},
		{"WRITE with immediate", sendWR{op: format.WRWriteImm, imm: 1, flags: format.WRFlagSolicited}, 8, []string{"WRITE_ONLY_IMM 0x64 dma 8 imm 01000000 8 bytes SE A"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			q, _ := newTarget(t, qpConfig{})
			c.wr.id, c.wr.flags = 9, c.wr.flags|signaled
			if c.size > 0 {
				c.wr.list = []format.SGE[uint64]{q.buf.part(3, c.size)}
			}
			q.send(c.wr)
			require.Equal(t, c.want, q.drain())
			last := uint64(len(c.want) - 1)
			require.Empty(t, q.s.poll(q.sendCQ), "before the acknowledgement")
			q.inject(ack(last, 0x1F))
			require.Len(t, q.s.poll(q.sendCQ), 1)
			require.Equal(t, uint64(startPSN)+last+1, q.query().OldestPSN)
		})
	}
}

// A long message asks for an acknowledgement every 16 packets, and waits when as
// many as the QP may have are on their way.
func TestRequesterWindow(t *testing.T) {
	q, _ := newTarget(t, qpConfig{})
	big := q.s.region(256*100, 0)
	q.send(sendWR{op: format.WRSend, list: big.whole()})
	sent := q.drain()
	require.Len(t, sent, 64)
	for i, s := range sent {
		asks := s[len(s)-2:] == " A"
		require.Equal(t, i%16 == 15, asks, "packet %d: %s", i, s)
	}
	require.Empty(t, q.drain())
	require.Len(t, q.inject(ack(15, 0)), 16, "room for 16 more")
	require.Len(t, q.inject(ack(79, 0)), 20, "and for the rest")
	require.Empty(t, q.s.poll(q.sendCQ))
}

// Every WQE that makes no sense ends its QP with its own status, after those
// before it, and the rest is flushed in order.
func TestRequesterRefusesWQE(t *testing.T) {
	for _, c := range []struct {
		name string
		wr   func(q *target) sendWR
		want string
	}{
		{"no such operation", func(*target) sendWR { return sendWR{op: 99} }, "LOC_QP_OP_ERR (no such operation)"},
		{"local invalidate is not there yet", func(*target) sendWR { return sendWR{op: format.WRLocalInv} }, "LOC_QP_OP_ERR (no such operation)"},
		{"too many SGEs", func(*target) sendWR { return sendWR{op: format.WRSend, list: make([]format.SGE[uint64], 3)} }, "LOC_QP_OP_ERR (more SGEs or inline bytes than the slot has)"},
		{"too many inline bytes", func(*target) sendWR { return sendWR{op: format.WRSend, inline: make([]byte, 33)} }, "LOC_QP_OP_ERR (more SGEs or inline bytes than the slot has)"},
		{"more than 2^31 bytes", func(q *target) sendWR {
			return sendWR{op: format.WRWrite, list: []format.SGE[uint64]{{Length: 1 << 31}, {Length: 1}}}
		}, "LOC_LEN_ERR (message too long)"},
		{"2^23 packets", func(q *target) sendWR {
			return sendWR{op: format.WRWrite, list: []format.SGE[uint64]{{Length: 1 << 31}}}
		}, "LOC_LEN_ERR (message too long)"},
		{"no such key", func(q *target) sendWR {
			return sendWR{op: format.WRSend, list: []format.SGE[uint64]{{Addr: q.va, Length: 4, LKey: 5}}}
		}, "LOC_PROT_ERR (no such key)"},
		{"a byte too far", func(q *target) sendWR {
			return sendWR{op: format.WRSend, list: []format.SGE[uint64]{q.buf.part(bufSize-4, 5)}}
		}, "LOC_PROT_ERR (outside of the key's range)"},
		{"a byte too early", func(q *target) sendWR {
			e := q.buf.part(0, 4)
			e.Addr--
			return sendWR{op: format.WRSend, list: []format.SGE[uint64]{e}}
		}, "LOC_PROT_ERR (outside of the key's range)"},
		{"the second SGE", func(q *target) sendWR {
			return sendWR{op: format.WRSend, list: []format.SGE[uint64]{q.buf.part(0, 4), {Length: 4}}}
		}, "LOC_PROT_ERR (no such key)"},
		{"another domain", func(q *target) sendWR {
			e := q.s.entry(8, 0)
			e.PD++
			q.s.must(format.CmdWriteKey, e)
			return sendWR{op: format.WRSend, list: []format.SGE[uint64]{{Addr: e.VA, Length: 4, LKey: e.Key}}}
		}, "LOC_PROT_ERR (key of another domain or QP)"},
		{"a window is no local key", func(q *target) sendWR {
			e := q.s.entry(8, 0)
			e.Type = format.KeyWindow1
			q.s.must(format.CmdWriteKey, e)
			return sendWR{op: format.WRSend, list: []format.SGE[uint64]{{Addr: e.VA, Length: 4, LKey: e.Key}}}
		}, "LOC_PROT_ERR (right not granted)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			q, _ := newTarget(t, qpConfig{})
			wr := c.wr(q)
			wr.id = 2
			q.receive(7, q.buf.whole()...)
			q.send(sendWR{id: 1, op: format.WRSend, flags: format.WRFlagSignaled}, wr, sendWR{id: 3, op: format.WRSend}, sendWR{id: 4, op: format.WRSend})
			require.Equal(t, []string{"SEND_ONLY 0x64 A"}, q.drain(), "nothing of it or behind it")
			require.Empty(t, q.s.poll(q.sendCQ), "it waits for the first")
			require.Equal(t, format.QPRTS, q.state())
			require.Empty(t, q.inject(ack(0, 0x1F)))
			require.Equal(t, []string{
				"1 SUCCESS SEND 0", "2 " + c.want, "3 WR_FLUSH_ERR (none)", "4 WR_FLUSH_ERR (none)",
			}, brief(q.s.poll(q.sendCQ)))
			require.Equal(t, []string{"7 WR_FLUSH_ERR (none)"}, brief(q.s.poll(q.recvCQ)))
			require.Equal(t, format.QPError, q.state())
			require.Empty(t, q.s.events())

			q.send(sendWR{id: 5, op: format.WRSend})
			q.receive(8)
			require.Empty(t, q.drain())
			require.Equal(t, []string{"5 WR_FLUSH_ERR (none)"}, brief(q.s.poll(q.sendCQ)), "posted afterwards")
			require.Equal(t, []string{"8 WR_FLUSH_ERR (none)"}, brief(q.s.poll(q.recvCQ)))
		})
	}
}

// What no key is needed for: pieces of no bytes, and inline data.
func TestRequesterNeedsNoKey(t *testing.T) {
	q, _ := newTarget(t, qpConfig{})
	none := format.SGE[uint64]{Addr: 1, LKey: 0xBAD}
	q.send(
		sendWR{op: format.WRSend, list: []format.SGE[uint64]{none, q.buf.part(0, 4)}},
		sendWR{op: format.WRSend, list: []format.SGE[uint64]{none, none}},
		sendWR{op: format.WRWrite, inline: make([]byte, 32)},
		sendWR{op: format.WRWrite, inline: []byte{}},
	)
	require.Equal(t, []string{
		"SEND_ONLY 0x64 4 bytes A", "SEND_ONLY 0x65 A", "WRITE_ONLY 0x66 dma 32 32 bytes A", "WRITE_ONLY 0x67 dma 0 A",
	}, q.drain())
}

// The answers to requests (protocol sections 4.3 and 4.4). Four SENDs of two
// packets are on their way, PSN 0 to 7 behind the start.
func TestRequesterAnswers(t *testing.T) {
	done := func(n int) []string {
		return []string{"1 SUCCESS SEND 0", "2 SUCCESS SEND 0", "3 SUCCESS SEND 0", "4 SUCCESS SEND 0"}[:n]
	}
	flush := func(from int) []string {
		return []string{"1 WR_FLUSH_ERR (none)", "2 WR_FLUSH_ERR (none)", "3 WR_FLUSH_ERR (none)", "4 WR_FLUSH_ERR (none)"}[from-1:]
	}
	for _, c := range []struct {
		name    string
		answers []packetSpec
		sent    []string
		want    []string
		ignored uint32
		state   format.QPState
	}{
		{name: "ACK of the last: all", answers: []packetSpec{ack(7, 0x1F)}, want: done(4), state: format.QPRTS},
		{name: "any credits", answers: []packetSpec{ack(1, 0x00), ack(3, 0x0A)}, want: done(2), state: format.QPRTS},
		{name: "ACK inside a message", answers: []packetSpec{ack(2, 0x1F)}, want: done(1), state: format.QPRTS},
		{name: "MSN does not count", answers: []packetSpec{{op: format.OpAcknowledge, psn: 0, aeth: 0x1F000004}}, want: nil, state: format.QPRTS},
		{name: "the same ACK twice", answers: []packetSpec{ack(3, 0x1F), ack(3, 0x1F), ack(1, 0x1F)}, want: done(2), ignored: 2, state: format.QPRTS},
		{name: "ahead of all", answers: []packetSpec{ack(8, 0x1F), ack(1<<22, 0x1F)}, want: nil, ignored: 2, state: format.QPRTS},
		{name: "reserved syndromes", answers: []packetSpec{ack(7, 0x40), ack(7, 0x64), ack(7, 0x7F), ack(7, 0x80), ack(7, 0xFF)}, want: nil, ignored: 5, state: format.QPRTS},
		{name: "NAK 0x61", answers: []packetSpec{ack(4, 0x61)}, want: append(append(done(2), "3 REM_INV_REQ_ERR (the peer refused)"), flush(4)...), state: format.QPError},
		{name: "NAK 0x62", answers: []packetSpec{ack(0, 0x62)}, want: append([]string{"1 REM_ACCESS_ERR (the peer refused)"}, flush(2)...), state: format.QPError},
		{name: "NAK 0x63 inside a message", answers: []packetSpec{ack(7, 0x63)}, want: append(done(3), "4 REM_OP_ERR (the peer refused)"), state: format.QPError},
		{name: "a NAK of the past", answers: []packetSpec{ack(3, 0x1F), ack(2, 0x62)}, want: done(2), ignored: 1, state: format.QPRTS},
		{name: "a READ response to a SEND", answers: []packetSpec{{op: format.OpReadResponseOnly, psn: 1, size: 4}}, want: append([]string{"1 BAD_RESP_ERR (none)"}, flush(2)...), state: format.QPError},
		{name: "an ATOMIC_ACK to a SEND", answers: []packetSpec{{op: format.OpAtomicAck, psn: 0}}, want: append([]string{"1 BAD_RESP_ERR (none)"}, flush(2)...), state: format.QPError},
		{
			name: "NAK 0x60: from there again", answers: []packetSpec{ack(3, 0x60)}, want: done(1), state: format.QPRTS, // case 49
			sent: []string{"SEND_LAST 0x67 44 bytes A", "SEND_FIRST 0x68 256 bytes", "SEND_LAST 0x69 44 bytes A", "SEND_FIRST 0x6a 256 bytes", "SEND_LAST 0x6b 44 bytes A"},
		},
		{
			name: "NAK 0x60 without a retry left", answers: []packetSpec{ack(3, 0x60), ack(3, 0x60), ack(3, 0x60), ack(3, 0x60)},
			want: append(append(done(1), "2 RETRY_EXC_ERR (none)"), flush(3)...), state: format.QPError,
		},
		{name: "RNR NAK: a wait", answers: []packetSpec{ack(2, 0x21)}, want: done(1), state: format.QPRTS},
		{name: "NAK 0x60 in the wait does not cut it short", answers: []packetSpec{ack(2, 0x21), ack(2, 0x60)}, want: done(1), state: format.QPRTS},
	} {
		t.Run(c.name, func(t *testing.T) {
			q, _ := newTarget(t, qpConfig{sigAll: 1, retry: 2, rnrRetry: 1})
			for i := range uint64(4) {
				q.post(sendWR{id: i + 1, op: format.WRSend, list: []format.SGE[uint64]{q.buf.part(0, 300)}})
			}
			q.send()
			require.Len(t, q.drain(), 8)
			require.Equal(t, c.sent, q.inject(c.answers...))
			require.Equal(t, c.want, brief(q.s.poll(q.sendCQ)))
			require.Equal(t, c.ignored, q.s.nic.Counter(format.CntRxIgnored))
			require.Equal(t, c.state, q.state())
		})
	}
}

// The wait of an RNR NAK is at least its timer's, for all codes (case 19); a
// second one for the same packet costs a retry, an ACK gives them back (case 5).
func TestRequesterRNR(t *testing.T) {
	waits := []time.Duration{
		655360, 10, 20, 30, 40, 60, 80, 120, 160, 240, 320, 480, 640, 960, 1280, 1920, 2560, 3840, 5120, 7680, 10240, 15360, 20480,
		30720, 40960, 61440, 81920, 122880, 163840, 245760, 327680, 491520,
	}
	for code, wait := range waits {
		q, _ := newTarget(t, qpConfig{rnrRetry: 7, timeout: 1})
		q.send(sendWR{op: format.WRSend})
		require.Len(t, q.drain(), 1)
		require.Empty(t, q.inject(ack(0, uint64(0x20+code))))
		q.s.nic.Tick(wait*time.Microsecond - 1)
		require.Empty(t, q.drain(), "code %d", code)
		q.s.nic.Tick(1)
		require.Equal(t, []string{"SEND_ONLY 0x64 A"}, q.drain(), "code %d", code)
	}
	const rnr = 0x21
	for _, c := range []struct {
		name    string
		retries uint64
		answers []packetSpec
		want    []string
	}{
		{"none", 0, []packetSpec{ack(0, rnr)}, []string{"1 RNR_RETRY_EXC_ERR (none)", "2 WR_FLUSH_ERR (none)"}}, // case 44
		{"one", 1, []packetSpec{ack(0, rnr), ack(0, rnr)}, []string{"1 RNR_RETRY_EXC_ERR (none)", "2 WR_FLUSH_ERR (none)"}},
		{"given back", 1, []packetSpec{ack(0, rnr), ack(0, 0), ack(1, rnr), ack(1, 0)}, []string{"1 SUCCESS SEND 0", "2 SUCCESS SEND 0"}},
		{"for ever", 7, []packetSpec{ack(0, rnr), ack(0, rnr), ack(0, rnr), ack(0, rnr), ack(0, rnr), ack(0, rnr), ack(0, rnr), ack(0, rnr), ack(0, rnr), ack(1, 0)}, []string{"1 SUCCESS SEND 0", "2 SUCCESS SEND 0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			q, _ := newTarget(t, qpConfig{sigAll: 1, rnrRetry: c.retries, retry: 0})
			q.send(sendWR{id: 1, op: format.WRSend}, sendWR{id: 2, op: format.WRSend})
			q.drain()
			for _, a := range c.answers {
				q.inject(a)
				q.s.nic.Tick(10 * time.Microsecond)
				q.drain()
			}
			require.Equal(t, c.want, brief(q.s.poll(q.sendCQ)))
		})
	}
}

// The timer: restarted by progress, off when nothing is on its way, and after
// retry_cnt restarts the end (cases 26 and 27).
func TestRequesterTimeout(t *testing.T) {
	const timeout = 4096 * time.Nanosecond << 3
	q, _ := newTarget(t, qpConfig{sigAll: 1, retry: 2, timeout: 3})
	q.s.nic.Tick(100 * timeout)
	q.send(sendWR{id: 1, op: format.WRSend}, sendWR{id: 2, op: format.WRSend})
	both := []string{"SEND_ONLY 0x64 A", "SEND_ONLY 0x65 A"}
	require.Equal(t, both, q.drain())
	q.s.nic.Tick(timeout - 1)
	require.Empty(t, q.drain())
	q.s.nic.Tick(1)
	require.Equal(t, both, q.drain())
	q.s.nic.Tick(timeout - 1)
	require.Empty(t, q.inject(ack(0, 0)))
	q.s.nic.Tick(timeout - 1)
	require.Empty(t, q.drain(), "an ACK is progress")
	for range 2 {
		q.s.nic.Tick(timeout)
		require.Equal(t, both[1:], q.drain(), "retries are given back")
	}
	q.s.nic.Tick(timeout)
	require.Empty(t, q.drain())
	require.Equal(t, []string{"1 SUCCESS SEND 0", "2 RETRY_EXC_ERR (none)"}, brief(q.s.poll(q.sendCQ)))
}

// A resent message is cut at the same places, from the WQE.
func TestRequesterResends(t *testing.T) {
	q, _ := newTarget(t, qpConfig{retry: 7})
	q.send(sendWR{op: format.WRWriteImm, imm: 1, list: []format.SGE[uint64]{q.buf.part(1, 100), q.buf.part(200, 500)}})
	first := q.frames()
	require.Len(t, first, 3)
	q.s.nic.Receive(q.frame(ack(1, 0x60)))
	require.Equal(t, first[1:], q.frames())
	q.s.nic.Receive(q.frame(ack(1, 0x60)))
	require.Equal(t, first[1:], q.frames(), "from the original PSN again")
}

// frames drains what the NIC sends.
func (q *target) frames() [][]byte {
	var out [][]byte
	for f, ok := q.s.nic.Send(); ok; f, ok = q.s.nic.Send() {
		out = append(out, f)
	}
	return out
}

// In SQD what was started is finished, and nothing new is begun.
func TestRequesterDrains(t *testing.T) {
	q, _ := newTarget(t, qpConfig{sigAll: 1})
	q.send(sendWR{id: 1, op: format.WRSend, list: []format.SGE[uint64]{q.buf.part(0, 600)}})
	_, ok := q.s.nic.Send()
	require.True(t, ok)
	q.modify(format.QPSQD)
	q.send(sendWR{id: 2, op: format.WRSend})
	require.Len(t, q.drain(), 2, "the rest of the first")
	require.Empty(t, q.s.events())
	require.Empty(t, q.inject(ack(2, 0)))
	require.Equal(t, []string{"SQ_DRAINED " + qpName}, q.s.events())
	require.Empty(t, q.drain())
	require.Empty(t, q.s.events(), "once")
	q.modify(format.QPRTS)
	require.Len(t, q.drain(), 1)
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
		require.Equal(t, []string{"1 WR_FLUSH_ERR (none)", "0 WR_FLUSH_ERR (the WQE could not be read)", "3 WR_FLUSH_ERR (none)"}, brief(q.s.poll(q.sendCQ)))
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

// PSNs wrap while requests are on their way (case 1).
func TestRequesterWraps(t *testing.T) {
	q, _ := newTarget(t, qpConfig{sigAll: 1, psn: 0xFFFFFE})
	for id := range uint64(6) {
		q.post(sendWR{id: id, op: format.WRSend})
	}
	q.send()
	require.Equal(t, []string{
		"SEND_ONLY 0xfffffe A", "SEND_ONLY 0xffffff A", "SEND_ONLY 0x0 A", "SEND_ONLY 0x1 A", "SEND_ONLY 0x2 A", "SEND_ONLY 0x3 A",
	}, q.drain())
	require.Empty(t, q.inject(ack(1, 0x1F)))
	require.Len(t, q.s.poll(q.sendCQ), 2)
	require.Empty(t, q.inject(ack(5, 0x1F)))
	require.Len(t, q.s.poll(q.sendCQ), 4)
}

// A sequence error at the first PSN of a message of which everything was sent:
// all of it again, and the SEND behind it (case 24).
func TestRequesterFirstPSNMissed(t *testing.T) {
	q, _ := newTarget(t, qpConfig{mtu: format.MTU4096, psn: 15729420, retry: 1})
	big := q.s.region(9824, 0)
	q.send(sendWR{op: format.WRWrite, list: big.whole()}, sendWR{op: format.WRSend})
	all := q.frames()
	require.Len(t, all, 4)
	q.s.nic.Receive(q.frame(ack(0, 0x60)))
	require.Equal(t, all, q.frames())
}

// Two queue pairs whose answers take turns both get on (case 32c), and the long
// message of one holds the other's short ones up by a packet at most.
func TestRequestersTakeTurns(t *testing.T) {
	s := newStation(t, 9, golden.DefaultConfig())
	long := &target{qp: s.newQP(qpConfig{psn: startPSN, sigAll: 1})}
	short := &target{qp: s.newQP(qpConfig{psn: 0x900, sigAll: 1})}
	for _, q := range []*target{long, short} {
		q.connect(peerQPN, 1, peerIP())
	}
	big := s.region(256*8, 0)
	long.send(sendWR{id: 1, op: format.WRSend, list: big.whole()})
	for id := range uint64(4) {
		short.post(sendWR{id: 10 + id, op: format.WRSend})
	}
	short.send()
	var order []string
	for range 12 {
		frame, ok := s.nic.Send()
		require.True(t, ok)
		order = append(order, packetWords(t, frame)[:10])
	}
	require.Equal(t, []string{
		"SEND_FIRST", "SEND_ONLY ", "SEND_MIDDL", "SEND_ONLY ", "SEND_MIDDL", "SEND_ONLY ", "SEND_MIDDL", "SEND_ONLY ",
		"SEND_MIDDL", "SEND_MIDDL", "SEND_MIDDL", "SEND_LAST ",
	}, order)
	short.inject(ack(1, 0))
	long.inject(ack(3, 0))
	short.inject(ack(3, 0))
	long.inject(ack(7, 0))
	require.Len(t, s.poll(long.sendCQ), 1)
	require.Len(t, s.poll(short.sendCQ), 4)
}

// A message in trouble waits for those before it, which may have to be sent again,
// and its own first packets with them.
func TestRequesterTroubleWaits(t *testing.T) {
	q, _ := newTarget(t, qpConfig{sigAll: 1, retry: 1})
	q.send(
		sendWR{id: 1, op: format.WRSend},
		sendWR{id: 2, op: format.WRWrite, list: []format.SGE[uint64]{q.buf.part(0, 512), {Addr: 1, Length: 4, LKey: 0xBAD}}},
		sendWR{id: 3, op: format.WRSend},
	)
	sent := []string{"SEND_ONLY 0x64 A", "WRITE_FIRST 0x65 dma 516 256 bytes", "WRITE_MIDDLE 0x66 256 bytes"}
	require.Equal(t, sent, q.drain())
	require.Equal(t, sent, q.inject(ack(0, 0x60)))
	require.Empty(t, q.s.poll(q.sendCQ))
	require.Empty(t, q.inject(ack(1, 0)))
	require.Equal(t, []string{"1 SUCCESS SEND 0", "2 LOC_PROT_ERR (no such key)", "3 WR_FLUSH_ERR (none)"}, brief(q.s.poll(q.sendCQ)))
}
