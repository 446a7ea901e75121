package nic

import (
	"gornic/cycle/model/link"
	"gornic/cycle/simkit"
)

// responder decides what becomes of received packets.
type responder struct {
	*simkit.Component
	n *NIC

	segment, segmentRecv, interval, intervalRecv, intervalAck, sge, sum, commit, outcome, answer Cycle

	in         *simkit.Stream[packet]
	segs       *simkit.Stream[segment]
	translated *simkit.Stream[int32]
	records    *simkit.Stream[record]
	commits    *simkit.Stream[commit]
	outcomes   *simkit.Stream[outcome]
	flush      *simkit.Stream[int32] // Ready of wqefetch: nothing is flushed here
	free       Cycle
}

// record is what was decided of a packet, until its translation has spoken.
type record struct {
	c        commit
	segments bool
	tells    bool // Outcome
	o        outcome
	takes    bool // the receive WQE
}

// commit is what becomes visible of a packet when its payload is in memory.
type commit struct {
	f         link.Frame
	kind      commitKind
	payload   bool // scatter has some of it
	syndrome  uint8
	psn       uint32
	completes bool // a receive WQE
	recv      uint32
	bytes     int32
	match     match
	quiet     bool // nobody hears of it
}

type commitKind uint8

const (
	commitRequest commitKind = iota
	commitDuplicate
	commitNAK
	commitResponse
)

func (r *responder) run(now Cycle) Cycle {
	for r.flush.Ready() {
		r.flush.Pop()
	}
	next := r.finish(now)
	if !r.in.Ready() || now < r.free {
		return min(next, r.in.Next(r.free), r.flush.Next(0))
	}
	if !r.records.Room() || !r.segs.RoomFor(link.MaxSGEs) {
		r.Waits("translate_rx")
		return min(next, r.flush.Next(0))
	}
	if !r.decide(now) {
		return min(next, r.flush.Next(0))
	}
	r.Use.Items++
	return min(next, r.in.Next(r.free), r.flush.Next(0))
}

// decide decides on the next packet; false: it waits for a receive WQE.
func (r *responder) decide(now Cycle) bool {
	x := r.in.Head()
	switch {
	case link.IsResponse(x.f.Op):
		r.response(now, x)
	case x.verdict != passes:
		r.refuse(now, x)
	case asksFrame(x.f.Op):
		r.resource(now, x)
	default:
		return r.requestTurn(now, x)
	}
	r.in.Pop()
	return true
}

// keep puts a record behind the others, as of a cycle.
func (r *responder) keep(at Cycle, x record) { r.records.PushAt(x, at) }

// response has a piece of a response placed, or passes an acknowledgement on.
func (r *responder) response(now Cycle, x *packet) {
	if !isData(x.f.Op) {
		r.keep(now+1, record{c: commit{f: x.f, kind: commitResponse, match: matchACK}})
		r.free = r.Busy(now + r.intervalAck)
		return
	}
	payload := x.seg.length > 0 || x.seg.skip && x.f.Length > 0
	if payload {
		r.segs.PushAt(x.seg, now+r.segment)
	}
	r.free = r.Busy(now + r.interval)
	if x.last {
		r.keep(now+1, record{c: commit{f: x.f, kind: commitResponse, match: x.match, payload: payload}, segments: payload})
	}
}

// drop has the payload of a packet dropped.
func (r *responder) drop(now Cycle, x *packet) bool {
	if x.f.Length == 0 {
		return false
	}
	r.segs.PushAt(segment{qp: x.f.QP, length: x.f.Length, last: true, skip: true, here: x.payload}, now+r.segment)
	return true
}

// refuse answers what is not expected: duplicates, and what comes too early.
func (r *responder) refuse(now Cycle, x *packet) {
	c := commit{f: x.f, kind: commitDuplicate, psn: x.f.PSN}
	switch x.verdict {
	case ahead:
		c.kind, c.syndrome, c.psn = commitNAK, link.SyndromeSequence, r.n.qps[x.f.QP].expected
	case ignored:
		c.quiet = true
	}
	c.payload = r.drop(now, x)
	r.keep(now+1, record{c: c, segments: c.payload})
	r.free = r.Busy(now + r.interval)
}

// resource accepts a READ or atomic: its key is looked at.
func (r *responder) resource(now Cycle, x *packet) {
	probe := x.f.Total > 0
	if probe {
		r.segs.PushAt(segment{qp: x.f.QP, key: x.f.Remote.Key, addr: x.f.Remote.Addr, length: x.f.Total, last: true, probe: true}, now+r.segment)
	}
	r.keep(now+1, record{
		c: commit{f: x.f, psn: x.f.LastPSN}, segments: probe, tells: true, o: outcome{qp: x.f.QP, next: x.f.LastPSN + 1},
	})
	r.free = r.Busy(now + r.interval)
}

// requestTurn places a SEND or WRITE; false: it waits for a receive WQE that is on its way.
func (r *responder) requestTurn(now Cycle, x *packet) bool {
	q := &r.n.qps[x.f.QP]
	f := &x.f
	send := isSend(f.Op)
	takes := takesRecv(f.Op)
	at, interval := r.segment, r.interval
	if send || takes {
		h := &q.recvHeads
		if h.here == h.head {
			if h.producer != h.head {
				r.n.rq.came.Wait(r.Component)
				r.Waits("wqefetch_rq")
				return false
			}
			r.notReady(now, x)
			return true
		}
		at, interval = r.segmentRecv, r.intervalRecv
	}
	c := commit{f: *f, psn: f.PSN, payload: f.Length > 0}
	if c.payload && send {
		more := r.placeSend(now+at, q, x)
		interval += more
	} else if c.payload {
		addr := f.Remote.Addr + uint64(f.Offset)
		r.segs.PushAt(segment{qp: f.QP, key: f.Remote.Key, addr: addr, length: f.Length, last: true, here: x.payload}, now+at)
	}
	if send {
		q.recvBytes += f.Length
	}
	if takes {
		c.completes, c.recv, c.bytes = true, q.recvHeads.head, f.Total
		q.recvBytes = 0
	}
	keepAt := now + 1
	if !c.payload {
		keepAt = now + at - r.segment + 1
	}
	r.keep(keepAt, record{c: c, segments: c.payload, tells: true, o: outcome{qp: f.QP, next: f.PSN + 1}, takes: takes})
	r.free = r.Busy(now + interval)
	r.in.Pop()
	return true
}

// placeSend cuts the payload of a SEND at the SGEs of the receive WQE, and returns what that takes beside the least.
func (r *responder) placeSend(at Cycle, q *qp, x *packet) Cycle {
	w := q.RQ.At(q.recvHeads.head)
	more := Cycle(0)
	if begins(x.f.Op) {
		q.recvSGE, q.recvAt = 0, 0
		more = r.sum * Cycle(w.SGEs-1)
	}
	for need, first := x.f.Length, true; need > 0; {
		s := w.SGE[q.recvSGE]
		n := min(need, s.Length-q.recvAt)
		if n > 0 {
			need -= n
			if !first {
				more += r.sge
			}
			first = false
			r.segs.PushAt(segment{qp: x.f.QP, key: s.Key, addr: s.Addr + uint64(q.recvAt), length: n, last: need == 0, here: x.payload}, at+more)
		}
		if q.recvAt += n; q.recvAt == s.Length && need > 0 {
			q.recvSGE, q.recvAt = q.recvSGE+1, 0
		}
	}
	return more
}

// notReady answers a request for which no receive WQE is posted.
func (r *responder) notReady(now Cycle, x *packet) {
	c := commit{f: x.f, kind: commitNAK, syndrome: link.SyndromeRNR | uint8(r.n.p.RNRTimer), psn: x.f.PSN}
	c.payload = r.drop(now, x)
	r.keep(now+r.segmentRecv, record{c: c, segments: c.payload, tells: true, o: outcome{qp: x.f.QP, nak: true}})
	r.free = r.Busy(now + r.intervalRecv)
	r.in.Pop()
}

// finish lets the effects of a record out when its translation has spoken.
func (r *responder) finish(now Cycle) Cycle {
	if !r.records.Ready() {
		return r.records.Next(0)
	}
	x := r.records.Head()
	if x.segments && !r.translated.Ready() {
		return r.translated.Next(0)
	}
	if !r.commits.Room() {
		return r.Waits("scatter")
	}
	if x.segments {
		r.translated.Pop()
	}
	y := r.records.Pop()
	delay := r.commit
	if !y.segments {
		delay = r.answer - 1
	}
	r.commits.PushAfter(y.c, delay-1)
	if y.takes {
		r.n.rq.takes.PushAfter(y.c.f.QP, delay-1)
	}
	if y.tells {
		if y.takes {
			delay++ // the receive WQE is taken first
		}
		r.outcomes.PushAfter(y.o, delay-r.commit+r.outcome+r.n.psn.outcome-2) // psncheck lets the next request out in the cycle in which it hears
	}
	return r.records.Next(0)
}

// scatter writes payload to host memory, and reports packets when memory has answered.
type scatter struct {
	*simkit.Component
	n *NIC

	burst, first, placedTime, empty, response Cycle

	pieces  *simkit.Stream[segment]
	commits *simkit.Stream[commit]
	writes  *simkit.Stream[link.Write]
	wrote   *simkit.Stream[link.WriteDone]
	placed  [2]*simkit.Stream[commit] // to ackqueue, completer
	freed   *simkit.Stream[int32]

	at      int32
	taken   int32 // bytes of the packet
	given   int64 // bursts
	settled int64
	answer  Cycle // of memory, the last one
	packets ringOf[int64]
	free    Cycle
}

func (s *scatter) hear(now Cycle) Cycle {
	for s.wrote.Ready() {
		s.wrote.Pop()
		s.settled++
		s.answer = now
	}
	return s.wrote.Next(0)
}

// write makes bursts of pieces.
func (s *scatter) write(now Cycle) Cycle {
	if !s.pieces.Ready() || now < s.free {
		return s.pieces.Next(s.free)
	}
	p := s.pieces.Head()
	if p.probe {
		s.pieces.Pop()
		s.free = now + 1
		return s.pieces.Next(s.free)
	}
	if now < p.here-s.burst {
		return max(p.here-s.burst, now+1)
	}
	if p.skip {
		s.whole(now, p, p.length)
		s.pieces.Pop()
		s.at = 0
		s.free = now + 1
		return s.pieces.Next(s.free)
	}
	if s.given-s.settled >= 64 {
		return s.Waits("host memory")
	}
	if !s.writes.Room() {
		return s.Waits("dma")
	}
	n := s.n.chunk(p.addr+uint64(s.at), p.length-s.at)
	beats := s.n.beats(p.addr+uint64(s.at), n)
	at := max(now, p.here-s.burst)
	begins := at + s.burst + s.first
	s.writes.PushAt(link.Write{Client: writeScatter, Beats: beats, Bytes: n}, begins)
	s.given++
	s.at += n
	s.free = s.Busy(at + Cycle(beats))
	s.Use.Items++
	if s.at == p.length {
		s.at = 0
		s.whole(begins+Cycle(beats), p, p.length)
		s.pieces.Pop()
	}
	return s.pieces.Next(s.free)
}

// whole takes note of bytes of a packet that have gone; with the last of them its room in the packet buffer is free.
func (s *scatter) whole(at Cycle, p *segment, n int32) {
	s.taken += n
	if !p.last {
		return
	}
	s.freed.PushAt((s.taken+s.n.beatBytes()-1)/s.n.beatBytes(), at)
	s.packets.push(s.given)
	s.taken = 0
}

// report passes commits on whose payload is in memory.
func (s *scatter) report(now Cycle) Cycle {
	if !s.commits.Ready() {
		return s.commits.Next(0)
	}
	c := s.commits.Head()
	delay := s.empty
	if c.payload {
		if s.packets.size == 0 {
			return simkit.Never // a piece of it is still to come
		}
		if *s.packets.front() > s.settled {
			return s.Waits("host memory")
		}
		delay = s.placedTime
	}
	out := s.placed[0]
	if c.kind == commitResponse {
		out = s.placed[1]
	}
	if !out.Room() {
		return s.Waits(pick(c.kind == commitResponse, "completer", "ackqueue"))
	}
	if c.payload {
		s.packets.pop()
	}
	if c.kind == commitResponse {
		delay += s.response
	}
	out.PushAfter(s.commits.Pop(), delay-1)
	return s.commits.Next(0)
}

// pick is one of two words.
func pick(c bool, a, b string) string {
	if c {
		return a
	}
	return b
}

// owed is an answer that a queue pair owes.
type owed struct {
	qp       int32
	syndrome uint8
	psn, msn uint32
	behind   uint32 // READs and atomics that stand before it
}

// ackqueue counts messages, owes answers, passes completions on.
type ackqueue struct {
	*simkit.Component
	n *NIC

	ack, interval, completion, resource Cycle

	in          *simkit.Stream[commit]
	completions *simkit.Stream[link.CQE]
	resources   *simkit.Stream[commit]
	served      *simkit.Stream[served]
	out         *simkit.Stream[owed]
	owing       *simkit.Stream[int32] // queue pairs that owe, when their answer may leave
	queue       ringOf[int32]
	free        Cycle
}

// served is how many READs and atomics of a queue pair have been answered.
type served struct {
	qp    int32
	count int32
}

func (a *ackqueue) run(now Cycle) Cycle {
	next := a.give(now)
	if !a.in.Ready() || now < a.free {
		return min(next, a.in.Next(a.free))
	}
	c := a.in.Head()
	if !a.completions.Room() {
		a.Waits("cqewriter")
		return next
	}
	if !a.resources.Room() {
		a.Waits("resources")
		return next
	}
	a.commit(now, c)
	a.in.Pop()
	a.free = a.Busy(now + a.interval)
	a.Use.Items++
	return min(next, a.in.Next(a.free))
}

// commit makes a request visible.
func (a *ackqueue) commit(now Cycle, c *commit) {
	i := c.f.QP
	q := &a.n.qps[i]
	if c.quiet {
		return
	}
	if c.kind == commitNAK {
		a.owe(now, i, owed{qp: i, syndrome: c.syndrome, psn: c.psn, msn: q.msn, behind: q.accepted})
		return
	}
	if asksFrame(c.f.Op) {
		if c.kind == commitRequest {
			q.msn++
		}
		q.accepted++
		q.owed = false // its response acknowledges what is before it
		a.resources.PushAfter(*c, a.resource-1)
		return
	}
	if c.kind == commitRequest && ends(c.f.Op) {
		q.msn++
	}
	if c.completes {
		a.completions.PushAfter(link.CQE{QP: i, Recv: true, WQE: c.recv, Bytes: c.bytes}, a.completion-1)
	}
	if c.kind == commitDuplicate {
		if !q.owed {
			a.owe(now, i, owed{qp: i, syndrome: link.SyndromeACK, psn: q.expected - 1, msn: q.msn, behind: q.accepted})
		}
		return
	}
	if c.f.AckReq {
		a.owe(now, i, owed{qp: i, syndrome: link.SyndromeACK, psn: c.psn, msn: q.msn, behind: q.accepted})
	}
}

func (a *ackqueue) owe(now Cycle, i int32, o owed) {
	q := &a.n.qps[i]
	q.owed, q.owedAs = true, o
	if !q.inAcks {
		q.inAcks = true
		a.owing.PushAt(i, now+a.ack-1)
	}
}

// give lets answers leave, in the order in which they came to be owed.
func (a *ackqueue) give(now Cycle) Cycle {
	for a.served.Ready() {
		s := a.served.Pop()
		q := &a.n.qps[s.qp]
		q.answered += uint32(s.count)
		if q.owed && !q.inAcks && q.answered >= q.owedAs.behind {
			q.inAcks = true
			a.queue.push(s.qp)
		}
	}
	for a.owing.Ready() {
		a.queue.push(a.owing.Pop())
	}
	for a.queue.size > 0 && a.out.Room() {
		i := a.queue.pop()
		q := &a.n.qps[i]
		q.inAcks = false
		if !q.owed || int32(q.answered-q.owedAs.behind) < 0 {
			continue // Served looks at it anew
		}
		q.owed = false
		a.out.Push(q.owedAs)
	}
	return min(a.served.Next(0), a.owing.Next(0))
}
