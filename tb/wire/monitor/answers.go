package monitor

import "gornic/format"

// answer judges an answer to requests of the flow.
//
// reach bounds what the receiver can have accepted from above: packets that
// arrived without a gap. It may have refused the last of them for want of a
// receive WQE, so there is no such bound from below but its own earlier answers.
func (f *flow) answer(p packet) *fault {
	info, known := format.Lookup(p.op)
	h, hasAETH := aethOf(p)
	i := f.index(p.psn)
	switch {
	case !known || !isResponse(p.op):
		return wrong("3.6", "no request has this answer")
	case p.Descriptor.AckReq != 0 || p.Descriptor.SE != 0 || len(p.Payload) != 0 && info.Payload == format.PayloadNone:
		return wrong("1.5", "an acknowledgement with AckReq, SE or payload")
	case f.dead:
		return wrong("3.6", "an answer behind a fatal NAK")
	case i < 0 || i >= f.next():
		return wrong("3.3", "this PSN was not sent")
	}
	var wrongWith *fault
	switch {
	case p.op != format.OpAcknowledge:
		wrongWith = f.response(p, i, h, hasAETH)
	case h.Syndrome < format.SyndromeRNR:
		wrongWith = f.ack(i, h)
	default:
		wrongWith = f.nak(i, h)
	}
	if wrongWith == nil && p.arrives() {
		f.tells(p)
	}
	return wrongWith
}

func aethOf(p packet) (format.AETH[uint64], bool) {
	return format.ExtHeaderOf[format.AETH[uint64]](p.Descriptor.Ext, p.op, format.ExtAETH)
}

// tells notes that an answer got to the sender.
func (f *flow) tells(p packet) {
	before := f.index(p.psn) // of a NAK
	h, _ := aethOf(p)
	if h.Syndrome < format.SyndromeRNR { // without an AETH, too
		before++
	}
	f.notReady(f.index(p.psn), h.Syndrome)
	f.heard(f.index(p.psn), p.op, h.Syndrome)
	f.known = max(f.known, before)
}

// ack judges an ACK of packet i.
func (f *flow) ack(i int, h format.AETH[uint64]) *fault {
	low, high := f.endsBefore(i+1), f.endsBefore(f.reach)
	switch {
	case i >= f.reach:
		return wrong("3.6", "acknowledged, but PSN %#x did not arrive", f.psn(f.reach))
	case f.owes(i + 1):
		return wrong("3.8", "acknowledged, but the READ or atomic of PSN %#x has not been answered whole", f.psn(f.owed[0]))
	case i+1 < f.acked:
		return wrong("3.7", "an older PSN than in an answer before, which had all before %#x", f.psn(f.acked))
	case !between(h.MSN, low, high):
		return wrong("3.13", "MSN %d, expected %d to %d, the messages that arrived", h.MSN, low, high)
	}
	f.acked, f.due = i+1, -1
	return nil
}

// owes tells that a READ or atomic before packet i has not been answered whole.
func (f *flow) owes(i int) bool { return len(f.owed) > 0 && f.owed[0] < i }

// nak judges a NAK or RNR NAK of packet i, which all packets before it precede.
func (f *flow) nak(i int, h format.AETH[uint64]) *fault {
	request := f.sent[i]
	info, _ := format.Lookup(request.op)
	send := isSend(request.op)
	consumes := info.Start && send || info.End && hasImm(info) && !send
	rnr := h.Syndrome&^0x1F == format.SyndromeRNR
	low := f.endsBefore(request.begin)
	high := low
	if hasResponse(request.op) { // it may be refused when others behind it have been accepted
		high = f.endsBefore(f.reach)
	}
	fatal := h.Syndrome > format.SyndromeNAK && h.Syndrome <= format.SyndromeNAKOp
	switch {
	case !rnr && !fatal && h.Syndrome != format.SyndromeNAK:
		return wrong("1.6", "syndrome %#x is reserved", h.Syndrome)
	case i > f.reach || (rnr || fatal) && i >= f.reach:
		return wrong("3.3", "refused, but PSN %#x did not arrive", f.psn(f.reach))
	case i < f.acked && !(fatal && request.op == format.OpReadRequest): // one that came again may be refused
		return wrong("3.3", "refused, but an answer before had all before %#x", f.psn(f.acked))
	case f.owes(f.sent[i].begin):
		return wrong("3.8", "refused, but the READ or atomic of PSN %#x has not been answered whole", f.psn(f.owed[0]))
	case rnr && !consumes:
		return wrong("3.12", "RNR NAK of %v, which needs no receive WQE", request.op)
	case !rnr && !fatal && !f.ahead && i >= f.reach:
		return wrong("3.3", "sequence error, but no packet behind this one arrived")
	case !between(h.MSN, low, high):
		return wrong("3.6", "MSN %d, expected %d, the messages before", h.MSN, low)
	}
	f.acked, f.dead, f.due = i, fatal, -1
	return nil
}

// between compares an MSN, 24 bits, with counts.
func between(msn uint64, low, high int) bool {
	return (msn-uint64(low))&psnMask <= uint64(high-low)
}
