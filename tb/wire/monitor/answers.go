package monitor

import "gornic/format"

// answer judges an answer to requests of the flow.
//
// reach bounds what the receiver can have accepted from above: packets that
// arrived without a gap. It may have refused the last of them for want of a
// receive WQE, so there is no such bound from below but its own earlier answers.
func (f *flow) answer(p packet) *fault {
	h, ok := format.ExtHeaderOf[format.AETH[uint64]](p.Descriptor.Ext, p.op, format.ExtAETH)
	switch {
	case !ok || p.op != format.OpAcknowledge:
		return wrong("3.6", "no request has this answer")
	case p.Descriptor.AckReq != 0 || p.Descriptor.SE != 0 || len(p.Payload) != 0:
		return wrong("1.5", "an acknowledgement with AckReq, SE or payload")
	case f.dead:
		return wrong("3.6", "an answer behind a fatal NAK")
	}
	i := f.index(p.psn)
	if i < 0 || i >= f.next() {
		return wrong("3.3", "this PSN was not sent")
	}
	var wrongWith *fault
	if h.Syndrome < format.SyndromeRNR {
		wrongWith = f.ack(i, h)
	} else {
		wrongWith = f.nak(i, h)
	}
	if wrongWith == nil && p.c.Arrives() {
		f.tells(p)
	}
	return wrongWith
}

// tells notes that an answer got to the sender.
func (f *flow) tells(p packet) {
	before := f.index(p.psn) // of a NAK
	h, _ := format.ExtHeaderOf[format.AETH[uint64]](p.Descriptor.Ext, p.op, format.ExtAETH)
	if h.Syndrome < format.SyndromeRNR {
		before++
	}
	f.known = max(f.known, before)
}

// ack judges an ACK of packet i.
func (f *flow) ack(i int, h format.AETH[uint64]) *fault {
	low, high := f.endsBefore(i+1), f.endsBefore(f.reach)
	switch {
	case i >= f.reach:
		return wrong("3.6", "acknowledged, but PSN %#x did not arrive", f.psn(f.reach))
	case i+1 < f.acked:
		return wrong("3.7", "an older PSN than in an answer before, which had all before %#x", f.psn(f.acked))
	case !between(h.MSN, low, high):
		return wrong("3.13", "MSN %d, expected %d to %d, the messages that arrived", h.MSN, low, high)
	}
	f.acked = i + 1
	return nil
}

// nak judges a NAK or RNR NAK of packet i, which all packets before it precede.
func (f *flow) nak(i int, h format.AETH[uint64]) *fault {
	request := f.sent[i]
	info, _ := format.Lookup(request.op)
	consumes := info.Start && request.op < format.OpWriteFirst || info.End && hasImm(info) && request.op >= format.OpWriteFirst
	rnr := h.Syndrome&^0x1F == format.SyndromeRNR
	fatal := h.Syndrome > format.SyndromeNAK && h.Syndrome <= format.SyndromeNAKOp
	switch {
	case !rnr && !fatal && h.Syndrome != format.SyndromeNAK:
		return wrong("1.6", "syndrome %#x is reserved", h.Syndrome)
	case i > f.reach || (rnr || fatal) && i >= f.reach:
		return wrong("3.3", "refused, but PSN %#x did not arrive", f.psn(f.reach))
	case i < f.acked:
		return wrong("3.3", "refused, but an answer before had all before %#x", f.psn(f.acked))
	case rnr && !consumes:
		return wrong("3.12", "RNR NAK of %v, which needs no receive WQE", request.op)
	case !rnr && !fatal && !f.ahead && i >= f.reach:
		return wrong("3.3", "sequence error, but no packet behind this one arrived")
	case !between(h.MSN, f.endsBefore(i), f.endsBefore(i)):
		return wrong("3.6", "MSN %d, expected %d, the messages before", h.MSN, f.endsBefore(i))
	}
	f.acked, f.dead = i, fatal
	return nil
}

// between compares an MSN, 24 bits, with counts.
func between(msn uint64, low, high int) bool {
	return (msn-uint64(low))&psnMask <= uint64(high-low)
}
