package golden

import "gornic/format"

func sendOperation() operation {
	plain := requestForm{
		first: format.OpSendFirst, middle: format.OpSendMiddle, last: format.OpSendLast, only: format.OpSendOnly,
		solicits: true, completion: format.WCSend,
	}
	imm := plain
	imm.last, imm.only = format.OpSendLastImm, format.OpSendOnlyImm
	inv := plain
	inv.last, inv.only = format.OpSendLastInv, format.OpSendOnlyInv
	return operation{
		kind:     sendMessage,
		requests: map[format.WROpcode]requestForm{format.WRSend: plain, format.WRSendImm: imm, format.WRSendInv: inv},
		packets: []format.Opcode{
			format.OpSendFirst, format.OpSendMiddle, format.OpSendLast, format.OpSendLastImm, format.OpSendOnly, format.OpSendOnlyImm,
			format.OpSendLastInv, format.OpSendOnlyInv,
		},
		respond: (*NIC).respondSend,
	}
}

// respondSend takes a packet of a SEND into the receive WQE that its first packet
// took (protocol section 3.4).
func (n *NIC) respondSend(q *queuePair, p packet) *refusal {
	r := &q.resp
	if p.info.Start {
		if q.rq.empty() {
			return notReady(q)
		}
		if refused := n.openWQE(q); refused != nil {
			return refused
		}
	}
	switch {
	case !p.lengthFits(q.mtu()):
		return invalid(format.StatusLocQPOp, format.VendorLength)
	case r.wqeVendor != format.VendorNone:
		return failed(format.StatusLocQPOp, r.wqeVendor)
	case r.received+p.PayloadLen > min(r.wqe.list.total(), format.MessageMax):
		return invalid(format.StatusLocLen, format.VendorNoRoom)
	}
	if vendor := n.scatter(q, r.wqe.list, r.received, p.payload); vendor != format.VendorNone {
		return failed(format.StatusLocProt, vendor)
	}
	if refused := n.revokeFor(q, p); refused != nil {
		return refused
	}
	r.received += p.PayloadLen
	if p.info.End {
		n.received(q, p, outcome{opcode: format.WCRecv, byteLen: r.received})
	}
	return nil
}

// revokeFor ends the key that a SEND with invalidate names, behind its payload and
// before its completion (protocol section 3.9). A key that it may not end is refused with
// NAK 0x62, so that the requester learns of it, and REM_INV_REQ_ERR of the receive WQE
// (section 10, rows 10 and 23); so is one whose entry cannot be read.
func (n *NIC) revokeFor(q *queuePair, p packet) *refusal {
	key, ok := p.revokes()
	if !ok {
		return nil
	}
	if vendor := n.revoke(q, key); vendor != format.VendorNone {
		return &refusal{syndrome: format.SyndromeNAKAccess, status: format.StatusRemInvReq, vendor: vendor}
	}
	return nil
}
