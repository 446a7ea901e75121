package golden_test

import (
	"testing"

	"gornic/format"
)

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
