package standin

import (
	"gornic/format"
	"gornic/tb/frames/talk"
	"gornic/tb/host"
)

// open expects an event that tells of the first request, unless it makes no sense, when
// there may be one.
func (p *player) open(r *talk.Request) {
	if p.moved || r.Fate == talk.Ignored {
		return
	}
	p.moved = true
	p.opened[1]++
	if r.Cause != talk.Malformed {
		p.opened[0]++
	}
}

// take expects a request to be carried out.
func (p *player) take(r *talk.Request) {
	m, b := r.Message, p.plan.of[r.Message]
	switch {
	case m.Kind == talk.Write && len(r.Payload) > 0:
		t := p.targets[m.RKey]
		t.put(int(m.VA-t.va)+r.Offset, r.Payload)
	case m.Kind == talk.Send:
		b.put(p.receive, r.Offset, r.Payload)
	case m.Kind == talk.Atomic:
		p.modify(r)
	}
	if r.Has(format.ExtIETH) {
		p.targets[m.Ends].held = false // of its index it is still the holder
	}
	if takes(r) {
		p.queue = p.queue[1:]
	}
	p.expect, p.done = r.PSN().Plus(r.PSNs), r.Completed
	if r.Info().End {
		p.ended = append(p.ended, m)
		p.report.Messages++
		if m.Receives() {
			p.taken++
			p.cqes.success(b, m)
		}
	}
}

// refuse expects a request to draw a NAK, and the queue pair to fail with it: the receive
// WQE that is in use, or an event, tells why; those behind it are flushed.
func (p *player) refuse(r *talk.Request) {
	if r.Cause == talk.NotReady {
		return
	}
	p.fault.request = r
	held, taker := r.Open != nil && r.Open.Kind == talk.Send, takes(r)
	if ends := r.Message != nil && r.Message.Kind == talk.Send && r.Cause == talk.BadKey; ends { // it is placed by then
		p.plan.of[r.Message].put(p.receive, r.Offset, r.Payload)
	}
	switch {
	case held:
		p.cqes.failure(p.plan.of[r.Open].id, statuses(r)...)
	case taker && r.Cause == talk.Malformed, taker && r.Message.Kind == talk.Write: // taken or not, as the responder likes
		p.fail(append(statuses(r), format.StatusFlush)...)
		p.fault.silent, p.fault.events = true, events(r.Cause)
	case taker:
		p.fail(statuses(r)...)
	default:
		p.fault.events = events(r.Cause)
	}
	if t := p.target(r); t != nil && r.Cause == talk.LocalFault {
		at, n, kinds := t.addr+(r.Message.VA-t.va)+uint64(r.Offset), len(r.Payload), host.Writes
		if r.Message.Answers() {
			n, kinds = r.Message.Length, host.Reads
		}
		p.fault.memory = p.memory.InjectFault(at, uint64(n), kinds)
	}
	for len(p.queue) > 0 {
		p.fail(format.StatusFlush)
	}
}

// target is the region of a WRITE, READ or atomic, nil for another request or one of no
// bytes.
func (p *player) target(r *talk.Request) *region {
	if r.Message == nil || r.Message.Kind == talk.Send || r.Message.Length == 0 {
		return nil
	}
	return p.targets[r.Message.RKey]
}

// fail expects the receive WQE at the head of the queue to end with one of some statuses.
func (p *player) fail(any ...format.Status) {
	p.cqes.failure(p.queue[0], any...)
	p.queue = p.queue[1:]
}

// statuses are those of a receive WQE that is in use when a request is refused (protocol
// section 3.11).
func statuses(r *talk.Request) []format.Status {
	switch r.Cause {
	case talk.TooLong:
		return []format.Status{format.StatusLocLen}
	case talk.LocalFault:
		return []format.Status{format.StatusLocProt}
	case talk.BadKey:
		if r.Message.Kind == talk.Send { // a key that it may not end: section 10, row 10
			return []format.Status{format.StatusRemInvReq}
		}
		return []format.Status{format.StatusLocAccess, format.StatusRemAccess, format.StatusLocProt}
	}
	return []format.Status{format.StatusLocQPOp, format.StatusRemInvReq, format.StatusLocLen}
}

// events are those of a refusal that no receive WQE tells of (protocol section 3.6).
func events(c talk.Cause) []format.AsyncEvent {
	switch c {
	case talk.BadKey:
		return []format.AsyncEvent{format.EventQPAccessErr}
	case talk.LocalFault:
		return []format.AsyncEvent{format.EventQPFatal}
	case talk.NoRight:
		return []format.AsyncEvent{format.EventQPReqErr, format.EventQPAccessErr}
	}
	return []format.AsyncEvent{format.EventQPReqErr}
}
