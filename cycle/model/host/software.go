package host

import (
	"gornic/cycle/model/link"
	"gornic/cycle/simkit"
	"gornic/format"
	"gornic/tb/workload"
)

// Software is the driver and the application of a host: it posts what its workload has, as
// soon as there is room, rings, and takes completions.
type Software struct {
	*simkit.Component
	c     SoftwareConfig
	Bells *simkit.Stream[link.Bell]
	CQEs  *simkit.Stream[link.CQE]

	ends  []end
	peer  func(qp int) *Software // at the other end of a connection
	due   []int32                // queue pairs to be looked at
	spare []int32
	later alarms
	free  simkit.Cycle // when the next doorbell may be offered

	scriptRecvs bool // the script has doorbells of receive queues, too
}

// SoftwareConfig is what a host does. Times are in cycles.
type SoftwareConfig struct {
	Workload workload.Workload
	Seed     uint64
	Side     workload.Side
	First    int // queue pair of the workload's first one
	Post     simkit.Cycle
	Poll     simkit.Cycle // between two looks, at least 1
	Seen     simkit.Cycle // from a CQE in memory until it is seen
	Interval simkit.Cycle // between two doorbells
	Regions  int
	Ready    bool
	Script   []Ring // when it rings; nil: it decides
	Rang     func(cycle simkit.Cycle, qp int, recv bool, last uint32)
	Done     func(Completion)
}

// Ring is a doorbell of a script.
type Ring struct {
	Cycle simkit.Cycle
	QP    int
	Recv  bool
	Last  uint32 // WQE
}

// Completion is work requests that software has seen completed.
type Completion struct {
	QP       int
	Recv     bool
	Messages int64
	Bytes    int64
	Latency  simkit.Cycle // of the one that has the CQE: from its doorbell on
	Status   format.Status
}

// end is one end of a connection.
type end struct {
	sq, rq   *link.Ring
	sends    *workload.Queue // nil: it sends nothing
	next     workload.Request
	more     bool
	recvs    *workload.Queue // of the peer: what it has to receive
	toRecv   workload.Request
	moreRecv bool
	slot     int
	offered  int64 // receive work requests
	consumed int64 // of the peer's, by what it has posted
	queued   bool
	depth    int
}

// NewSoftware makes the software of a host whose work queues are those given.
func NewSoftware(c *simkit.Component, config SoftwareConfig, rings [][2]*link.Ring, peer func(qp int) *Software) *Software {
	s := &Software{Component: c, c: config, peer: peer, ends: make([]end, len(rings))}
	w := config.Workload
	slot := w.Buffers().Slot
	for i := range s.ends {
		s.ends[i] = end{sq: rings[i][0], rq: rings[i][1], slot: slot}
		own := i - config.First
		if own < 0 || own >= w.Connections() {
			continue
		}
		e := &s.ends[i]
		e.depth = w.Connection(own).Depth
		for _, side := range w.Direction.Senders() {
			if side == config.Side {
				e.sends = w.Queue(config.Seed, side, own)
			} else {
				e.recvs = w.Queue(config.Seed, side, own)
			}
		}
		e.advance()
		e.advanceRecv()
	}
	for _, r := range config.Script {
		s.scriptRecvs = s.scriptRecvs || r.Recv
	}
	c.Add(s.run)
	return s
}

// Serve adds the connections of another sender: their first queue pair, and its workload.
func (s *Software) Serve(first int, w workload.Workload, seed uint64) {
	for own := range w.Connections() {
		e := &s.ends[first+own]
		e.depth = w.Connection(own).Depth
		e.slot = w.Buffers().Slot
		for _, side := range w.Direction.Senders() {
			if side == s.c.Side {
				e.sends = w.Queue(seed, side, own)
			} else {
				e.recvs = w.Queue(seed, side, own)
			}
		}
		e.advance()
		e.advanceRecv()
	}
}

func (e *end) advance() {
	if e.sends == nil {
		return
	}
	e.next, e.more = e.sends.Next()
}

// advanceRecv finds the next message that takes a receive work request.
func (e *end) advanceRecv() {
	for e.recvs != nil {
		if e.toRecv, e.moreRecv = e.recvs.Next(); !e.moreRecv || e.toRecv.Consumes {
			return
		}
	}
}

// Start has all queue pairs looked at in the first cycle.
func (s *Software) Start() {
	for i := range s.ends {
		s.look(int32(i))
	}
	s.Wake(0)
}

// Left is how many of its messages have not completed, or not been posted.
func (s *Software) Left() bool {
	for i := range s.ends {
		e := &s.ends[i]
		if e.more || e.sq != nil && e.sq.Posted != e.sq.Consumed || e.moreRecv {
			return true
		}
	}
	return false
}

func (s *Software) look(i int32) {
	if e := &s.ends[i]; !e.queued && e.sq != nil {
		e.queued = true
		s.due = append(s.due, i)
	}
}

// run takes completions, and posts.
func (s *Software) run(now simkit.Cycle) simkit.Cycle {
	for s.CQEs.Ready() && s.seen() <= now {
		s.complete(now, s.CQEs.Pop())
	}
	for len(s.later) > 0 && s.later[0].at <= now {
		s.look(s.later.Pop().qp)
	}
	if s.c.Script != nil {
		if !s.scriptRecvs {
			for i := range s.ends {
				s.postRecvs(now, int32(i))
			}
		}
		return min(s.CQEs.Next(s.seen()), s.script(now))
	}
	s.due, s.spare = s.spare[:0], s.due
	for _, i := range s.spare {
		s.ends[i].queued = false
		if !s.Bells.RoomFor(2) {
			s.look(i) // whoever takes a doorbell wakes it
			continue
		}
		s.postRecvs(now, i)
		s.postSends(now, i)
	}
	next := s.CQEs.Next(s.seen())
	if len(s.later) > 0 {
		next = min(next, max(s.later[0].at, now+1))
	}
	return next
}

// seen is when software sees the first completion that waits: at its next look, and no sooner than it may.
func (s *Software) seen() simkit.Cycle {
	if s.CQEs.Len() == 0 {
		return 0
	}
	at := s.CQEs.Due() + s.c.Seen
	return (at + s.c.Poll - 1) / s.c.Poll * s.c.Poll
}

// script rings as a recorded host did.
func (s *Software) script(now simkit.Cycle) simkit.Cycle {
	for len(s.c.Script) > 0 {
		r := s.c.Script[0]
		if r.Cycle > now {
			return r.Cycle
		}
		s.c.Script = s.c.Script[1:]
		e := &s.ends[r.QP]
		if r.Recv {
			for e.moreRecv && e.rq.Posted != r.Last+1 {
				s.postRecv(e, int32(r.QP))
			}
			s.offer(now, r.QP, true, e.rq)
			continue
		}
		for e.more && e.sq.Posted != r.Last+1 {
			s.postSend(e, int32(r.QP))
		}
		s.offer(now, r.QP, false, e.sq)
	}
	return simkit.Never
}

// complete takes a completion.
func (s *Software) complete(now simkit.Cycle, c link.CQE) {
	e := &s.ends[c.QP]
	ring := e.sq
	if c.Recv {
		ring = e.rq
	}
	x := Completion{QP: int(c.QP), Recv: c.Recv, Status: c.Status}
	x.Latency = now - ring.At(c.WQE).Posted
	for ring.Consumed != c.WQE+1 {
		x.Messages++
		x.Bytes += int64(ring.At(ring.Consumed).Length)
		ring.Consumed++
	}
	if s.Bells.Room() { // else the next one says as much
		s.Bells.PushAt(link.Bell{QP: c.QP, CQ: true, Rung: now - 1}, now)
	}
	s.c.Done(x)
	s.look(c.QP)
}

// postRecvs posts the receive work requests of messages to come, as far as there is room.
func (s *Software) postRecvs(now simkit.Cycle, i int32) {
	e := &s.ends[i]
	before := e.offered
	for e.rq != nil && e.moreRecv && e.rq.Room() > 0 {
		s.postRecv(e, i)
	}
	if e.offered == before {
		return
	}
	s.offer(now+s.c.Post, int(i), true, e.rq)
	if p := s.peer(int(i)); p != nil && s.c.Ready {
		p.look(i)
		p.Wake(now + 1)
	}
}

func (s *Software) postRecv(e *end, i int32) {
	w := e.rq.At(e.rq.Posted)
	*w = link.WQE{Op: format.WRSend}
	at := int(e.rq.Posted) % e.depth * e.slot
	for _, p := range e.toRecv.Recv {
		w.SGE[w.SGEs] = s.sge(i, slots, e.rq.Posted, at+p.Offset, p.Length)
		w.SGEs++
		w.Length += int32(p.Length)
	}
	e.rq.Posted++
	e.offered++
	e.advanceRecv()
}

// postSends posts what has arrived, with a doorbell where the workload has one and behind the last.
func (s *Software) postSends(now simkit.Cycle, i int32) {
	e := &s.ends[i]
	for e.more && e.sq.Room() > 0 {
		if at := simkit.Cycle(e.next.At); at > now {
			s.later.Push(alarm{at, i})
			break
		}
		if !s.Bells.RoomFor(2) {
			s.look(i)
			return
		}
		if s.c.Ready && e.next.Consumes && e.consumed >= s.peer(int(i)).ends[i].offered {
			break // the peer's posting wakes it
		}
		rings := e.next.Ring
		s.postSend(e, i)
		if rings {
			s.offer(now+s.c.Post, int(i), false, e.sq)
		}
	}
	if e.sq.Rung != e.sq.Posted {
		s.offer(now+s.c.Post, int(i), false, e.sq)
	}
}

// postSend puts the next request into the ring.
func (s *Software) postSend(e *end, i int32) {
	q := &e.next
	w := e.sq.At(e.sq.Posted)
	*w = link.WQE{Op: q.Op, Length: int32(q.Length), Inline: q.Inline, Signaled: q.Signaled, Solicited: q.Solicited}
	n := e.sq.Posted
	pieces, area, base := q.Source, source, 0
	if workload.HasResponse(q.Op) {
		pieces, area, base = q.Into, landing, int(n)%e.depth*e.slot
	}
	if !q.Inline {
		for _, p := range pieces {
			w.SGE[w.SGEs] = s.sge(i, area, n, base+p.Offset, p.Length)
			w.SGEs++
		}
	}
	switch q.Op {
	case format.WRRead:
		w.Remote = s.sge(i, source, n, q.Origin, q.Length)
	case format.WRCompSwap, format.WRFetchAdd:
		w.Remote = s.sge(i, words, n, q.Word, q.Length)
	default:
		w.Remote = s.sge(i, sink, n, q.Sink, q.Length)
	}
	if q.Consumes {
		e.consumed++
	}
	e.sq.Posted++
	e.advance()
}

// Areas of a queue pair, each with a key.
const (
	source = iota
	sink
	words
	slots
	landing
	areas
)

// sge is a piece of an area of a queue pair, in the region that message n uses.
func (s *Software) sge(qp int32, area int, n uint32, offset, length int) link.SGE {
	key := (int32(n)%int32(s.c.Regions)*areas + int32(area)) + qp*int32(areas*s.c.Regions)
	return link.SGE{Key: key, Addr: uint64(key)<<36 + uint64(offset), Length: int32(length)}
}

// offer rings for all that has been posted, as soon as the doorbell before has been taken.
func (s *Software) offer(at simkit.Cycle, qp int, recv bool, ring *link.Ring) {
	at = max(at, s.free)
	s.free = at + s.c.Interval
	for ; ring.Rung != ring.Posted; ring.Rung++ {
		ring.At(ring.Rung).Posted = at
	}
	s.Bells.PushAt(link.Bell{QP: int32(qp), Recv: recv, Producer: ring.Posted, Rung: at}, at)
	if s.c.Rang != nil {
		s.c.Rang(at, qp, recv, ring.Posted-1)
	}
}

// alarm is a queue pair that has work at a time.
type alarm struct {
	at simkit.Cycle
	qp int32
}

// alarms is a heap, the first in front.
type alarms = simkit.Heap[alarm]

func (a alarm) Before(o alarm) bool { return a.at < o.at || a.at == o.at && a.qp < o.qp }
