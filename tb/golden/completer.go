package golden

import "gornic/format"

// response takes an answer to a request (protocol sections 4.3 and 4.4).
func (n *NIC) response(q *queuePair, p packet) {
	r := &q.req
	if r.unacknowledged() == 0 || psnDiff(p.psn(), r.next) >= 0 || psnDiff(p.psn(), r.oldest) < 0 {
		n.count(format.CntRxIgnored)
		return
	}
	if p.opcode != format.OpAcknowledge {
		n.endSend(q, outcome{wrid: r.started[0].WRID, status: format.StatusBadResp})
		return
	}
	h, _ := format.ExtHeaderOf[format.AETH[uint64]](p.Ext, p.opcode, format.ExtAETH)
	switch code := h.Syndrome & 0x1F; {
	case h.Syndrome < format.SyndromeRNR:
		n.acknowledged(q, psnAdd(p.psn(), 1))
		r.rnrRetries = q.attr.RNRRetry
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

// acknowledged: the peer has everything before PSN end. Requests complete in
// order, by PSN alone.
func (n *NIC) acknowledged(q *queuePair, end uint32) {
	r := &q.req
	if end == r.oldest {
		return
	}
	r.oldest, r.progress, r.retries = end, n.now, q.attr.RetryCnt
	if psnDiff(r.cursor, end) < 0 {
		r.cursor = end
	}
	for len(r.started) > 0 && psnDiff(r.started[0].last, end) < 0 {
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
	n.completeSend(q, outcome{wrid: w.WRID, opcode: w.form.completion})
}

// endSend completes the oldest request with an error and moves the QP to ERR.
func (n *NIC) endSend(q *queuePair, o outcome) {
	n.completeSend(q, o)
	if q.state != format.QPError {
		q.fail()
	}
}

// peerRefused ends the request of a fatal NAK; those before it are done.
func (n *NIC) peerRefused(q *queuePair, psn uint32, syndrome uint64) {
	n.acknowledged(q, psn)
	if q.state == format.QPError {
		return
	}
	status := map[uint64]format.Status{
		format.SyndromeNAKInv:    format.StatusRemInvReq,
		format.SyndromeNAKAccess: format.StatusRemAccess,
		format.SyndromeNAKOp:     format.StatusRemOp,
	}[syndrome]
	n.endSend(q, outcome{wrid: q.req.started[0].WRID, status: status, vendor: format.VendorNAK})
}
