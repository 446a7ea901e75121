package program

import (
	"context"
	"fmt"
	"math"
)

// arena is a region that WRITEs of several queue pairs go to, and READs take from. Which of
// two comes first nobody says but the order of one queue pair, and that of the hosts: what
// had completed when another was posted was before it.
type arena struct {
	side   *side
	region int
	first  []byte
	writes []*access
	reads  []*access
}

// access is a WRITE or READ of an arena. Times are counts of what hosts have done.
type access struct {
	by           *end
	message      int
	at           Piece
	data         []byte // of a WRITE
	posted, done int    // done is never, until its completion has come
	fences       int    // of its queue pair, up to it
}

const never = math.MaxInt

// follows tells that b was carried out after a for sure.
func (b *access) follows(a *access) bool {
	return a.done < b.posted || a.by == b.by && a.message < b.message
}

func (a *access) covers(offset int) bool {
	return a.at.Offset <= offset && offset < a.at.Offset+a.at.Length
}

// barred tells that a WRITE waits until a READ has completed.
func (b *access) barred(read *access) bool {
	return b.by == read.by && b.message > read.message && b.fences > read.fences
}

// fences counts those of messages up to the one that is being posted.
func (e *end) fences() int {
	n := 0
	for _, m := range e.Messages[:e.posted+1] {
		if m.Fence {
			n++
		}
	}
	return n
}

// arena returns the arena of a region.
func (g *game) arena(s *side, region int) *arena {
	for _, a := range g.arenas {
		if a.side == s && a.region == region {
			return a
		}
	}
	area := s.areas[region]
	a := &arena{side: s, region: region, first: append([]byte{}, area.holds(Piece{region, 0, area.Length})...)}
	g.arenas = append(g.arenas, a)
	return a
}

// mixes notes a WRITE or READ of an arena that is posted.
func (e *end) mixes(m Message) {
	g := e.side.game
	g.clock++
	a := g.arena(e.peer.side, m.Sink.Region)
	x := &access{by: e, message: e.posted, at: m.Sink, posted: g.clock, done: never, fences: e.fences()}
	if isWrite(m.Op) {
		x.data = e.payload(m)
		a.writes = append(a.writes, x)
	} else {
		a.reads = append(a.reads, x)
	}
}

// mixed notes that a WRITE or READ of an arena has completed. What a READ has brought may be there.
func (e *end) mixed(ctx context.Context, message int) error {
	g, m := e.side.game, e.Messages[message]
	a := g.arena(e.peer.side, m.Sink.Region)
	for _, x := range append(a.writes[:len(a.writes):len(a.writes)], a.reads...) {
		if x.by != e || x.message != message {
			continue
		}
		g.clock++
		x.done = g.clock
	}
	if isWrite(m.Op) {
		return nil
	}
	got, err := e.take(ctx, m)
	if err != nil {
		return err
	}
	for _, x := range a.reads {
		if x.by != e || x.message != message {
			continue
		}
		if err := a.check(x, got); err != nil {
			return fmt.Errorf("message %d, %v of %d bytes: %w", message, m.Op, m.Length, err)
		}
	}
	return nil
}

// take reads what a message has brought, and has the images agree.
func (e *end) take(ctx context.Context, m Message) ([]byte, error) {
	var got []byte
	for _, p := range m.Source {
		if p.Region == noRegion {
			continue
		}
		a := e.side.areas[p.Region]
		b, err := a.read(ctx, a.lead+p.Offset, p.Length)
		if err != nil {
			return nil, err
		}
		copy(a.holds(p), b)
		got = append(got, b...)
	}
	return got, nil
}

// check looks whether a READ may have found what it has: each byte is as it was at first, or
// that of a WRITE, that no other WRITE went over before the READ for sure.
func (a *arena) check(read *access, got []byte) error {
	for i, b := range got {
		if offset := read.at.Offset + i; !a.allows(offset, b, read) {
			return fmt.Errorf("byte %d of region %d, where many write: %#02x; at first it was %#02x, and WRITEs bring %x",
				offset, a.region, b, a.first[offset], a.values(offset))
		}
	}
	return nil
}

// allows tells whether a byte may be b for a reader.
func (a *arena) allows(offset int, b byte, reader *access) bool {
	past := false // there is a WRITE that was before
	for _, w := range a.writes {
		if !w.covers(offset) {
			continue
		}
		past = past || reader.follows(w)
		if w.data[offset-w.at.Offset] == b && !w.barred(reader) && !a.hidden(w, offset, reader) {
			return true
		}
	}
	return !past && a.first[offset] == b
}

// hidden tells that another WRITE went over a byte of one, before the reader for sure.
func (a *arena) hidden(w *access, offset int, reader *access) bool {
	for _, v := range a.writes {
		if v.covers(offset) && v.follows(w) && reader.follows(v) {
			return true
		}
	}
	return false
}

// values are all that WRITEs bring to a byte.
func (a *arena) values(offset int) []byte {
	var all []byte
	for _, w := range a.writes {
		if w.covers(offset) {
			all = append(all, w.data[offset-w.at.Offset])
		}
	}
	return all
}

// checkArenas checks what is left in the end, and has the images agree.
func (g *game) checkArenas(ctx context.Context) error {
	for _, a := range g.arenas {
		area := a.side.areas[a.region]
		got, err := area.read(ctx, area.lead, area.Length)
		if err != nil {
			return err
		}
		last := &access{at: Piece{a.region, 0, area.Length}, posted: never, message: -1}
		for _, w := range a.writes {
			w.done = min(w.done, never-1) // all messages are done
		}
		if err := a.check(last, got); err != nil {
			return fmt.Errorf("host %s, in the end: %w", a.side.name, err)
		}
		copy(area.holds(last.at), got)
	}
	return nil
}
