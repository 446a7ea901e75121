package golden

import (
	"encoding/binary"

	"gornic/format"
)

// data takes a response of a READ or atomic (protocol section 4.4). It acknowledges
// all that is before its request.
func (n *NIC) data(q *queuePair, p packet) {
	r := &q.req
	w := r.at(p.psn())
	if !n.settle(q, w.due(r.oldest)) {
		return
	}
	status, vendor := format.StatusSuccess, format.VendorNone
	switch {
	case w.form.answered() && p.psn() != r.oldest: // one before it is missing
		n.lost(q)
		return
	case !p.answers(w), !p.placeFits(w):
		status, vendor = format.StatusBadResp, format.VendorResponse
	default:
		status, vendor = n.takeData(q, w, p)
	}
	if status != format.StatusSuccess {
		n.endSend(q, outcome{wrid: w.WRID, status: status, vendor: vendor})
		return
	}
	n.acknowledged(q, psnAdd(p.psn(), 1))
}

// answers tells whether a response is of the kind of a request, and no NAK.
func (p packet) answers(w *request) bool {
	want := readRequest
	if p.opcode == format.OpAtomicAck {
		want = atomicRequest
	}
	h, ok := format.ExtHeaderOf[format.AETH[uint64]](p.Ext, p.opcode, format.ExtAETH)
	return w.form.kind == want && (!ok || h.Syndrome < format.SyndromeRNR)
}

// placeFits: the last response ends the message, and no other does. A READ that was
// asked for again may begin anew or go on (protocol section 10, row 11).
func (p packet) placeFits(w *request) bool { return p.info.End == (p.psn() == w.last) }

// takeData writes what a response brings, into the buffer of its request.
func (n *NIC) takeData(q *queuePair, w *request, p packet) (format.Status, format.VendorCode) {
	offset := uint64(psnDiff(p.psn(), w.first)) * q.mtu()
	b, want := p.payload, min(q.mtu(), w.length()-offset)
	if w.form.kind == atomicRequest {
		h, _ := format.ExtHeaderOf[format.AtomicAckETH[uint64]](p.Ext, p.opcode, format.ExtAtomicAckETH)
		b, want = binary.LittleEndian.AppendUint64(nil, h.Original), 0
	}
	if p.PayloadLen != want || p.PadCnt != -p.PayloadLen&3 {
		return format.StatusLocLen, format.VendorLength
	}
	if vendor := n.scatter(q, w.list, offset, b); vendor != format.VendorNone {
		return format.StatusLocProt, vendor
	}
	return format.StatusSuccess, format.VendorNone
}
