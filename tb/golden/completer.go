package golden

import "gornic/format"

// response takes an answer to a request (protocol sections 4.3 and 4.4).
func (n *NIC) response(q *queuePair, p packet) {
	r := &q.req
	switch psn := p.psn(); {
	case r.unacknowledged() == 0, psnDiff(psn, r.next) >= 0, psnDiff(psn, r.oldest) < 0 && !r.refusesRead(p):
		n.count(format.CntRxIgnored)
	case p.opcode == format.OpAcknowledge:
		n.acknowledgement(q, p)
	default:
		n.data(q, p)
	}
}

// refusesRead tells that a packet of the past is a fatal NAK for the READ whose data is coming, at the PSN of some that has come: it
// may have any of its PSNs (protocol section 10, row 12).
func (r *requester) refusesRead(p packet) bool {
	h, _ := format.ExtHeaderOf[format.AETH[uint64]](p.Ext, p.opcode, format.ExtAETH)
	fatal := p.opcode == format.OpAcknowledge && h.Syndrome > format.SyndromeNAK && h.Syndrome <= format.SyndromeNAKOp
	w := r.at(p.psn())
	return fatal && w != nil && w == r.started[0] && w.form.kind == readRequest
}

// acknowledgement takes an ACK or NAK by its syndrome (protocol section 1.6).
func (n *NIC) acknowledgement(q *queuePair, p packet) {
	h, _ := format.ExtHeaderOf[format.AETH[uint64]](p.Ext, p.opcode, format.ExtAETH)
	switch code := h.Syndrome & 0x1F; {
	case h.Syndrome < format.SyndromeRNR:
		n.settle(q, psnAdd(p.psn(), 1))
	case h.Syndrome&^0x1F == format.SyndromeRNR:
		n.peerNotReady(q, p.psn(), code)
	case h.Syndrome == format.SyndromeNAK:
		n.peerMissed(q, p.psn())
	case h.Syndrome > format.SyndromeNAK && h.Syndrome <= format.SyndromeNAKOp:
		n.peerRefused(q, p.psn(), h.Syndrome)
	default: // reserved (protocol section 10, row 8)
		n.count(format.CntRxIgnored)
	}
}

// settle takes it that the peer has everything before PSN end. A READ or atomic among
// that, which was not answered, has lost its response: it is asked for again, and
// then the answer is false. So it is if the QP is at its end.
func (n *NIC) settle(q *queuePair, end uint32) bool {
	r := &q.req
	lost := false
	for _, w := range r.started {
		if due := w.due(r.oldest); w.form.answered() && psnDiff(end, due) > 0 {
			end, lost = due, true
			break
		}
	}
	n.acknowledged(q, end)
	if q.state == format.QPError {
		return false
	}
	if lost {
		n.lost(q)
	}
	return !lost
}

// acknowledged: everything before PSN end is done. Requests complete in order, by
// PSN alone.
func (n *NIC) acknowledged(q *queuePair, end uint32) {
	r := &q.req
	if psnDiff(end, r.oldest) <= 0 {
		return
	}
	r.oldest = end
	r.retry.progress(n.now)
	if psnDiff(r.cursor, end) < 0 {
		r.cursor = end
	}
	for _, w := range r.started {
		if w.trouble != nil && psnDiff(end, w.troubleAt) > 0 { // the peer had the packet before it could not be sent again
			w.trouble = nil
		}
	}
	n.retire(q)
}

// lost is an implied NAK: a READ or atomic has lost a response.
func (n *NIC) lost(q *queuePair) {
	n.count(format.CntImpliedNAKs)
	n.somethingMissing(q)
}

// retire completes the oldest requests, as far as they are done: all of their
// PSNs are, and what has none never waits.
func (n *NIC) retire(q *queuePair) {
	r := &q.req
	for len(r.started) > 0 && r.started[0].trouble == nil && psnDiff(r.started[0].last, r.oldest) < 0 {
		w := r.started[0]
		r.started = r.started[1:]
		n.succeed(q, w)
	}
}

// succeed completes the oldest request; it has a CQE if somebody wants one.
func (n *NIC) succeed(q *queuePair, w *request) {
	if !q.sigAll && w.Flags&format.WRFlagSignaled == 0 {
		q.sq.consumer++
		return
	}
	o := outcome{wrid: w.WRID, opcode: w.form.completion}
	if w.form.answered() {
		o.byteLen = w.length()
	}
	n.completeSend(q, o)
}

// endSend completes the oldest request with an error and moves the QP to ERR.
func (n *NIC) endSend(q *queuePair, o outcome) {
	n.completeSend(q, o)
	if q.state != format.QPError {
		q.fail()
	}
}

// peerRefused ends the request of a fatal NAK; those before it are done. The NAK of
// a READ may have the PSN of any of its responses (protocol section 10, row 12).
func (n *NIC) peerRefused(q *queuePair, psn uint32, syndrome uint64) {
	w := q.req.at(psn)
	if !n.settle(q, w.due(q.req.oldest)) {
		return
	}
	verdict := map[uint64]struct {
		status  format.Status
		counter format.Counter
	}{
		format.SyndromeNAKInv:    {format.StatusRemInvReq, format.CntReqInvalid},
		format.SyndromeNAKAccess: {format.StatusRemAccess, format.CntReqAccess},
		format.SyndromeNAKOp:     {format.StatusRemOp, format.CntReqOperation},
	}[syndrome]
	n.count(verdict.counter)
	n.endSend(q, outcome{wrid: w.WRID, status: verdict.status, vendor: format.VendorNAK})
}
