package golden

import "gornic/format"

// responder is the half of a queue pair that takes requests (protocol section 3.1).
type responder struct {
	expected uint32 // ePSN
	msn      uint32
	nakSent  bool // since the last packet with the expected PSN
	commEst  bool // the first request was reported

	open      messageKind // a message is in the middle of its packets
	holdsWQE  bool        // a receive WQE is taken
	wqe       recvWQE
	wqeVendor format.VendorCode // what is wrong with it
	received  uint64            // bytes of the SEND so far
	write     writeProgress

	resources []*resource // READs and atomics, oldest first: those to be answered, and as many as can come again
	next      int         // index of the first that is not answered whole
	owed      *reply      // behind their responses
}

// stop ends a message in progress.
func (r *responder) stop() { r.open, r.holdsWQE = noMessage, false }

// requested takes a request packet by its PSN (protocol section 3.3).
func (n *NIC) requested(q *queuePair, p packet) {
	r := &q.resp
	switch d := psnDiff(p.psn(), r.expected); {
	case d < 0:
		n.count(format.CntRxDuplicate)
		n.duplicate(q, p)
	case d == 0:
		r.nakSent = false
		n.expected(q, p)
	default:
		n.count(format.CntRxAhead)
		if !r.nakSent {
			r.nakSent = true
			n.acknowledge(q, r.expected, format.SyndromeNAK)
		}
	}
}

// duplicate answers a request that came before (protocol section 3.7; section 10,
// rows 5 and 6). Nothing is executed. A NAK that waits says all that an ACK would.
func (n *NIC) duplicate(q *queuePair, p packet) {
	op := n.operationOf(p.opcode)
	switch {
	case op == nil:
	case op.repeat != nil:
		op.repeat(n, q, p)
	case p.AckReq != 0 && !(q.resp.owed != nil && q.resp.owed.isNAK()):
		n.acknowledge(q, psnAdd(q.resp.expected, psnMask), format.SyndromeNoCredits)
	}
}

// expected executes the packet with the expected PSN, or refuses it.
func (n *NIC) expected(q *queuePair, p packet) {
	if refused := n.execute(q, p); refused != nil {
		n.refuse(q, p, refused)
		return
	}
	r := &q.resp
	r.expected = psnAdd(r.expected, p.span(q.mtu()))
	if p.info.End {
		r.msn = psnAdd(r.msn, 1)
	}
	if r.owed != nil && r.owed.isNAK() {
		r.owed = nil // of this packet, when it came before
	}
	if p.AckReq != 0 && n.operationOf(p.opcode).repeat == nil && q.state != format.QPError {
		n.acknowledge(q, p.psn(), format.SyndromeNoCredits)
	}
}

func (n *NIC) execute(q *queuePair, p packet) *refusal {
	r := &q.resp
	op := n.operationOf(p.opcode)
	switch {
	case op == nil:
		return invalid(format.StatusLocQPOp, format.VendorBadOpcode)
	case !r.inSequence(op.kind, p.info.Start):
		return invalid(format.StatusLocQPOp, format.VendorSequence)
	}
	n.establish(q)
	if refused := op.respond(n, q, p); refused != nil {
		return refused
	}
	if p.info.End {
		r.open = noMessage
	} else {
		r.open = op.kind
	}
	return nil
}

// inSequence is the table of protocol section 3.5.
func (r *responder) inSequence(kind messageKind, start bool) bool {
	if start {
		return r.open == noMessage
	}
	return r.open == kind
}

// establish reports the first request of a QP that is not yet in RTS.
func (n *NIC) establish(q *queuePair) {
	if q.state == format.QPRTR && !q.resp.commEst {
		q.resp.commEst = true
		n.raiseQP(q, format.EventCommEst, format.VendorNone)
	}
}

// openWQE takes the receive WQE at the head of the queue. A malformed one is
// judged later, in its place among the checks; one that cannot be read is not.
func (n *NIC) openWQE(q *queuePair) *refusal {
	r := &q.resp
	r.wqe, r.wqeVendor = n.readRecvWQE(q, q.rq.take())
	r.holdsWQE, r.received = true, 0
	if r.wqeVendor == format.VendorWQERead {
		return failed(format.StatusLocQPOp, r.wqeVendor)
	}
	return nil
}

// received completes the receive WQE of a message that is all there.
func (n *NIC) received(q *queuePair, p packet, o outcome) {
	o.wrid = q.resp.wqe.WRID
	if p.hasImm() {
		o.imm, o.flags = p.imm(), format.WCFlagWithImm
	}
	if key, ok := p.revokes(); ok {
		o.imm, o.flags = uint64(key), format.WCFlagWithInv
	}
	q.resp.holdsWQE = false
	n.completeRecv(q, o, p.SE != 0)
}
