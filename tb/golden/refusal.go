package golden

import "gornic/format"

// refusal is why a responder does not execute a packet: the NAK, the status of
// the receive WQE if the message has one, and the event if it has none
// (protocol sections 3.6 and 3.11).
type refusal struct {
	syndrome uint64
	status   format.Status
	event    format.AsyncEvent
	vendor   format.VendorCode
}

// notReady is an empty receive queue: the one refusal that changes nothing.
func notReady(q *queuePair) *refusal {
	return &refusal{syndrome: format.SyndromeRNR | q.attr.MinRNR}
}

// invalid is an invalid request.
func invalid(status format.Status, vendor format.VendorCode) *refusal {
	return &refusal{format.SyndromeNAKInv, status, format.EventQPReqErr, vendor}
}

// denied is a remote access error. A receive WQE that the message consumes is
// that of a WRITE with immediate.
func denied(vendor format.VendorCode) *refusal {
	return &refusal{format.SyndromeNAKAccess, format.StatusLocAccess, format.EventQPAccessErr, vendor}
}

// deniedBy is the refusal of a key of a READ, an atomic or a WRITE: a remote access error, or a
// remote operational one where memory failed.
func deniedBy(vendor format.VendorCode) *refusal {
	if vendor == format.VendorBusRead || vendor == format.VendorBusWrite {
		return failed(format.StatusLocProt, vendor)
	}
	return denied(vendor)
}

// failed is a remote operational error.
func failed(status format.Status, vendor format.VendorCode) *refusal {
	return &refusal{format.SyndromeNAKOp, status, format.EventQPFatal, vendor}
}

// countRefusal counts a request that is not executed, when that is decided.
func (n *NIC) countRefusal(r *refusal) {
	switch r.syndrome {
	case format.SyndromeNAKInv:
		n.count(format.CntRespInvalid)
	case format.SyndromeNAKAccess:
		n.count(format.CntRespAccess)
	case format.SyndromeNAKOp:
		n.count(format.CntRespOperation)
	default:
		n.count(format.CntOutOfBuffer)
	}
}

// refuse answers with the NAK of the expected PSN, and ends the QP unless the
// receive queue was empty.
func (n *NIC) refuse(q *queuePair, p packet, r *refusal) {
	n.countRefusal(r)
	n.acknowledge(q, p.psn(), r.syndrome)
	if r.syndrome&^0x1F == format.SyndromeRNR {
		q.resp.nakSent = true
		return
	}
	if !q.resp.holdsWQE {
		n.fatal(q, r.event, r.vendor)
		return
	}
	o := outcome{wrid: q.resp.wqe.WRID, status: r.status, vendor: r.vendor}
	n.completeRecv(q, o, false)
	if q.state != format.QPError {
		q.fail()
	}
}
