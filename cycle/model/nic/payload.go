package nic

import (
	"gornic/cycle/model/link"
	"gornic/cycle/simkit"
)

// segment is a part of a payload in virtual addresses.
type segment struct {
	qp     int32
	key    int32
	addr   uint64
	length int32
	last   bool  // of its packet
	probe  bool  // its key is looked at, no bytes move
	skip   bool  // its bytes are dropped
	bus    bool  // it names a bus address: no key is looked at
	here   Cycle // when its packet's payload is at scatter, of received ones
}

// translate turns segments into pieces: one for each direction.
type translate struct {
	*simkit.Component
	n       *NIC
	dir     int
	client  int8
	toBeats *simkit.Component

	ask, answerPiece, page, said, interval, missTime Cycle

	next  func() *simkit.Stream[segment] // where the next segment comes from, nil: nowhere yet
	taken func(segment)
	asks  *simkit.Stream[int32]
	known *simkit.Stream[bool]
	reads *simkit.Stream[link.Read]
	done  *simkit.Stream[link.ReadDone]
	out   *simkit.Stream[segment] // pieces
	says  *simkit.Stream[int32]   // Translated, of received packets

	waiting   ringOf[segment] // whose key is asked for, or known
	most      int             // of them
	lines     *lru
	free      Cycle
	pieceFree Cycle
	at        int32 // bytes of the first of waiting that have their pieces
	fetching  bool
}

// questions asks for keys.
func (t *translate) questions(now Cycle) Cycle {
	in := t.next()
	if in == nil {
		return simkit.Never
	}
	if !in.Ready() || now < t.free {
		return in.Next(t.free)
	}
	if t.waiting.size >= t.most {
		t.Waits("keycache")
		return simkit.Never
	}
	s := *in.Head()
	if !s.skip && !s.bus && !t.asks.Room() {
		t.Waits("keycache")
		return simkit.Never
	}
	in.Pop()
	t.taken(s)
	if !s.skip && !s.bus {
		t.asks.PushAfter(s.key, t.ask)
	}
	t.waiting.push(s)
	t.free = t.Busy(now + t.interval)
	t.Use.Items++
	if in = t.next(); in == nil {
		return t.free
	}
	return in.Next(t.free)
}

// pieces gives pieces of segments whose keys are known.
func (t *translate) pieces(now Cycle) Cycle {
	if t.waiting.size == 0 {
		return simkit.Never
	}
	if now < t.pieceFree {
		return t.pieceFree
	}
	s := t.waiting.front()
	if t.fetching {
		if !t.done.Ready() {
			t.Waits("host memory")
			return t.done.Next(0)
		}
		t.done.Pop()
		t.fetching = false
		t.lines.put(t.line(s))
	}
	if !s.skip && !s.bus && t.at == 0 && !t.known.Ready() {
		return t.known.Next(0)
	}
	if !t.out.Room() || t.says != nil && !t.says.Room() {
		t.Waits(t.n.nameAfter(t.dir))
		return simkit.Never
	}
	piece, wait := t.piece(now, s)
	if wait {
		return t.done.Next(0)
	}
	if t.at == 0 && !s.skip && !s.bus {
		t.known.Pop()
	}
	t.at += piece.length
	over := t.at >= s.length || s.probe || s.skip
	piece.last = s.last && over
	at := now + t.answerPiece
	if t.n.p.Paged && !s.skip {
		at = now + t.page
	}
	t.out.PushAt(piece, at)
	if t.says != nil && piece.last {
		t.says.PushAt(s.qp, at+t.said)
	}
	t.pieceFree = now + 1
	if t.n.p.Paged {
		t.pieceFree = now + 2
	}
	if over {
		t.at = 0
		t.waiting.pop()
	}
	if t.waiting.size == 0 {
		return simkit.Never
	}
	return t.pieceFree
}

// piece is the next piece of a segment, true if its line of the page list has to be read first.
func (t *translate) piece(now Cycle, s *segment) (segment, bool) {
	p := *s
	if !t.n.p.Paged || s.skip || s.probe || s.bus {
		return p, false
	}
	if line := t.line(s); !t.lines.has(line) {
		t.n.Stats.LineMisses[t.dir]++
		if !t.reads.Room() {
			t.Waits("dma")
			return p, true
		}
		t.reads.PushAfter(link.Read{Client: t.client, Beats: max(1, 64/t.n.beatBytes()), Bytes: 64}, t.missTime)
		t.fetching = true
		t.Waits("host memory")
		return p, true
	}
	t.n.Stats.LineHits[t.dir]++
	page := uint64(1) << t.n.p.PageBits
	p.addr += uint64(t.at)
	p.length = int32(min(uint64(s.length-t.at), page-p.addr%page))
	return p, false
}

// line names the line of the page list that the next byte needs: 8 pages of a key.
func (t *translate) line(s *segment) int64 {
	return int64(s.key)<<32 | int64((s.addr+uint64(t.at))>>t.n.p.PageBits/8)
}

// nameAfter is who takes the pieces of a direction.
func (n *NIC) nameAfter(dir int) string {
	if dir == contextTx {
		return "gather"
	}
	return "scatter"
}

// keycache holds keys that are in use.
type keycache struct {
	*simkit.Component
	n            *NIC
	answer, miss Cycle
	cache        names
	asks         [2]*simkit.Stream[int32]
	known        [2]*simkit.Stream[bool]
	reads        *simkit.Stream[link.Read]
	done         *simkit.Stream[link.ReadDone]
	missing      [2]int32 // the key that a client waits for, -1: none
	asked        [2]bool  // its read has been asked for
}

// run answers a question a cycle of each client; a client that misses waits.
func (k *keycache) run(now Cycle) Cycle {
	next := simkit.Never
	for k.done.Ready() {
		c := k.done.Pop().Tag
		k.cache.put(int64(k.missing[c]))
		k.known[c].PushAfter(true, k.answer-1)
		k.missing[c], k.asked[c] = -1, false
	}
	for c := range k.asks {
		if k.missing[c] >= 0 {
			next = min(next, k.ask(int32(c)))
			continue
		}
		if !k.asks[c].Ready() || !k.known[c].Room() {
			next = min(next, k.asks[c].Next(0))
			continue
		}
		key := k.asks[c].Pop()
		k.Use.Items++
		k.Busy(now + 1)
		if k.cache.has(int64(key)) {
			k.n.Stats.KeyHits++
			k.known[c].PushAfter(true, max(0, k.answer-2))
			next = min(next, k.asks[c].Next(0))
			continue
		}
		k.n.Stats.KeyMisses++
		k.missing[c] = key
		next = min(next, k.ask(int32(c)))
	}
	return min(next, k.done.Next(0))
}

// ask asks for the key that a client waits for.
func (k *keycache) ask(c int32) Cycle {
	if !k.asked[c] && k.reads.Room() {
		k.asked[c] = true
		k.reads.PushAfter(link.Read{Client: readKeys, Tag: c, Beats: max(1, 64/k.n.beatBytes()), Bytes: 64}, max(0, k.miss-2))
	}
	k.Waits("host memory")
	return simkit.Never
}

// gather reads payload, and holds it until it is whole.
type gather struct {
	*simkit.Component
	n *NIC

	burst, gathered, probed Cycle

	pieces *simkit.Stream[segment]
	reads  *simkit.Stream[link.Read]
	done   *simkit.Stream[link.ReadDone]
	freed  *simkit.Stream[int32] // words whose payload has left
	out    *simkit.Stream[Cycle] // Gathered: when the payload may leave

	room    int32 // words
	packets ringOf[gathering]
	at      int32 // bytes of the first piece that have been asked for
	flying  int32 // bursts
	free    Cycle
}

// gathering is a packet whose payload is being read.
type gathering struct {
	bytes   int32
	words   int32 // claimed
	bursts  int32 // on their way
	asked   bool  // all are
	ready   Cycle
	payload bool
}

// hear takes what has come, and room that is free again.
func (g *gather) hear(now Cycle) Cycle {
	for g.freed.Ready() {
		g.room += g.freed.Pop()
	}
	for g.done.Ready() {
		d := g.done.Pop()
		g.flying--
		for k := range g.packets.size {
			if p := g.packets.at(k); p.bursts > 0 {
				p.bursts--
				p.ready = d.Last + 1
				break
			}
		}
	}
	return min(g.freed.Next(0), g.done.Next(0))
}

// ask asks for a burst.
func (g *gather) ask(now Cycle) Cycle {
	if !g.pieces.Ready() || now < g.free {
		return g.pieces.Next(g.free)
	}
	s := g.pieces.Head()
	if g.packets.size == 0 || g.packets.at(g.packets.size-1).asked {
		if g.packets.size >= 64 {
			return g.Waits("transmit")
		}
		g.packets.push(gathering{ready: now})
	}
	p := g.packets.at(g.packets.size - 1)
	if s.probe {
		p.asked = s.last
		p.ready = now
		g.pieces.Pop()
		g.free = now + 1
		return g.pieces.Next(g.free)
	}
	n := g.n.chunk(s.addr+uint64(g.at), s.length-g.at)
	last := g.at+n == s.length
	whole := p.bytes + n
	words := whole / g.n.beatBytes()
	if last && s.last && whole%g.n.beatBytes() != 0 {
		words++
	}
	words -= p.words
	if g.room < words || g.flying >= 64 {
		return g.Waits("transmit")
	}
	if !g.reads.Room() {
		return g.Waits("dma")
	}
	beats := g.n.beats(s.addr+uint64(g.at), n)
	g.reads.PushAfter(link.Read{Client: readGather, Beats: beats, Bytes: n}, g.burst-1)
	g.room -= words
	g.flying++
	p.words += words
	p.bytes = whole
	p.bursts++
	p.payload = true
	g.at += n
	g.Use.Items++
	if last {
		p.asked = s.last
		g.at = 0
		g.pieces.Pop()
	}
	g.free = g.Busy(now + 1)
	return g.pieces.Next(g.free)
}

// give tells of packets whose payload is whole, in order.
func (g *gather) give(now Cycle) Cycle {
	for g.packets.size > 0 {
		p := g.packets.front()
		if !p.asked || p.bursts > 0 {
			if p.bursts > 0 {
				g.Waits("host memory")
			}
			return simkit.Never
		}
		if !g.out.Room() {
			return g.Waits("transmit")
		}
		at := p.ready + g.gathered - 1
		if !p.payload {
			at = p.ready + g.probed
		}
		g.out.PushAt(at, at)
		g.packets.pop()
	}
	return simkit.Never
}
