package golden

import "gornic/format"

const (
	sendControlBytes = format.ControlGranules * format.GranuleBytes
	recvControlBytes = format.GranuleBytes

	atomicOperandBytes = format.GranuleBytes
)

// sendWQE is a send WQE as software wrote it: a list of pieces, or data.
type sendWQE struct {
	format.SendControl[uint64]
	body   []byte // behind the control part
	list   sgList
	inline []byte
}

// readSendWQE reads and judges WQE index of the send queue. The status is
// StatusSuccess if it makes sense; what could be read of it comes back anyway.
func (n *NIC) readSendWQE(q *queuePair, index uint16) (sendWQE, format.Status, format.VendorCode) {
	b := make([]byte, q.sq.slotBytes())
	if !n.read(q.sq.slot(index), b) {
		return sendWQE{}, format.StatusLocQPOp, format.VendorWQERead
	}
	w := sendWQE{SendControl: decodeHost[format.SendControl[uint64]](b), body: b[sendControlBytes:]}
	form, known := n.requestOf(w.Opcode)
	if !known {
		return w, format.StatusLocQPOp, format.VendorBadOpcode
	}
	if !w.locateData(form, int(q.sq.logStride)) {
		return w, format.StatusLocQPOp, format.VendorBadSGECount
	}
	switch {
	case packets(w.length(), q.mtu()) >= maxWindow || w.length() > format.MessageMax: // protocol section 10, row 25
		return w, format.StatusLocLen, format.VendorTooLong
	case form.kind == atomicRequest && w.length() != atomicBytes:
		return w, format.StatusLocLen, format.VendorLength
	case form.answered() && q.attr.MaxRD == 0: // protocol section 4.7
		return w, format.StatusLocQPOp, format.VendorResources
	}
	return w, format.StatusSuccess, format.VendorNone
}

// locateData finds the list or the inline data of a WQE, false if it has not what
// its operation takes.
func (w *sendWQE) locateData(form requestForm, stride int) bool {
	inline := w.Flags&format.WRFlagInline != 0
	switch {
	case form.kind == localRequest: // it has operands
		return true
	case inline && form.answered():
		return false
	case form.kind == atomicRequest:
		if w.NumSGE != 1 {
			return false
		}
		w.list = decodeList(w.body[atomicOperandBytes:], 1)
		return true
	case inline && w.InlineLen <= uint64(format.InlineMax(stride)):
		w.inline = w.body[:w.InlineLen]
		return true
	case !inline && w.NumSGE <= uint64(format.SendSGEs(stride)):
		w.list = decodeList(w.body, w.NumSGE)
		return true
	}
	return false
}

// atomic are the operands of an atomic.
func (w sendWQE) atomic() format.AtomicOperands[uint64] {
	return decodeHost[format.AtomicOperands[uint64]](w.body)
}

// length is the bytes of the message.
func (w sendWQE) length() uint64 {
	if w.inline != nil {
		return uint64(len(w.inline))
	}
	return w.list.total()
}

// packets is how many packets a message of so many bytes takes: one at least.
func packets(length, mtu uint64) uint64 { return max(1, (length+mtu-1)/mtu) }

// recvWQE is a receive WQE.
type recvWQE struct {
	format.RecvControl[uint64]
	list sgList
}

// readRecvWQE is readSendWQE for the receive queue.
func (n *NIC) readRecvWQE(q *queuePair, index uint16) (recvWQE, format.VendorCode) {
	b := make([]byte, q.rq.slotBytes())
	if !n.read(q.rq.slot(index), b) {
		return recvWQE{}, format.VendorWQERead
	}
	w := recvWQE{RecvControl: decodeHost[format.RecvControl[uint64]](b)}
	if w.NumSGE > uint64(format.RecvSGEs(int(q.rq.logStride))) {
		return w, format.VendorBadSGECount
	}
	w.list = decodeList(b[recvControlBytes:], w.NumSGE)
	return w, format.VendorNone
}

func decodeList(b []byte, count uint64) sgList {
	list := make(sgList, count)
	for i := range list {
		list[i] = decodeHost[sge](b[i*format.GranuleBytes:])
	}
	return list
}
