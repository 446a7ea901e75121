package golden_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
)

// drain returns what a NIC sends, as words.
func (q *target) drain() []string {
	q.s.t.Helper()
	return q.inject()
}

// response is a READ response of a packet behind startPSN; its payload is noise of psn.
func response(psn uint64, op format.Opcode, size int) packetSpec {
	return packetSpec{op: op, psn: psn, size: size, seed: int(psn), aeth: 0x1F<<24 | 1}
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
