package golden

import "gornic/format"

// outcome is what a completion says of a WQE.
type outcome struct {
	wrid    uint64
	status  format.Status
	vendor  format.VendorCode
	opcode  format.WCOpcode
	byteLen uint64
	imm     uint64 // its bytes in the order of the wire
	flags   uint64
}

// cqe is the completion of WQE index of a queue of q.
func (o outcome) cqe(q *queuePair, index uint16) format.CQE[uint64] {
	return format.CQE[uint64]{
		WRID: o.wrid, ByteLen: o.byteLen, Imm: o.imm, QPN: uint64(q.number), Status: uint64(o.status),
		WQEIndex: uint64(index), Opcode: uint64(o.opcode), Flags: o.flags, Vendor: uint64(o.vendor),
	}
}

// completeSend reports the oldest send WQE as done.
func (n *NIC) completeSend(q *queuePair, o outcome) {
	n.countError(o.status, format.CntReqCQEErrors, format.CntReqCQEFlushes)
	cqe := o.cqe(q, q.sq.consumer)
	q.sq.consumer++
	n.complete(q, q.sendCQ, cqe, false)
}

// completeRecv reports the oldest receive WQE as done.
func (n *NIC) completeRecv(q *queuePair, o outcome, solicited bool) {
	n.countError(o.status, format.CntRespCQEErrors, format.CntRespCQEFlushes)
	if o.status == format.StatusLocLen {
		n.count(format.CntRespLength)
	}
	cqe := o.cqe(q, q.rq.consumer)
	cqe.Queue = 1
	q.rq.consumer++
	n.complete(q, q.recvCQ, cqe, solicited)
}

// countError counts a completion that is none of success.
func (n *NIC) countError(s format.Status, errors, flushes format.Counter) {
	switch s {
	case format.StatusSuccess:
	case format.StatusFlush:
		n.count(flushes)
	default:
		n.count(errors)
	}
}
