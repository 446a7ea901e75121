package standin

import (
	"slices"

	"gornic/format"
	"gornic/tb/frames/talk"
)

// A move is what happens next to a requester: it is given work, has to send a request, or is given an answer.
type move struct {
	work   *job
	send   *talk.Request
	why    why
	answer *talk.Packet
}

// why tells why a request is sent.
type why uint8

const (
	fresh   why = iota
	asked       // again, as a NAK asks for it, or a gap in responses
	expired     // again, as nothing has come
	behind      // again, behind another one
)

// script is what a requester of a capture did, from one message to the next, with all that was lost on the way.
type script struct {
	jobs    []*job
	moves   []move
	retries retries
	timers  bool // something was sent again without having been asked for
	again   int  // requests that were sent again
	naks    int  // given to the requester
}

// refusals are how work ends that draws a fatal NAK (protocol section 4.4).
var refusals = map[uint8]format.Status{
	format.SyndromeNAKInv: format.StatusRemInvReq, format.SyndromeNAKAccess: format.StatusRemAccess, format.SyndromeNAKOp: format.StatusRemOp,
}

// newScript takes a conversation as far as a queue pair of a requester can have made it: up to a request that none sends.
func newScript(c *talk.Conversation) *script {
	s := &script{retries: noTimer}
	of := s.work(c)
	begun := map[*job]bool{}
	acked := c.FirstPSN                         // the first that nobody has acknowledged
	cause, next := expired, c.FirstPSN.Plus(-1) // why the next is sent again, and which one would be behind the last
	for _, x := range c.Steps {
		switch j := of[x.PSN()]; {
		case x.Request == nil && len(s.moves) > 0 && x.Good:
			s.moves = append(s.moves, move{answer: x.Packet})
			nak := x.Op == format.OpAcknowledge && x.AETH.Syndrome >= format.SyndromeRNR
			if nak {
				s.naks++
			}
			if nak || x.Responds() && x.PSN().Behind(acked) > 0 {
				cause = asked
			}
			acked = owed(x.Packet, acked, nak)
		case x.Request == nil:
		case j == nil:
			return s.end(acked)
		case !begun[j]:
			begun[j] = true
			s.moves = append(s.moves, move{work: j})
			for _, r := range j.requests {
				s.moves = append(s.moves, move{send: r})
			}
			next = c.FirstPSN.Plus(-1)
		case !slices.Contains(j.fresh, x.Request) && x.PSN().Behind(acked) >= 0:
			m := move{send: x.Request, why: behind}
			if x.PSN() != next {
				m.why, cause = cause, expired
			}
			next = x.PSN().Plus(max(x.Request.PSNs, 1))
			s.moves = append(s.moves, m)
			s.timers = s.timers || m.why == expired
			s.again++
		}
	}
	return s.end(acked)
}

// owed is the first PSN that is not acknowledged, behind an answer.
func owed(p *talk.Packet, acked talk.PSN, nak bool) talk.PSN {
	psn := p.PSN().Plus(1)
	if nak {
		psn = p.PSN()
	}
	if psn.Behind(acked) <= 0 || p.Responds() && p.PSN() != acked {
		return acked
	}
	return psn
}

// work makes the jobs of a conversation, and returns them by each PSN that they take.
func (s *script) work(c *talk.Conversation) map[talk.PSN]*job {
	of := map[talk.PSN]*job{}
	seen := map[*talk.Message]*job{}
	add := func(r *talk.Request, status format.Status) {
		j := seen[r.Message]
		if j == nil {
			j = &job{message: r.Message}
			seen[r.Message] = j
			s.jobs = append(s.jobs, j)
		}
		j.status = status
		j.requests = append(j.requests, r)
		for n := range max(r.PSNs, 1) {
			of[r.PSN().Plus(n)] = j
		}
	}
	for _, r := range c.Requests() {
		status, fatal := refusals[r.Syndrome]
		switch {
		case r.Fate == talk.Done:
			add(r, format.StatusSuccess)
		case r.Fate != talk.Refused:
		case r.Lenient || r.Cause == talk.Malformed:
			return of
		case fatal && r.Info().Start && r.Info().End:
			add(r, status)
		case fatal:
			delete(of, r.PSN())
		}
	}
	s.notReady(c, of, add)
	s.firsts(c, of)
	return of
}

// notReady adds a message that was refused for want of a receive to the end.
func (s *script) notReady(c *talk.Conversation, of map[talk.PSN]*job, add func(*talk.Request, format.Status)) {
	for _, r := range c.Requests() {
		if r.Fate == talk.Refused && r.Cause == talk.NotReady && of[r.PSN()] == nil && r.Info().Start && r.Info().End {
			add(r, format.StatusRNRExceeded)
		}
	}
}

// firsts finds the requests of the capture that were not sent before: each of them is behind all others.
func (s *script) firsts(c *talk.Conversation, of map[talk.PSN]*job) {
	last := c.FirstPSN.Plus(-1)
	for _, r := range c.Requests() {
		if j := of[r.PSN()]; j != nil && r.PSN().Behind(last) > 0 {
			last = r.PSN()
			j.fresh = append(j.fresh, r)
			if r.Op == format.OpReadRequest {
				last = last.Plus(max(r.PSNs, 1) - 1)
			}
		}
	}
}

// end completes the retries: a message that never completed was sent as often as its queue pair could.
func (s *script) end(acked talk.PSN) *script {
	s.jobs = nil
	for _, m := range s.moves {
		if m.work != nil {
			s.jobs = append(s.jobs, m.work)
		}
	}
	if len(s.jobs) == 0 {
		return s
	}
	last := s.jobs[len(s.jobs)-1]
	count := uint64(0)
	for _, m := range s.moves {
		switch {
		case m.send != nil && m.why != fresh && m.send.PSN() == last.requests[0].PSN() && last.status == format.StatusSuccess:
			count++
		case m.answer != nil && last.status == format.StatusRNRExceeded && m.answer.PSN() == last.requests[0].PSN():
			count++
		}
	}
	switch {
	case last.status == format.StatusRNRExceeded:
		s.retries.notReady = count - 1
	case last.status == format.StatusSuccess && last.requests[len(last.requests)-1].PSN().Behind(acked) >= 0:
		last.status, s.retries.count, s.timers = format.StatusRetryExceeded, count, true
	}
	return s
}
