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
	case m.Write && len(r.Payload) > 0:
		t := p.targets[m.RKey]
		t.put(int(m.VA-t.va)+r.Offset, r.Payload)
	case !m.Write:
		b.put(p.receive, r.Offset, r.Payload)
	}
	if takes(r) {
		p.queue = p.queue[1:]
		p.taken++
	}
	p.expect, p.done = r.PSN().Plus(1), r.Completed
	if r.Info().End {
		p.ended = append(p.ended, m)
		p.report.Messages++
		if m.Receives() {
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
	held, taker := r.Open != nil && !r.Open.Write, takes(r)
	switch {
	case held:
		p.cqes.failure(p.plan.of[r.Open].id, statuses(r.Cause)...)
	case taker && r.Cause == talk.Malformed, taker && r.Message.Write: // taken or not, as the responder likes
		p.fail(append(statuses(r.Cause), format.StatusFlush)...)
		p.fault.silent, p.fault.events = true, events(r.Cause)
	case taker:
		p.fail(statuses(r.Cause)...)
	default:
		p.fault.events = events(r.Cause)
	}
	if t := p.target(r); t != nil && r.Cause == talk.LocalFault {
		at := t.addr + (r.Message.VA - t.va) + uint64(r.Offset)
		p.fault.memory = p.memory.InjectFault(at, uint64(len(r.Payload)), host.Writes)
	}
	for len(p.queue) > 0 {
		p.fail(format.StatusFlush)
	}
}

// target is the region of a WRITE, nil for another request or one of no bytes.
func (p *player) target(r *talk.Request) *region {
	if r.Message == nil || !r.Message.Write {
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
func statuses(c talk.Cause) []format.Status {
	switch c {
	case talk.TooLong:
		return []format.Status{format.StatusLocLen}
	case talk.LocalFault:
		return []format.Status{format.StatusLocProt}
	case talk.BadKey:
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
