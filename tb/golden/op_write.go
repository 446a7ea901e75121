package golden

import "gornic/format"

func writeOperation() operation {
	plain := requestForm{
		first: format.OpWriteFirst, middle: format.OpWriteMiddle, last: format.OpWriteLast, only: format.OpWriteOnly,
		completion: format.WCWrite,
	}
	imm := plain
	imm.last, imm.only, imm.solicits = format.OpWriteLastImm, format.OpWriteOnlyImm, true
	return operation{
		kind:     writeMessage,
		requests: map[format.WROpcode]requestForm{format.WRWrite: plain, format.WRWriteImm: imm},
		packets: []format.Opcode{
			format.OpWriteFirst, format.OpWriteMiddle, format.OpWriteLast, format.OpWriteLastImm, format.OpWriteOnly, format.OpWriteOnlyImm,
		},
		respond: (*NIC).respondWrite,
	}
}

// writeProgress is a WRITE in the middle of its packets.
type writeProgress struct {
	va    uint64 // of the next byte
	rkey  uint32
	left  uint64 // bytes that are still to come
	total uint64 // bytes of the message
}

// respondWrite writes a packet's payload to the memory that the message's RETH
// names (protocol section 3.4; section 10, rows 1 and 27).
func (n *NIC) respondWrite(q *queuePair, p packet) *refusal {
	w := q.resp.write
	if p.info.Start {
		reth, _ := format.ExtHeaderOf[format.RETH[uint64]](p.Ext, p.opcode, format.ExtRETH)
		w = writeProgress{va: reth.VA, rkey: uint32(reth.RKey), left: reth.DMALen, total: reth.DMALen}
	}
	switch {
	case q.attr.Access&format.AccessRemoteWrite == 0:
		return invalid(format.StatusLocQPOp, format.VendorAccess)
	case !p.lengthFits(q.mtu()), w.total > format.MessageMax, w.left > 0 && p.PayloadLen == 0:
		return invalid(format.StatusLocQPOp, format.VendorLength) // without payload there is nothing to look a key up for
	}
	entry, refused := n.writeKeyCheck(q, p, w)
	switch {
	case refused != nil:
		return refused
	case p.info.End && p.PayloadLen != w.left, !p.info.End && p.PayloadLen >= w.left:
		return invalid(format.StatusLocQPOp, format.VendorLength)
	}
	if p.hasImm() {
		if q.rq.empty() {
			return notReady(q)
		}
		if refused := n.openWQE(q); refused != nil {
			return refused
		}
	}
	return n.executeWrite(q, p, w, entry)
}

// writeKeyCheck judges the key: the first packet for the whole message, each
// later one again for what is left, because the key may have died meanwhile. A
// message of no bytes has no key.
func (n *NIC) writeKeyCheck(q *queuePair, p packet, w writeProgress) (keyEntry, *refusal) {
	if w.total == 0 {
		return keyEntry{}, nil
	}
	entry, vendor := n.checkKey(w.rkey, w.va, w.left, keyUse{queue: q, remote: true, rights: format.AccessRemoteWrite})
	if vendor == format.VendorNone {
		return entry, nil
	}
	return entry, n.withWQE(q, p, deniedBy(vendor))
}

// withWQE makes a refusal of a WRITE with immediate the error of the receive WQE
// that it would have consumed, if there is one.
func (n *NIC) withWQE(q *queuePair, p packet, r *refusal) *refusal {
	if p.hasImm() && !q.rq.empty() {
		if unread := n.openWQE(q); unread != nil {
			r.vendor = unread.vendor
		}
	}
	return r
}

func (n *NIC) executeWrite(q *queuePair, p packet, w writeProgress, entry keyEntry) *refusal {
	if p.PayloadLen > 0 {
		spans, vendor := n.translate(entry, w.va, p.PayloadLen)
		if vendor == format.VendorNone {
			vendor = n.place(spans, p.payload)
		}
		if vendor != format.VendorNone {
			return failed(format.StatusLocProt, vendor)
		}
	}
	w.va, w.left = w.va+p.PayloadLen, w.left-p.PayloadLen
	q.resp.write = w
	if p.hasImm() {
		n.received(q, p, outcome{opcode: format.WCRecvWriteI, byteLen: w.total})
	}
	return nil
}
