package program

import (
	"slices"

	"gornic/verbs"
)

// talk is what the two ends of a connection do, drawn message by message, so that each
// waits only for what was drawn before it.
type talk struct {
	*draft
	c        *Connection
	speakers [2]*speaker
	loans    []*loan
}

// speaker is an end that sends.
type speaker struct {
	host             int
	e, peer          *End
	mtu              verbs.MTU
	kinds            kinds
	left, bytes      int // messages, and bytes in them, to come
	batch, recvBatch int
	quiet            int // messages without a completion

	sinks   []Piece // of the peer's regions: where WRITEs go, and this connection alone
	words   []Piece // and where atomics work
	brought []Piece // own: where READs and atomics bring something
	// What there has been no fence for yet: a READ may be executed behind a WRITE or atomic
	// that follows it, and what it brings is there when it has completed.
	reads []Piece // of the peer's regions
	lands []Piece // own
}

func newTalk(d *draft, c *Connection) *talk {
	t := &talk{draft: d, c: c}
	for i := range c.Ends {
		t.speakers[i] = &speaker{
			host: i, e: &c.Ends[i], peer: &c.Ends[1-i], mtu: c.MTU, kinds: d.kinds(), batch: 1 + d.r.IntN(8), recvBatch: 1 + d.r.IntN(4),
		}
	}
	return t
}

func (s *speaker) most() int { return min(s.bytes, mostBytes(s.mtu)) }

// draw draws all there is, in any order.
func (t *talk) draw() {
	t.lenders()
	for {
		total := t.speakers[0].left + t.speakers[1].left
		for _, l := range t.loans {
			total += l.left
		}
		if total == 0 {
			break
		}
		t.step(t.r.IntN(total))
	}
	for _, s := range t.speakers {
		if n := len(s.e.Messages); n > 0 {
			last := &s.e.Messages[n-1]
			last.Signaled, last.Ring = true, true
		}
	}
}

// step draws what comes next: a message of a speaker, or a step of a loan.
func (t *talk) step(n int) {
	for _, s := range t.speakers {
		if n < s.left {
			s.left--
			t.add(s, t.message(s))
			return
		}
		n -= s.left
	}
	for _, l := range t.loans {
		if n < l.left {
			l.left--
			t.advance(l)
			return
		}
		n -= l.left
	}
}

// add appends a message, with the receive and the fence that it needs, and returns its index.
func (t *talk) add(s *speaker, m Message) int {
	i := len(s.e.Messages)
	s.bytes -= min(s.bytes, m.Length)
	m.Fence = s.needsFence(m) || t.hits(s.kinds.fence) || isLocal(m.Op) && t.r.IntN(3) == 0
	s.note(m)
	s.quiet++
	if s.quiet >= depthOf(s.e.Cap.MaxSendWR) {
		m.Signaled = true
	}
	if m.Signaled || s.e.SigAll {
		s.quiet = 0
	}
	m.Ring = t.r.IntN(s.batch) == 0
	if consumes(m.Op) {
		m.Receive = len(s.peer.Receives)
		s.peer.Receives = append(s.peer.Receives, t.receive(1-s.host, s.peer, m, i, s.recvBatch))
	}
	s.e.Messages = append(s.e.Messages, m)
	return i
}

// needsFence tells whether a message has to wait for READs and atomics before it, so that what comes of it is
// certain.
func (s *speaker) needsFence(m Message) bool {
	if (isWrite(m.Op) || isAtomic(m.Op)) && overlaps(s.reads, m.Sink) {
		return true
	}
	if m.Op == verbs.WRSendInv && len(s.reads) > 0 { // a READ may be of what it invalidates
		return true
	}
	return !hasResponse(m.Op) && slices.ContainsFunc(m.Source, func(p Piece) bool { return overlaps(s.lands, p) })
}

// note notes what a message does to those behind it.
func (s *speaker) note(m Message) {
	if m.Fence {
		s.reads, s.lands = nil, nil
	}
	if !hasResponse(m.Op) {
		return
	}
	if m.Op == verbs.WRRead && !m.Shared {
		s.reads = append(s.reads, m.Sink)
	}
	for _, p := range m.Source {
		if p.Region == noRegion || p.Length == 0 {
			continue
		}
		s.lands = append(s.lands, p)
		if !m.Shared {
			s.brought = append(s.brought, p)
		}
	}
}

func overlaps(pieces []Piece, p Piece) bool {
	return p.Region != noRegion && slices.ContainsFunc(pieces, func(q Piece) bool {
		return q.Region == p.Region && q.Offset < p.Offset+p.Length && p.Offset < q.Offset+q.Length
	})
}
