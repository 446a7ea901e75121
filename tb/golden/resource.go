package golden

import "gornic/format"

// resource is a READ or atomic that was accepted: what its responses are made of,
// now or again (protocol section 3.10).
type resource struct {
	opcode      format.Opcode // of the request
	first, last uint32        // PSNs of its responses
	va          uint64        // of a READ
	rkey        uint32
	length      uint64
	value       uint64 // of an atomic: what memory had
	msn         uint32 // that counts it

	from     uint32 // PSN of the first response of this round: a duplicate starts another
	at       uint32 // of the next response
	answered bool   // it has been answered whole, once at least
}

// reply is an ACK or NAK.
type reply struct {
	psn, msn uint32
	syndrome uint64
}

// isNAK tells whether it is a NAK, or an RNR NAK.
func (r reply) isNAK() bool { return r.syndrome >= format.SyndromeRNR }

// hasResource tells whether one of limit resources can be taken: one that was
// never answered cannot (protocol section 3.10).
func (r *responder) hasResource(limit uint64) bool {
	waiting := uint64(0)
	for _, x := range r.resources {
		if !x.answered {
			waiting++
		}
	}
	return waiting < limit
}

// accept takes a resource, which goes behind all others. Its response acknowledges
// what came before.
func (r *responder) accept(limit uint64, x *resource) {
	x.from, x.at = x.first, x.first
	r.resources = append(r.resources, x)
	for uint64(len(r.resources)) > limit {
		r.resources = r.resources[1:]
		r.next = max(r.next-1, 0)
	}
	r.owed = nil
}

// find returns the resource of a request that came before.
func (r *responder) find(p packet) (int, bool) {
	for i, x := range r.resources {
		if x.opcode == p.opcode && psnDiff(p.psn(), x.first) >= 0 && psnDiff(p.psn(), x.last) <= 0 {
			return i, true
		}
	}
	return 0, false
}

// goBack answers resource i again from a PSN on, and then all behind it. One that
// is still to be answered, and was not begun, is left as it is.
func (r *responder) goBack(i int, psn uint32) {
	x := r.resources[i]
	if i > r.next || i == r.next && x.at == x.from {
		return
	}
	for _, behind := range r.resources[i:min(r.next+1, len(r.resources))] {
		behind.from, behind.at = behind.first, behind.first
	}
	r.next = i
	x.from, x.at = psn, psn
}

// answering tells whether a response is still to be sent.
func (r *responder) answering() bool { return r.next < len(r.resources) }

// answer sends the next response of a queue pair, or the ACK or NAK that waited for
// the responses before it. Of no queue pair it takes more than one packet's turn.
func (n *NIC) answer(q *queuePair) bool {
	r := &q.resp
	switch {
	case len(n.frames) > 0:
		return false
	case r.answering():
		n.respondNext(q, r.resources[r.next])
	case r.owed != nil:
		n.reply(q, *r.owed)
		r.owed = nil
	default:
		return false
	}
	return true
}

// respondNext sends the next response of a resource.
func (n *NIC) respondNext(q *queuePair, x *resource) {
	if x.opcode != format.OpReadRequest {
		n.transmit(n.atomicResponse(q, x), nil)
	} else {
		d, payload, refused := n.readResponse(q, x)
		if refused != nil {
			n.abandon(q, x, refused)
			return
		}
		n.transmit(d, payload)
	}
	if x.at == x.last {
		x.answered = true
		q.resp.next++
	}
	x.at = psnAdd(x.at, 1)
}

// abandon puts a NAK in the place of a response. It is the last thing that the peer
// hears (protocol section 3.8; section 10, rows 12 and 22).
func (n *NIC) abandon(q *queuePair, x *resource, refused *refusal) {
	n.countRefusal(refused)
	n.reply(q, reply{psn: x.at, msn: x.msn, syndrome: refused.syndrome})
	q.resp.resources, q.resp.next, q.resp.owed = nil, 0, nil
	n.fatal(q, refused.event, refused.vendor)
}
