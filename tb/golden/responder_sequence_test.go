package golden_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
)

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
		format.OpReadRequest: true, format.OpCmpSwap: true, format.OpFetchAdd: true, format.OpSendOnlyInv: true,
	}
	follows := map[string][]format.Opcode{
		"SEND_FIRST":   {format.OpSendMiddle, format.OpSendLast, format.OpSendLastImm, format.OpSendLastInv},
		"SEND_MIDDLE":  {format.OpSendMiddle, format.OpSendLast, format.OpSendLastImm, format.OpSendLastInv},
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
	fast := q.s.fast(8, 0)
	reply := q.inject(packetSpec{
		op: op, psn: uint64(len(sent)), size: fitting(op, left), a: 1, va: (q.va + 7) &^ 7, key: q.key, dma: dmaLength(op), inv: fast.key,
	})
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
