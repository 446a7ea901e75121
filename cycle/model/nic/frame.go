package nic

import (
	"gornic/cycle/model/link"
	"gornic/format"
)

// Bytes of headers.
const (
	ethernetBytes = 14
	ipv4Bytes     = 20
	ipv6Bytes     = 40
	udpBytes      = 8
	bthBytes      = 12
	icrcBytes     = 4
	cnpBytes      = 16
)

// size fills in how long a frame is.
func (n *NIC) size(f *link.Frame) {
	ip := int32(ipv4Bytes)
	if n.qps[f.QP].IP == 6 {
		ip = ipv6Bytes
	}
	payload := (f.Length + 3) &^ 3
	if f.Op == format.OpCNP {
		payload = cnpBytes
	}
	f.Bytes = ethernetBytes + ip + udpBytes + bthBytes + extension(f.Op) + payload + icrcBytes
	f.Beats = (f.Bytes + n.beatBytes() - 1) / n.beatBytes()
}

// extension is the bytes of the extension headers of an opcode (protocol section 1.5).
func extension(op format.Opcode) int32 {
	const reth, aeth, atomicETH, atomicAckETH, immediate, ieth = 16, 4, 28, 8, 4, 4
	switch op {
	case format.OpWriteFirst, format.OpWriteOnly, format.OpReadRequest:
		return reth
	case format.OpWriteOnlyImm:
		return reth + immediate
	case format.OpWriteLastImm, format.OpSendLastImm, format.OpSendOnlyImm:
		return immediate
	case format.OpSendLastInv, format.OpSendOnlyInv:
		return ieth
	case format.OpCmpSwap, format.OpFetchAdd:
		return atomicETH
	case format.OpAcknowledge, format.OpReadResponseFirst, format.OpReadResponseLast, format.OpReadResponseOnly:
		return aeth
	case format.OpAtomicAck:
		return aeth + atomicAckETH
	}
	return 0
}

// requestFrame is the next packet of a SEND or WRITE.
func (n *NIC) requestFrame(i int32, q *qp, w *link.WQE) (link.Frame, entry) {
	length := min(q.MTU, q.total-q.offset)
	last := q.offset+length == q.total
	f := link.Frame{
		QP: i, From: int8(n.p.Node), Op: requestOpcode(w.Op, q.offset == 0, last), PSN: q.psn, LastPSN: q.psn, Length: length,
		WQE: q.sendHeads.head, Offset: q.offset, Total: q.total, Remote: w.Remote, ECT: q.ECT,
	}
	n.size(&f)
	return f, entry{psn: q.psn, last: q.psn, wqe: f.WQE, offset: q.offset, length: length, total: q.total, op: f.Op, ends: last}
}

// readFrame is the packet of a READ or atomic.
func (n *NIC) readFrame(i int32, q *qp, w *link.WQE) (link.Frame, entry) {
	op := format.OpReadRequest
	switch w.Op {
	case format.WRCompSwap:
		op = format.OpCmpSwap
	case format.WRFetchAdd:
		op = format.OpFetchAdd
	}
	f := link.Frame{
		QP: i, From: int8(n.p.Node), Op: op, PSN: q.psn, LastPSN: lastOfRead(q, w), WQE: q.sendHeads.head, Total: w.Length,
		Remote: w.Remote, ECT: q.ECT,
	}
	n.size(&f)
	return f, entry{psn: f.PSN, last: f.LastPSN, wqe: f.WQE, total: w.Length, op: op, ends: true, response: true}
}

// requestOpcode is the opcode of a packet of a SEND or WRITE.
func requestOpcode(op format.WROpcode, first, last bool) format.Opcode {
	send := op != format.WRWrite && op != format.WRWriteImm
	switch {
	case !last && send:
		return either(first, format.OpSendFirst, format.OpSendMiddle)
	case !last:
		return either(first, format.OpWriteFirst, format.OpWriteMiddle)
	}
	switch op {
	case format.WRWrite:
		return either(first, format.OpWriteOnly, format.OpWriteLast)
	case format.WRWriteImm:
		return either(first, format.OpWriteOnlyImm, format.OpWriteLastImm)
	case format.WRSendImm:
		return either(first, format.OpSendOnlyImm, format.OpSendLastImm)
	case format.WRSendInv:
		return either(first, format.OpSendOnlyInv, format.OpSendLastInv)
	}
	return either(first, format.OpSendOnly, format.OpSendLast)
}

func either(c bool, a, b format.Opcode) format.Opcode {
	if c {
		return a
	}
	return b
}

// isSend tells whether a packet is one of a SEND.
func isSend(op format.Opcode) bool {
	return op <= format.OpSendOnlyImm || op == format.OpSendLastInv || op == format.OpSendOnlyInv
}

// takesRecv tells whether the packet completes a receive WQE.
func takesRecv(op format.Opcode) bool {
	switch op {
	case format.OpSendLast, format.OpSendLastImm, format.OpSendOnly, format.OpSendOnlyImm, format.OpSendLastInv, format.OpSendOnlyInv,
		format.OpWriteLastImm, format.OpWriteOnlyImm:
		return true
	}
	return false
}

// begins tells whether a SEND packet is the first of its message.
func begins(op format.Opcode) bool {
	switch op {
	case format.OpSendFirst, format.OpSendOnly, format.OpSendOnlyImm, format.OpSendOnlyInv:
		return true
	}
	return false
}

// ends tells whether a request packet is the last of its message.
func ends(op format.Opcode) bool {
	switch op {
	case format.OpSendFirst, format.OpSendMiddle, format.OpWriteFirst, format.OpWriteMiddle:
		return false
	}
	return true
}
