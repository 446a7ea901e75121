package program

import "gornic/verbs"

// source cuts n bytes into pieces, some of which have none.
func (d *draft) source(host, pd, n, count int, renewed bool) []Piece {
	var pieces []Piece
	for _, part := range d.cut(n, count) {
		switch {
		case part == 0:
			if n > 0 || d.r.IntN(2) == 0 {
				pieces = append(pieces, d.empty(host, pd))
			}
		case renewed:
			pieces = append(pieces, d.layouts[host].fresh(pd, part, 0))
		default:
			pieces = append(pieces, d.layouts[host].shared(pd, part, 0))
		}
	}
	return pieces
}

// empty is an SGE of no bytes: somewhere in a region, or nowhere.
func (d *draft) empty(host, pd int) Piece {
	if d.r.IntN(2) == 0 {
		return Piece{Region: noRegion}
	}
	p := d.layouts[host].shared(pd, 1, 0)
	p.Length = 0
	return p
}

// cut makes count numbers of sum n; some may be 0.
func (d *draft) cut(n, count int) []int {
	var parts []int
	for range count - 1 {
		part := d.r.IntN(n + 1)
		if d.r.IntN(4) == 0 {
			part = min(n, d.r.IntN(20))
		}
		parts = append(parts, part)
		n -= part
	}
	return append(parts, n)
}

// arenaPart is now and then a piece of n bytes of an arena.
func (t *talk) arenaPart(s *speaker, n int) (Piece, bool) {
	if n == 0 || n > arenaBytes || !t.hits(s.kinds.shared) || t.r.IntN(2) == 0 {
		return Piece{}, false
	}
	host, pd := 1-s.host, s.peer.PD
	i, ok := t.arenas[host][pd]
	if !ok {
		i = t.layouts[host].kept(Region{
			PD: pd, Length: arenaBytes, Access: verbs.AccessLocalWrite | verbs.AccessRemoteWrite | verbs.AccessRemoteRead,
		})
		t.arenas[host][pd] = i
	}
	return Piece{i, t.r.IntN(arenaBytes - n + 1), n}, true
}

// sink is where a WRITE of n bytes goes: a place of its own, or in part that of a WRITE or
// atomic of the same connection before it.
func (t *talk) sink(s *speaker, n int) Piece {
	if n == 0 {
		return Piece{Region: noRegion}
	}
	const rights = verbs.AccessLocalWrite | verbs.AccessRemoteWrite
	if p, ok := t.among(s, n, rights); ok {
		return p
	}
	p := t.layouts[1-s.host].fresh(s.peer.PD, n, rights)
	s.sinks = append(s.sinks, p)
	return p
}

// origin is where a READ of n bytes reads: what nobody writes, or what the same
// connection has written.
func (t *talk) origin(s *speaker, n int) Piece {
	if n == 0 {
		return Piece{Region: noRegion}
	}
	if p, ok := t.among(s, n, verbs.AccessRemoteRead); ok {
		return p
	}
	return t.layouts[1-s.host].shared(s.peer.PD, n, verbs.AccessRemoteRead)
}

// among is now and then a piece of n bytes of one that the connection has worked on.
func (t *talk) among(s *speaker, n int, rights verbs.Access) (Piece, bool) {
	before := append(s.sinks[:len(s.sinks):len(s.sinks)], s.words...)
	if len(before) == 0 || t.r.IntN(3) > 0 {
		return Piece{}, false
	}
	p := before[t.r.IntN(len(before))]
	if p.Length < n || t.layouts[1-s.host].regions[p.Region].Access&rights != rights {
		return Piece{}, false
	}
	return Piece{p.Region, p.Offset + t.r.IntN(p.Length-n+1), n}, true
}

// receive is the receive work request for message i.
func (d *draft) receive(host int, e *End, m Message, i, batch int) Receive {
	n := 0
	if isSend(m.Op) {
		n = m.Length + d.r.IntN(2)*d.r.IntN(100)
	} else if d.r.IntN(4) == 0 { // a WRITE does not touch it
		n = d.r.IntN(100)
	}
	return Receive{Pieces: d.landing(host, e, n), Message: i, Late: d.r.IntN(8) == 0, Ring: d.r.IntN(batch) == 0}
}

// landing is a list for a receive, with room for n bytes that nobody else writes to.
func (d *draft) landing(host int, e *End, n int) []Piece {
	return d.room(host, e.PD, n, 1+d.r.IntN(recvSGEs(e.Cap)))
}

// room is a list of up to count pieces with n bytes that nobody else writes to.
func (d *draft) room(host, pd, n, count int) []Piece {
	var pieces []Piece
	for _, part := range d.cut(n, count) {
		switch {
		case part > 0:
			pieces = append(pieces, d.layouts[host].fresh(pd, part, verbs.AccessLocalWrite))
		case n > 0:
			pieces = append(pieces, d.empty(host, pd))
		}
	}
	return pieces
}

// part is any part of a piece, of one byte or more.
func (d *draft) part(p Piece) Piece {
	n := 1 + d.r.IntN(p.Length)
	return Piece{p.Region, p.Offset + d.r.IntN(p.Length-n+1), n}
}

// arenaBytes is so little that much of it meets.
const arenaBytes = 320
