package golden_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
)

// responderCase is what a responder does with some packets. Packets of RETH
// without a key get the target's.
type responderCase struct {
	name    string
	config  qpConfig
	receive []uint64 // lengths of receive WQEs, wr_id 1, 2, ...
	setup   func(*target)
	packets []packetSpec
	replies []string
	recv    []string // completions of the receive queue
	send    []string // and of the send queue
	events  []string
	state   format.QPState // 0: RTS
	written []int          // sizes of the pieces that are in the region, from its start
	placed  []int          // and in the receive buffer
}

func (c responderCase) run(t *testing.T) {
	q, open := newTarget(t, c.config)
	before, beforeBuf := q.s.bytes(open), q.s.bytes(q.buf)
	for i, n := range c.receive {
		q.receive(uint64(i+1), q.buf.part(0, n))
	}
	if c.setup != nil {
		c.setup(q)
	}
	for i := range c.packets {
		p := &c.packets[i]
		p.seed = i
		if p.key == 0 {
			p.key = q.key
		}
		if p.va == 0 {
			p.va = q.va
		}
	}
	require.Equal(t, c.replies, q.inject(c.packets...), "replies")
	require.Equal(t, c.recv, brief(q.s.poll(q.recvCQ)), "receive completions")
	require.Equal(t, c.send, brief(q.s.poll(q.sendCQ)), "send completions")
	require.Equal(t, c.events, q.s.events(), "events")
	want := c.state
	if want == 0 {
		want = format.QPRTS
	}
	require.Equal(t, want, q.state())
	require.Equal(t, pieces(before, c.written), q.s.bytes(open), "region")
	require.Equal(t, pieces(beforeBuf, c.placed), q.s.bytes(q.buf), "receive buffer")
	require.NoError(t, q.s.mem.CheckGuards())
}

// pieces is memory that began as before and got the payloads of the packets with
// these sizes; a negative size is a packet without effect.
func pieces(before []byte, sizes []int) []byte {
	out := append([]byte(nil), before...)
	at := 0
	for seed, n := range sizes {
		if n > 0 {
			copy(out[at:], noise(seed, n))
			at += n
		}
	}
	return out
}

func runCases(t *testing.T, cases []responderCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, c.run)
	}
}

const qpName = "0xa50002" // the number of the target

var (
	reqErr    = []string{"QP_REQ_ERR " + qpName}
	accessErr = []string{"QP_ACCESS_ERR " + qpName}
	fatalErr  = []string{"QP_FATAL " + qpName}
)

func nak(psn int, syndrome, msn int) string {
	return fmt.Sprintf("ACKNOWLEDGE %#x %#x msn %d", psn, syndrome, msn)
}

// Messages of every shape, as they should be.
func TestResponderGood(t *testing.T) {
	runCases(t, []responderCase{
		{
			name: "SEND_ONLY", receive: []uint64{100},
			packets: []packetSpec{{op: format.OpSendOnly, size: 100, a: 1}},
			replies: []string{nak(100, 0x1F, 1)}, recv: []string{"1 SUCCESS RECV 100"}, placed: []int{100},
		},
		{
			name: "SEND_ONLY of no bytes into a WQE of no bytes", receive: []uint64{0},
			packets: []packetSpec{{op: format.OpSendOnly, a: 1}},
			replies: []string{nak(100, 0x1F, 1)}, recv: []string{"1 SUCCESS RECV 0"},
		},
		{
			name: "without AckReq no ACK", receive: []uint64{100},
			packets: []packetSpec{{op: format.OpSendOnly, size: 1}},
			recv:    []string{"1 SUCCESS RECV 1"}, placed: []int{1},
		},
		{
			name: "SEND of three packets with immediate", receive: []uint64{600},
			packets: []packetSpec{
				{op: format.OpSendFirst, size: 256},
				{op: format.OpSendMiddle, psn: 1, size: 256, a: 1},
				{op: format.OpSendLastImm, psn: 2, size: 88, a: 1, imm: 0x11223344},
			},
			replies: []string{nak(101, 0x1F, 0), nak(102, 0x1F, 1)},
			recv:    []string{"1 SUCCESS RECV 600 imm 11223344"}, placed: []int{256, 256, 88},
		},
		{
			name: "WRITE_ONLY", packets: []packetSpec{{op: format.OpWriteOnly, size: 256, dma: 256, a: 1}},
			replies: []string{nak(100, 0x1F, 1)}, written: []int{256},
		},
		{
			name:    "WRITE_ONLY of no bytes with a key that does not exist", // case 8
			packets: []packetSpec{{op: format.OpWriteOnly, key: 0xFFFFFFFF, va: 1 << 63, a: 1}},
			replies: []string{nak(100, 0x1F, 1)},
		},
		{
			name: "WRITE_ONLY_IMM of no bytes", receive: []uint64{0},
			packets: []packetSpec{{op: format.OpWriteOnlyImm, key: 0xFFFFFFFF, imm: 0xCAFEF00D, a: 1}},
			replies: []string{nak(100, 0x1F, 1)}, recv: []string{"1 SUCCESS RECV_RDMA_WITH_IMM 0 imm cafef00d"},
		},
		{
			name: "WRITE of 600 bytes with immediate", receive: []uint64{8}, // case 11
			packets: []packetSpec{
				{op: format.OpWriteFirst, size: 256, dma: 600},
				{op: format.OpWriteMiddle, psn: 1, size: 256},
				{op: format.OpWriteLastImm, psn: 2, size: 88, a: 1, imm: 1},
			},
			replies: []string{nak(102, 0x1F, 1)},
			recv:    []string{"1 SUCCESS RECV_RDMA_WITH_IMM 600 imm 00000001"}, written: []int{256, 256, 88},
		},
		{
			name: "a WRITE with immediate does not look at the receive WQE's list",
			setup: func(q *target) {
				q.receive(1, format.SGE[uint64]{Addr: 1, Length: 1 << 31, LKey: 0xDEAD})
			},
			packets: []packetSpec{{op: format.OpWriteOnlyImm, size: 4, dma: 4, imm: 2, a: 1}},
			replies: []string{nak(100, 0x1F, 1)},
			recv:    []string{"1 SUCCESS RECV_RDMA_WITH_IMM 4 imm 00000002"}, written: []int{4},
		},
		{
			name: "PSNs and MSN wrap", config: qpConfig{psn: 0xFFFFFE}, // case 1
			packets: []packetSpec{
				{op: format.OpWriteFirst, size: 256, dma: 600},
				{op: format.OpWriteMiddle, psn: 1, size: 256},
				{op: format.OpWriteLast, psn: 2, size: 88, a: 1},
			},
			replies: []string{nak(0, 0x1F, 1)}, written: []int{256, 256, 88},
		},
		{
			name: "reserved bits and congestion bits", receive: []uint64{100}, // case 36
			packets: []packetSpec{{op: format.OpSendOnly, size: 3, a: 1, patch: func(d *format.TxDescriptor[uint64]) {
				d.FECN, d.BECN, d.MigReq, d.TrafficClass = 1, 1, 1, 0xFF
			}}},
			replies: []string{nak(100, 0x1F, 1)}, recv: []string{"1 SUCCESS RECV 3"}, placed: []int{3},
		},
		{
			name: "the first request in RTR is reported, once", config: qpConfig{state: format.QPRTR}, receive: []uint64{9, 9},
			packets: []packetSpec{{op: format.OpSendOnly, a: 1}, {op: format.OpSendOnly, psn: 1, a: 1}},
			replies: []string{nak(100, 0x1F, 1), nak(101, 0x1F, 2)}, recv: []string{"1 SUCCESS RECV 0", "2 SUCCESS RECV 0"},
			events: []string{"COMM_EST " + qpName}, state: format.QPRTR,
		},
	})
}

// Every place of the table of opcode sequences: after each kind of packet, each
// opcode of a request is either taken or refused (protocol section 3.5).
func TestResponderSequence(t *testing.T) {
	before := map[string][]packetSpec{
		"nothing":      nil,
		"SEND_FIRST":   {{op: format.OpSendFirst, size: 256}},
		"SEND_MIDDLE":  {{op: format.OpSendFirst, size: 256}, {op: format.OpSendMiddle, size: 256}},
		"SEND_ONLY":    {{op: format.OpSendOnly, size: 4}},
		"WRITE_FIRST":  {{op: format.OpWriteFirst, size: 256, dma: 500}},
		"WRITE_MIDDLE": {{op: format.OpWriteFirst, size: 256, dma: 700}, {op: format.OpWriteMiddle, size: 256}},
		"WRITE_LAST":   {{op: format.OpWriteFirst, size: 256, dma: 300}, {op: format.OpWriteLast, size: 44}},
	}
	starts := map[format.Opcode]bool{
		format.OpSendFirst: true, format.OpSendOnly: true, format.OpSendOnlyImm: true,
		format.OpWriteFirst: true, format.OpWriteOnly: true, format.OpWriteOnlyImm: true,
	}
	follows := map[string][]format.Opcode{
		"SEND_FIRST":   {format.OpSendMiddle, format.OpSendLast, format.OpSendLastImm},
		"SEND_MIDDLE":  {format.OpSendMiddle, format.OpSendLast, format.OpSendLastImm},
		"WRITE_FIRST":  {format.OpWriteMiddle, format.OpWriteLast, format.OpWriteLastImm},
		"WRITE_MIDDLE": {format.OpWriteMiddle, format.OpWriteLast, format.OpWriteLastImm},
	}
	for name, sent := range before {
		for op := range format.Opcode(0x20) {
			if op >= format.OpReadResponseFirst && op <= format.OpAtomicAck {
				continue // a response
			}
			if op == format.OpWriteMiddle && name[:5] == "WRITE" {
				continue // TestResponderGood has it
			}
			allowed := starts[op]
			if next, open := follows[name]; open {
				allowed = false
				for _, o := range next {
					allowed = allowed || o == op
				}
			}
			t.Run(fmt.Sprintf("%s then %v %#x", name, op, uint8(op)), func(t *testing.T) {
				sequence(t, sent, op, allowed)
			})
		}
	}
}

// sequence sends packets, then one of an opcode, which is allowed or not.
func sequence(t *testing.T, sent []packetSpec, op format.Opcode, allowed bool) {
	q, _ := newTarget(t, qpConfig{})
	for i := range 3 {
		q.receive(uint64(i), q.buf.whole()...)
	}
	left, open := 0, false
	for i, p := range sent {
		p.psn, p.va, p.key = uint64(i), q.va, q.key
		require.Empty(t, q.inject(p))
		left += int(p.dma) - p.size
		open = p.op == format.OpSendFirst || p.op == format.OpSendMiddle
	}
	reply := q.inject(packetSpec{op: op, psn: uint64(len(sent)), size: fitting(op, left), a: 1, va: q.va, key: q.key, dma: dmaLength(op)})
	require.Len(t, reply, 1)
	if allowed {
		require.Contains(t, reply[0], " 0x1f ")
		require.Equal(t, format.QPRTS, q.state())
		return
	}
	require.Contains(t, reply[0], " 0x61 ")
	require.Equal(t, format.QPError, q.state())
	recv := brief(q.s.poll(q.recvCQ))
	require.Contains(t, recv[len(recv)-1], "2 WR_FLUSH_ERR")
	if open {
		require.Contains(t, recv[0], "0 LOC_QP_OP_ERR")
		require.Empty(t, q.s.events())
	} else {
		require.Equal(t, reqErr, q.s.events())
	}
}

// fitting is a length that the opcode allows; left is what a WRITE in progress
// has to come.
func fitting(op format.Opcode, left int) int {
	info, _ := format.Lookup(op)
	switch {
	case info.Payload == format.PayloadFull:
		return 256
	case info.Payload == format.PayloadNone:
		return 0
	case op == format.OpWriteLast || op == format.OpWriteLastImm:
		return min(max(left, 1), 256)
	}
	return 4
}

func dmaLength(op format.Opcode) uint64 {
	if op == format.OpWriteFirst {
		return 1000
	}
	return 4
}

// What an expected packet is refused for, check by check (protocol sections 3.4,
// 3.6 and 3.11; section 9, cases 7, 10, 13, 17, 39, 46).
func TestResponderRefuses(t *testing.T) {
	send := func(op format.Opcode, size int) packetSpec { return packetSpec{op: op, size: size, a: 1} }
	write := func(op format.Opcode, size int, dma uint64) packetSpec {
		return packetSpec{op: op, size: size, dma: dma, a: 1}
	}
	flushed := "2 WR_FLUSH_ERR (none)"
	runCases(t, []responderCase{
		{
			name: "step 1: opcode not there", receive: []uint64{8, 8}, packets: []packetSpec{send(0x1F, 8)},
			replies: []string{nak(100, 0x61, 0)}, recv: []string{"1 WR_FLUSH_ERR (none)", flushed}, events: reqErr, state: format.QPError,
		},
		{
			name: "step 3: the QP does not grant writing", config: qpConfig{access: format.AccessRemoteRead},
			packets: []packetSpec{write(format.OpWriteOnly, 8, 8)}, replies: []string{nak(100, 0x61, 0)}, events: reqErr, state: format.QPError,
		},
		{
			name: "step 3: not even nothing", config: qpConfig{access: format.AccessRemoteRead},
			packets: []packetSpec{write(format.OpWriteOnly, 0, 0)}, replies: []string{nak(100, 0x61, 0)}, events: reqErr, state: format.QPError,
		},
		{
			name: "step 4: no receive WQE for a SEND", config: qpConfig{minRNR: 12}, packets: []packetSpec{send(format.OpSendOnly, 8)},
			replies: []string{nak(100, 0x2C, 0)},
		},
		{
			name: "step 4 comes before 5 for a SEND", packets: []packetSpec{send(format.OpSendFirst, 8)}, replies: []string{nak(100, 0x20, 0)},
		},
		{
			name: "step 5: short FIRST", receive: []uint64{1024, 1024}, packets: []packetSpec{send(format.OpSendFirst, 252)},
			replies: []string{nak(100, 0x61, 0)}, recv: []string{"1 LOC_QP_OP_ERR (wrong packet length)", flushed}, state: format.QPError,
		},
		{
			name: "step 5: short MIDDLE", receive: []uint64{1024, 1024},
			packets: []packetSpec{{op: format.OpSendFirst, size: 256}, {op: format.OpSendMiddle, psn: 1, size: 255}},
			replies: []string{nak(101, 0x61, 0)}, recv: []string{"1 LOC_QP_OP_ERR (wrong packet length)", flushed},
			state: format.QPError, placed: []int{256},
		},
		{
			name: "step 5: empty LAST", receive: []uint64{1024, 1024},
			packets: []packetSpec{{op: format.OpSendFirst, size: 256}, {op: format.OpSendLast, psn: 1}},
			replies: []string{nak(101, 0x61, 0)}, recv: []string{"1 LOC_QP_OP_ERR (wrong packet length)", flushed},
			state: format.QPError, placed: []int{256},
		},
		{
			name: "step 5: ONLY above the MTU", receive: []uint64{1024, 1024}, packets: []packetSpec{send(format.OpSendOnly, 257)},
			replies: []string{nak(100, 0x61, 0)}, recv: []string{"1 LOC_QP_OP_ERR (wrong packet length)", flushed}, state: format.QPError,
		},
		{
			name: "step 5: WRITE_FIRST below the MTU", packets: []packetSpec{write(format.OpWriteFirst, 252, 512)},
			replies: []string{nak(100, 0x61, 0)}, events: reqErr, state: format.QPError,
		},
		{
			name: "step 5: RETH above 2^31", packets: []packetSpec{write(format.OpWriteFirst, 256, 1<<31+1)},
			replies: []string{nak(100, 0x61, 0)}, events: reqErr, state: format.QPError,
		},
		{
			name: "step 7: no such key", packets: []packetSpec{{op: format.OpWriteOnly, key: 0x00FF00FF, size: 4, dma: 4, a: 1}},
			replies: []string{nak(100, 0x62, 0)}, events: accessErr, state: format.QPError,
		},
		{
			name: "step 7: old tag", packets: []packetSpec{{op: format.OpWriteOnly, key: 0x0000015B, size: 4, dma: 4, a: 1}},
			replies: []string{nak(100, 0x62, 0)}, events: accessErr, state: format.QPError,
		},
		{
			name: "step 7: the answer needs no AckReq", packets: []packetSpec{{op: format.OpWriteOnly, key: 0xFFFFFFFF, size: 4, dma: 4}},
			replies: []string{nak(100, 0x62, 0)}, events: accessErr, state: format.QPError,
		},
		{
			name: "step 8: less than the RETH says", packets: []packetSpec{write(format.OpWriteOnly, 8, 12)},
			replies: []string{nak(100, 0x61, 0)}, events: reqErr, state: format.QPError,
		},
		{
			name: "step 8: more than the RETH says", packets: []packetSpec{write(format.OpWriteOnly, 12, 8)},
			replies: []string{nak(100, 0x61, 0)}, events: reqErr, state: format.QPError,
		},
		{
			name: "step 8: FIRST of a message that fits one packet", packets: []packetSpec{write(format.OpWriteFirst, 256, 256)},
			replies: []string{nak(100, 0x61, 0)}, events: reqErr, state: format.QPError,
		},
		{
			name: "step 8: bytes, though the RETH has none", packets: []packetSpec{write(format.OpWriteOnly, 8, 0)},
			replies: []string{nak(100, 0x61, 0)}, events: reqErr, state: format.QPError,
		},
		{
			name: "step 8: LAST too early", packets: []packetSpec{{op: format.OpWriteFirst, size: 256, dma: 600}, {op: format.OpWriteLast, psn: 1, size: 256}},
			replies: []string{nak(101, 0x61, 0)}, events: reqErr, state: format.QPError, written: []int{256},
		},
		{
			name: "step 8: MIDDLE that reaches the end", packets: []packetSpec{{op: format.OpWriteFirst, size: 256, dma: 512}, {op: format.OpWriteMiddle, psn: 1, size: 256}},
			replies: []string{nak(101, 0x61, 0)}, events: reqErr, state: format.QPError, written: []int{256},
		},
		{
			name: "step 8 comes before 4 with immediate", packets: []packetSpec{write(format.OpWriteOnlyImm, 8, 12)},
			replies: []string{nak(100, 0x61, 0)}, events: reqErr, state: format.QPError,
		},
		{
			name: "step 7 comes before 4 with immediate", packets: []packetSpec{{op: format.OpWriteOnlyImm, key: 0xFFFFFFFF, size: 4, dma: 4, a: 1}},
			replies: []string{nak(100, 0x62, 0)}, events: accessErr, state: format.QPError,
		},
		{
			name: "step 7 with a receive WQE", receive: []uint64{8, 8}, packets: []packetSpec{{op: format.OpWriteOnlyImm, key: 0xFFFFFFFF, size: 4, dma: 4, a: 1}},
			replies: []string{nak(100, 0x62, 0)}, recv: []string{"1 LOC_ACCESS_ERR (no such key)", flushed}, state: format.QPError,
		},
		{
			name: "step 4: no receive WQE for an immediate", packets: []packetSpec{write(format.OpWriteOnlyImm, 8, 8)},
			replies: []string{nak(100, 0x20, 0)},
		},
		{
			name: "step 9: SEND longer than the WQE", receive: []uint64{100, 100}, packets: []packetSpec{send(format.OpSendOnly, 101)},
			replies: []string{nak(100, 0x61, 0)}, recv: []string{"1 LOC_LEN_ERR (message longer than the receive WQE)", flushed}, state: format.QPError,
		},
		{
			name: "step 9: in its last packet", receive: []uint64{300, 100},
			packets: []packetSpec{{op: format.OpSendFirst, size: 256}, {op: format.OpSendLast, psn: 1, size: 45, a: 1}},
			replies: []string{nak(101, 0x61, 0)}, recv: []string{"1 LOC_LEN_ERR (message longer than the receive WQE)", flushed},
			state: format.QPError, placed: []int{256},
		},
		{
			name: "step 10: local key unknown", setup: func(q *target) { q.receive(1, format.SGE[uint64]{Addr: q.va, Length: 8, LKey: 0xBAD00}) },
			packets: []packetSpec{send(format.OpSendOnly, 8)}, replies: []string{nak(100, 0x63, 0)},
			recv: []string{"1 LOC_PROT_ERR (no such key)"}, state: format.QPError,
		},
		{
			name: "step 10: too many SGEs", setup: func(q *target) { q.receive(1, q.buf.part(0, 1), q.buf.part(1, 1), q.buf.part(2, 1)); q.rawCount(0, 4) },
			packets: []packetSpec{send(format.OpSendOnly, 1)}, replies: []string{nak(100, 0x63, 0)},
			recv: []string{"1 LOC_QP_OP_ERR (more SGEs or inline bytes than the slot has)"}, state: format.QPError,
		},
		{
			name: "step 10: one SGE too far", setup: func(q *target) { q.receive(1, q.buf.part(bufSize-4, 8)) },
			packets: []packetSpec{send(format.OpSendOnly, 8)}, replies: []string{nak(100, 0x63, 0)},
			recv: []string{"1 LOC_PROT_ERR (outside of the key's range)"}, state: format.QPError,
		},
	})
}

// rawCount overwrites the number of SGEs of receive WQE index.
func (q *target) rawCount(index int, count byte) {
	q.s.write(q.rq+uint64(index)*64<<q.c.logStride+8, []byte{count})
}

// PSNs that are not the expected one (protocol sections 3.3, 3.7, 3.12).
func TestResponderPSN(t *testing.T) {
	runCases(t, []responderCase{
		{
			name: "ahead: one NAK with the expected PSN", receive: []uint64{8},
			packets: []packetSpec{{op: format.OpSendOnly, psn: 3, a: 1}, {op: format.OpSendOnly, psn: 4, a: 1}, {op: format.OpSendOnly, psn: 1 << 22, a: 1}},
			replies: []string{nak(100, 0x60, 0)},
		},
		{
			name: "ahead, expected, ahead: two NAKs", receive: []uint64{8, 8},
			packets: []packetSpec{{op: format.OpSendOnly, psn: 1, a: 1}, {op: format.OpSendOnly, a: 1}, {op: format.OpSendOnly, psn: 2, a: 1}},
			replies: []string{nak(100, 0x60, 0), nak(100, 0x1F, 1), nak(101, 0x60, 1)}, recv: []string{"1 SUCCESS RECV 0"},
		},
		{
			name: "no NAK 0x60 behind an RNR NAK", packets: []packetSpec{{op: format.OpSendOnly, a: 1}, {op: format.OpSendOnly, psn: 1, a: 1}},
			replies: []string{nak(100, 0x20, 0)},
		},
		{
			name: "an RNR NAK again for the same packet again", packets: []packetSpec{{op: format.OpSendOnly, a: 1}, {op: format.OpSendOnly, a: 1}},
			replies: []string{nak(100, 0x20, 0), nak(100, 0x20, 0)},
		},
		{
			name: "2^23 behind is a duplicate", packets: []packetSpec{{op: format.OpSendOnly, psn: 1 << 23, a: 1}},
			replies: []string{nak(99, 0x1F, 0)},
		},
		{
			name: "2^23 - 1 ahead is ahead", packets: []packetSpec{{op: format.OpSendOnly, psn: 1<<23 - 1, a: 1}},
			replies: []string{nak(100, 0x60, 0)},
		},
		{
			name: "duplicates: acknowledged, not executed", receive: []uint64{8, 8},
			packets: []packetSpec{
				{op: format.OpSendOnly, size: 4, a: 1}, {op: format.OpWriteOnly, psn: 1, size: 4, dma: 4, a: 1},
				{op: format.OpSendOnly, size: 8, a: 1}, {op: format.OpWriteOnly, psn: 1, size: 8, dma: 8, key: 0xFFFFFFFF, a: 1},
				{op: format.OpSendOnly, size: 8},
			},
			replies: []string{nak(100, 0x1F, 1), nak(101, 0x1F, 2), nak(101, 0x1F, 2), nak(101, 0x1F, 2)},
			recv:    []string{"1 SUCCESS RECV 4"}, placed: []int{4}, written: []int{-1, 4},
		},
		{
			name: "a duplicate READ or unknown opcode is dropped", packets: []packetSpec{
				{op: format.OpReadRequest, psn: 0xFFFFFF, a: 1}, {op: format.OpFetchAdd, psn: 0xFFFFFF, a: 1}, {op: 0x1F, psn: 0xFFFFFF, a: 1},
			},
		},
		{
			name: "a duplicate leaves a message in progress alone", receive: []uint64{600},
			packets: []packetSpec{
				{op: format.OpSendFirst, size: 256}, {op: format.OpSendFirst, size: 256, a: 1}, {op: format.OpSendLast, psn: 1, size: 44, a: 1},
			},
			replies: []string{nak(100, 0x1F, 0), nak(101, 0x1F, 1)},
			recv:    []string{"1 SUCCESS RECV 300"}, placed: []int{256, -1, 44},
		},
		{
			name: "RNR at LAST_IMM: what came before stays", receive: nil,
			packets: []packetSpec{{op: format.OpWriteFirst, size: 256, dma: 300}, {op: format.OpWriteLastImm, psn: 1, size: 44, a: 1}},
			replies: []string{nak(101, 0x20, 0)}, written: []int{256},
		},
	})
}

// After an RNR NAK the retried packet goes through once a WQE is there.
func TestResponderAfterRNR(t *testing.T) {
	q, open := newTarget(t, qpConfig{})
	first := packetSpec{op: format.OpWriteFirst, size: 256, dma: 300, va: q.va, key: q.key, seed: 1}
	last := packetSpec{op: format.OpWriteLastImm, psn: 1, size: 44, a: 1, seed: 2, imm: 7}
	require.Equal(t, []string{nak(101, 0x20, 0)}, q.inject(first, last))
	q.receive(3)
	require.Equal(t, []string{nak(101, 0x1F, 1)}, q.inject(last))
	require.Equal(t, []string{"3 SUCCESS RECV_RDMA_WITH_IMM 300 imm 00000007"}, brief(q.s.poll(q.recvCQ)))
	require.Equal(t, append(noise(1, 256), noise(2, 44)...), q.s.bytes(open)[:300])
}

// Packets that never reach the transport of a queue pair: nothing happens but a
// counter (protocol section 2).
func TestResponderSilence(t *testing.T) {
	type patch = func(*format.TxDescriptor[uint64])
	for _, c := range []struct {
		name    string
		state   format.QPState
		patch   patch
		counter format.Counter
	}{
		{"no such QP", 0, func(d *format.TxDescriptor[uint64]) { d.DestQP = 0x77 }, format.CntRxBadQP},
		{"an old tag", 0, func(d *format.TxDescriptor[uint64]) { d.DestQP ^= 1 << 20 }, format.CntRxBadQP},
		{"another sender", 0, func(d *format.TxDescriptor[uint64]) { d.SrcLo++ }, format.CntRxBadQP},
		{"another destination", 0, func(d *format.TxDescriptor[uint64]) { d.DstLo++ }, format.CntRxBadQP},
		{"IPv6 for a QP of IPv4", 0, func(d *format.TxDescriptor[uint64]) { d.IPv6 = 1 }, format.CntRxBadQP},
		{"QP in INIT", format.QPInit, nil, format.CntRxBadQP},
		{"partition", 0, func(d *format.TxDescriptor[uint64]) { d.PKey = 1 }, format.CntRxRefused},
		{"UC", 0, func(d *format.TxDescriptor[uint64]) { d.Opcode = 0x24 }, format.CntRxRefused},
	} {
		t.Run(c.name, func(t *testing.T) {
			q, _ := newTarget(t, qpConfig{state: c.state})
			q.receive(1, q.buf.whole()...)
			require.Empty(t, q.inject(packetSpec{op: format.OpSendOnly, size: 4, a: 1, patch: c.patch}))
			require.Equal(t, uint32(1), q.s.nic.Counter(c.counter))
			require.Empty(t, q.s.poll(q.recvCQ))
			require.Empty(t, q.s.events())
			if c.state == 0 {
				require.Equal(t, uint64(startPSN), q.query().ExpPSN)
			}
		})
	}
}

// A frame with a wrong ICRC, a CNP and a frame for the host leave the transport
// alone.
func TestResponderOtherFrames(t *testing.T) {
	q, _ := newTarget(t, qpConfig{})
	q.receive(1, q.buf.whole()...)
	bad := q.frame(packetSpec{op: format.OpSendOnly, size: 4, a: 1})
	bad[len(bad)-6] ^= 1
	q.s.nic.Receive(bad)
	require.Equal(t, uint32(1), q.s.nic.Counter(format.CntRxRefused))
	require.Empty(t, q.inject(packetSpec{op: format.OpCNP, size: 16, a: 1}))
	arp := append(append([]byte(nil), bad[:12]...), 8, 6, 1, 2, 3)
	q.s.nic.Receive(arp)
	raw, ok := q.s.nic.Raw()
	require.True(t, ok)
	require.Equal(t, arp, raw)
	_, ok = q.s.nic.Raw()
	require.False(t, ok)
	require.Equal(t, uint32(1), q.s.nic.Counter(format.CntRxPassed))
	require.Equal(t, uint64(startPSN), q.query().ExpPSN)
	require.Empty(t, q.s.poll(q.recvCQ))
}

// A key that dies between two packets of a message ends the message.
func TestResponderKeyDies(t *testing.T) {
	q, open := newTarget(t, qpConfig{})
	before := q.s.bytes(open)
	require.Empty(t, q.inject(packetSpec{op: format.OpWriteFirst, size: 256, dma: 300, va: q.va, key: q.key, seed: 1}))
	q.s.must(format.CmdInvalidate, format.KeyRef[uint64]{Key: uint64(q.key)})
	require.Equal(t, []string{nak(101, 0x62, 0)}, q.inject(packetSpec{op: format.OpWriteLast, psn: 1, size: 44, a: 1}))
	require.Equal(t, []string{"QP_ACCESS_ERR " + qpName}, q.s.events())
	require.Equal(t, append(noise(1, 256), before[256:]...), q.s.bytes(open))
}

// After its end a QP answers nothing.
func TestResponderSilentInError(t *testing.T) {
	q, _ := newTarget(t, qpConfig{})
	bad := packetSpec{op: format.OpWriteOnly, size: 4, dma: 4, key: 0xFFFFFFFF, a: 1}
	require.Len(t, q.inject(bad), 1)
	require.Empty(t, q.inject(bad, packetSpec{op: format.OpSendOnly, psn: 5, a: 1}))
	require.Equal(t, uint32(2), q.s.nic.Counter(format.CntRxBadQP))
	require.Equal(t, uint32(1), q.s.nic.Counter(format.CntTxNAKs))
}

// What a key must grant, at both ends of its range and of the address space
// (protocol section 6).
func TestResponderKeys(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*format.KeyEntry[uint64])
		va     func(format.KeyEntry[uint64]) uint64
		size   int
		ok     bool
	}{
		{name: "all of it", size: 256, ok: true},
		{name: "its last byte", va: func(e format.KeyEntry[uint64]) uint64 { return e.VA + e.Length - 1 }, size: 1, ok: true},
		{name: "a byte before", va: func(e format.KeyEntry[uint64]) uint64 { return e.VA - 1 }, size: 2},
		{name: "a byte behind", va: func(e format.KeyEntry[uint64]) uint64 { return e.VA + e.Length - 1 }, size: 2},
		{name: "all of it and one", va: nil, size: 0},
		{name: "the end of the address space", change: top, va: func(format.KeyEntry[uint64]) uint64 { return math.MaxUint64 - 255 }, size: 256, ok: true},
		{name: "around the address space", change: top, va: func(format.KeyEntry[uint64]) uint64 { return math.MaxUint64 - 254 }, size: 256},
		{name: "another domain", change: func(e *format.KeyEntry[uint64]) { e.PD++ }, size: 4},
		{name: "reading alone", change: func(e *format.KeyEntry[uint64]) { e.Rights = format.AccessLocalWrite | format.AccessRemoteRead }, size: 4},
		{name: "local rights alone", change: func(e *format.KeyEntry[uint64]) { e.Rights = format.AccessLocalWrite }, size: 4},
		{name: "a key that is free", change: func(e *format.KeyEntry[uint64]) { e.State, e.Type = format.KeyFree, format.KeyFastRegion }, size: 4},
		{name: "a fast region", change: func(e *format.KeyEntry[uint64]) { e.Type = format.KeyFastRegion }, size: 4, ok: true},
		{name: "a window of another QP", change: func(e *format.KeyEntry[uint64]) { e.Type, e.QPN = format.KeyWindow2, 5 }, size: 4},
		{name: "a window of this QP", change: func(e *format.KeyEntry[uint64]) { e.Type, e.QPN = format.KeyWindow2, 0xA50002 }, size: 4, ok: true},
		{name: "a window of the domain", change: func(e *format.KeyEntry[uint64]) { e.Type = format.KeyWindow1 }, size: 4, ok: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			q, _ := newTarget(t, qpConfig{})
			e := q.s.entry(256, format.AccessLocalWrite|format.AccessRemoteWrite)
			if c.change != nil {
				c.change(&e)
			}
			q.s.must(format.CmdWriteKey, e)
			va, dma := e.VA, uint64(c.size)
			if c.va != nil {
				va = c.va(e)
			}
			p := packetSpec{op: format.OpWriteOnly, size: c.size, dma: dma, va: va, key: uint32(e.Key), a: 1}
			if c.size == 0 { // 257 bytes of 256, told in the first packet
				p.op, p.size, p.dma = format.OpWriteFirst, 256, 257
			}
			want := nak(100, 0x62, 0)
			if c.ok {
				want = nak(100, 0x1F, 1)
			}
			require.Equal(t, []string{want}, q.inject(p))
			require.NoError(t, q.s.mem.CheckGuards())
		})
	}
}

// top moves a key to the end of the virtual address space.
func top(e *format.KeyEntry[uint64]) { e.VA = -e.Length }

// The MSN wraps (case 47).
func TestResponderMSN(t *testing.T) {
	q, _ := newTarget(t, qpConfig{})
	q.s.nic.PresetMSN(q.number, 0xFFFFFE)
	for i, msn := range []int{0xFFFFFF, 0, 1} {
		reply := q.inject(packetSpec{op: format.OpWriteOnly, psn: uint64(i), a: 1})
		require.Equal(t, []string{nak(100+i, 0x1F, msn)}, reply)
	}
}
