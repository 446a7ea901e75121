package golden

import "gornic/format"

func sendOperation() operation {
	plain := requestForm{
		first: format.OpSendFirst, middle: format.OpSendMiddle, last: format.OpSendLast, only: format.OpSendOnly,
		solicits: true, completion: format.WCSend,
	}
	imm := plain
	imm.last, imm.only, imm.imm = format.OpSendLastImm, format.OpSendOnlyImm, true
	return operation{
		kind:     sendMessage,
		requests: map[format.WROpcode]requestForm{format.WRSend: plain, format.WRSendImm: imm},
		packets: []format.Opcode{
			format.OpSendFirst, format.OpSendMiddle, format.OpSendLast, format.OpSendLastImm, format.OpSendOnly, format.OpSendOnlyImm,
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
	r.received += p.PayloadLen
	if p.info.End {
		n.received(q, p, outcome{opcode: format.WCRecv, byteLen: r.received})
	}
	return nil
}
