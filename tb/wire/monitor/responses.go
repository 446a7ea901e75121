package monitor

import "gornic/format"

// response judges a READ response or an ATOMIC_ACK, which answers packet i. Those of
// older READs and atomics come before it; of one that came again it may come again, a
// READ from where it was asked for.
func (f *flow) response(p packet, i int, h format.AETH[uint64], hasAETH bool) *fault {
	request := &f.sent[i]
	last := i == request.end
	switch {
	case (p.op == format.OpAtomicAck) == (request.op == format.OpReadRequest) || !hasResponse(request.op):
		return wrong("3.6", "an answer to %v", request.op)
	case i >= f.reach:
		return wrong("3.6", "answered, but PSN %#x did not arrive", f.psn(f.reach))
	case f.owes(request.begin):
		return wrong("3.8", "answered before the READ or atomic of PSN %#x", f.psn(f.owed[0]))
	case hasAETH && h.Syndrome >= format.SyndromeRNR:
		return wrong("3.8", "syndrome %#x, expected one of an ACK", h.Syndrome)
	case hasAETH && !between(h.MSN, f.endsBefore(i+1), f.endsBefore(f.reach)):
		return wrong("3.13", "MSN %d, expected %d to %d, the messages that arrived", h.MSN, f.endsBefore(i+1), f.endsBefore(f.reach))
	case p.op == format.OpAtomicAck:
		last = true
	case last != (p.op == format.OpReadResponseLast || p.op == format.OpReadResponseOnly):
		return wrong("3.8", "the last response of the READ is that of PSN %#x", f.psn(request.end))
	case len(p.Payload) != f.share(i):
		return wrong("3.8", "%d bytes of payload, expected %d", len(p.Payload), f.share(i))
	}
	if p.op == format.OpReadResponseMiddle || p.op == format.OpReadResponseLast {
		if i != f.due {
			return wrong("3.8", "it follows no response of the PSN before")
		}
	} else {
		if request.asked == 0 {
			return wrong("3.7", "nobody asked for it again")
		}
		request.asked--
	}
	f.acked = max(f.acked, i+1)
	f.due = i + 1
	if last {
		f.due = -1
		if f.owes(request.end + 1) {
			f.owed = f.owed[1:]
		}
	}
	return nil
}

// share is how many bytes of a READ its response i has.
func (f *flow) share(i int) int {
	request := f.sent[i]
	length := int(rethOf(request.ext, request.op).DMALen)
	return min(f.mtu, length-(i-request.begin)*f.mtu)
}
