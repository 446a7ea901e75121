package golden

import "gornic/format"

func readOperation() operation {
	const request = format.OpReadRequest
	return operation{
		kind: readMessage,
		requests: map[format.WROpcode]requestForm{
			format.WRRead: {kind: readRequest, first: request, middle: request, last: request, only: request, completion: format.WCRead},
		},
		packets: []format.Opcode{request},
		respond: (*NIC).respondRead,
		repeat:  (*NIC).repeatRead,
	}
}

// respondRead accepts a READ. Its responses are sent one by one (protocol
// sections 3.4, 3.8 and 3.10).
func (n *NIC) respondRead(q *queuePair, p packet) *refusal {
	reth, _ := format.ExtHeaderOf[format.RETH[uint64]](p.Ext, p.opcode, format.ExtRETH)
	switch {
	case q.attr.Access&format.AccessRemoteRead == 0:
		return invalid(format.StatusLocQPOp, format.VendorAccess)
	case !q.resp.hasResource(q.attr.MaxDestRD):
		return invalid(format.StatusLocQPOp, format.VendorResources)
	case !p.lengthFits(q.mtu()), reth.DMALen > format.MessageMax:
		return invalid(format.StatusLocQPOp, format.VendorLength)
	}
	if reth.DMALen > 0 {
		use := keyUse{queue: q, remote: true, rights: format.AccessRemoteRead}
		if _, vendor := n.checkKey(uint32(reth.RKey), reth.VA, reth.DMALen, use); vendor != format.VendorNone {
			return deniedBy(vendor)
		}
	}
	q.resp.accept(q.attr.MaxDestRD, &resource{
		opcode: p.opcode, first: p.psn(), last: psnAdd(p.psn(), p.span(q.mtu())-1),
		va: reth.VA, rkey: uint32(reth.RKey), length: reth.DMALen, msn: psnAdd(q.resp.msn, 1),
	})
	return nil
}

// span is how many PSNs a request takes: as many as its responses (protocol
// section 4.1).
func (p packet) span(mtu uint64) uint32 {
	if p.opcode != format.OpReadRequest {
		return 1
	}
	reth, _ := format.ExtHeaderOf[format.RETH[uint64]](p.Ext, p.opcode, format.ExtRETH)
	return uint32(packets(reth.DMALen, mtu))
}

// repeatRead answers a READ that came before from its PSN on. What is not the
// rest of that READ is dropped (protocol section 3.7).
func (n *NIC) repeatRead(q *queuePair, p packet) {
	r := &q.resp
	reth, _ := format.ExtHeaderOf[format.RETH[uint64]](p.Ext, p.opcode, format.ExtRETH)
	i, found := r.find(p)
	if !found {
		return
	}
	offset := uint64(psnDiff(p.psn(), r.resources[i].first)) * q.mtu()
	if r.resources[i].rest(reth, offset) {
		r.goBack(i, p.psn())
	}
}

// rest tells whether a RETH names all of the READ from an offset on. One of no
// bytes has neither address nor key.
func (r *resource) rest(reth format.RETH[uint64], offset uint64) bool {
	if offset+reth.DMALen != r.length {
		return false
	}
	return r.length == 0 || reth.VA == r.va+offset && uint32(reth.RKey) == r.rkey
}

// readResponse is one packet of the responses to a READ. The key is judged again for
// each (protocol section 3.8).
func (n *NIC) readResponse(q *queuePair, r *resource) (format.TxDescriptor[uint64], []byte, *refusal) {
	offset := uint64(psnDiff(r.at, r.first)) * q.mtu()
	payload := make([]byte, min(q.mtu(), r.length-offset))
	if len(payload) > 0 {
		if vendor := n.readRemote(q, r, offset, payload); vendor != format.VendorNone {
			return format.TxDescriptor[uint64]{}, nil, deniedBy(vendor)
		}
	}
	d := q.header(r.responseOpcode(), r.at)
	if d.Opcode != uint64(format.OpReadResponseMiddle) {
		d.Ext[0] = uint64(format.SyndromeNoCredits)<<24 | uint64(r.msn)
	}
	return d, payload, nil
}

func (n *NIC) readRemote(q *queuePair, r *resource, offset uint64, b []byte) format.VendorCode {
	va, length := r.va+offset, uint64(len(b))
	e, vendor := n.checkKey(r.rkey, va, length, keyUse{queue: q, remote: true, rights: format.AccessRemoteRead})
	if vendor != format.VendorNone {
		return vendor
	}
	spans, vendor := n.translate(e, va, length)
	if vendor != format.VendorNone {
		return vendor
	}
	return n.collect(spans, b)
}

// responseOpcode: a READ that is answered again from its middle starts anew
// (protocol section 10, row 11).
func (r *resource) responseOpcode() format.Opcode {
	switch start, end := r.at == r.from, r.at == r.last; {
	case start && end:
		return format.OpReadResponseOnly
	case start:
		return format.OpReadResponseFirst
	case end:
		return format.OpReadResponseLast
	}
	return format.OpReadResponseMiddle
}
