package golden

import (
	"encoding/binary"

	"gornic/format"
)

// atomicBytes is what an atomic works on: a number, little-endian in memory.
const atomicBytes = 8

func atomicOperation() operation {
	form := func(op format.Opcode, completion format.WCOpcode) requestForm {
		return requestForm{kind: atomicRequest, first: op, middle: op, last: op, only: op, completion: completion}
	}
	return operation{
		kind: atomicMessage,
		requests: map[format.WROpcode]requestForm{
			format.WRCompSwap: form(format.OpCmpSwap, format.WCCompSwap),
			format.WRFetchAdd: form(format.OpFetchAdd, format.WCFetchAdd),
		},
		packets: []format.Opcode{format.OpCmpSwap, format.OpFetchAdd},
		respond: (*NIC).respondAtomic,
		repeat:  (*NIC).repeatAtomic,
	}
}

// respondAtomic executes an atomic, at once: nobody else of this device comes between
// its reading and its writing. The answer waits for its turn (protocol section 3.4;
// section 10, row 2).
func (n *NIC) respondAtomic(q *queuePair, p packet) *refusal {
	h, _ := format.ExtHeaderOf[format.AtomicETH[uint64]](p.Ext, p.opcode, format.ExtAtomicETH)
	switch {
	case q.attr.Access&format.AccessRemoteAtomic == 0:
		return invalid(format.StatusLocQPOp, format.VendorAccess)
	case !q.resp.hasResource(q.attr.MaxDestRD):
		return invalid(format.StatusLocQPOp, format.VendorResources)
	case !p.lengthFits(q.mtu()):
		return invalid(format.StatusLocQPOp, format.VendorLength)
	case h.VA%atomicBytes != 0:
		return invalid(format.StatusLocQPOp, format.VendorAlignment)
	}
	e, vendor := n.checkKey(uint32(h.RKey), h.VA, atomicBytes, keyUse{queue: q, remote: true, rights: format.AccessRemoteAtomic})
	if vendor != format.VendorNone {
		return deniedBy(vendor)
	}
	spans, vendor := n.translate(e, h.VA, atomicBytes)
	switch {
	case vendor != format.VendorNone:
		return deniedBy(vendor)
	case spans[0].addr%atomicBytes != 0: // of a key whose bytes lie otherwise on the bus: that is one access no more
		return invalid(format.StatusLocQPOp, format.VendorAlignment)
	}
	original, vendor := n.atomically(spans, func(old uint64) uint64 {
		switch {
		case p.opcode == format.OpFetchAdd:
			return old + h.SwapAdd
		case old == h.Compare:
			return h.SwapAdd
		}
		return old
	})
	if vendor != format.VendorNone {
		return deniedBy(vendor)
	}
	q.resp.accept(q.attr.MaxDestRD, &resource{
		opcode: p.opcode, first: p.psn(), last: p.psn(), value: original, msn: psnAdd(q.resp.msn, 1),
	})
	return nil
}

// atomically replaces a number in memory, and returns what it was.
func (n *NIC) atomically(spans []span, next func(uint64) uint64) (uint64, format.VendorCode) {
	b := make([]byte, atomicBytes)
	if vendor := n.collect(spans, b); vendor != format.VendorNone {
		return 0, vendor
	}
	old := binary.LittleEndian.Uint64(b)
	if now := next(old); now != old {
		return old, n.place(spans, binary.LittleEndian.AppendUint64(nil, now))
	}
	return old, format.VendorNone
}

// repeatAtomic answers an atomic that came before with the value that memory had
// then. It is not executed again (protocol section 3.7).
func (n *NIC) repeatAtomic(q *queuePair, p packet) {
	if i, found := q.resp.find(p); found {
		q.resp.goBack(i, p.psn())
	}
}

// atomicResponse is the answer to an atomic.
func (n *NIC) atomicResponse(q *queuePair, r *resource) format.TxDescriptor[uint64] {
	d := q.header(format.OpAtomicAck, r.at)
	d.Ext[0] = uint64(format.SyndromeNoCredits)<<24 | uint64(r.msn)
	d.Ext[1], d.Ext[2] = r.value>>32, r.value&0xFFFFFFFF
	return d
}
