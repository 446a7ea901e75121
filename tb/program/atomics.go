package program

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"gornic/verbs"
)

// operands are the CompareAdd and Swap of an atomic.
func (e *end) operands(m Message) (compareAdd, swap uint64) {
	if m.Op == verbs.WRFetchAdd {
		return m.Operand, 0
	}
	compare := e.lastSeen(m)
	if !m.Matches {
		compare = ^compare
	}
	return compare, m.Operand
}

// lastSeen is what is in the word, as far as the host of the requester knows.
func (e *end) lastSeen(m Message) uint64 {
	if m.Shared {
		return e.side.game.counter(e.peer.side, m.Sink).seen
	}
	return binary.LittleEndian.Uint64(e.peer.side.areas[m.Sink.Region].holds(m.Sink))
}

// execute does an atomic in the image of its peer.
func (e *end) execute(m Message) {
	compareAdd, swap := e.operands(m)
	word := e.peer.side.areas[m.Sink.Region].holds(m.Sink)
	binary.LittleEndian.PutUint64(word, after(m.Op, binary.LittleEndian.Uint64(word), compareAdd, swap))
}

// after is what an atomic makes of a word.
func after(op verbs.Opcode, old, compareAdd, swap uint64) uint64 {
	switch {
	case op == verbs.WRFetchAdd:
		return old + compareAdd
	case old == compareAdd:
		return swap
	}
	return old
}

// counter is a word that atomics of several queue pairs work on. All are done in one order, that
// of the values that they find; each queue pair's are in its own order in it.
type counter struct {
	word  Piece
	side  *side
	first uint64
	seen  uint64 // the newest that a host knows of
	tries []try
}

// try is an atomic on it.
type try struct {
	by               *end
	message          int
	op               verbs.Opcode
	compareAdd, swap uint64
	found            uint64
	back             bool // it is known what it found
}

func (t try) String() string {
	return fmt.Sprintf("message %d of %v: %v with %#x, %#x found %#x", t.message, t.by, t.op, t.compareAdd, t.swap, t.found)
}

// counter returns the counter of a word.
func (g *game) counter(s *side, word Piece) *counter {
	for _, c := range g.counters {
		if c.side == s && c.word == word {
			return c
		}
	}
	first := binary.LittleEndian.Uint64(s.areas[word.Region].holds(word))
	c := &counter{word: word, side: s, first: first, seen: first}
	g.counters = append(g.counters, c)
	return c
}

// tries notes an atomic on a shared word that is posted.
func (e *end) tries(m Message) {
	c := e.side.game.counter(e.peer.side, m.Sink)
	compareAdd, swap := e.operands(m)
	c.tries = append(c.tries, try{by: e, message: e.posted, op: m.Op, compareAdd: compareAdd, swap: swap})
}

// found takes what an atomic on a shared word brought.
func (e *end) found(ctx context.Context, message int) error {
	m := e.Messages[message]
	b, err := e.take(ctx, m)
	if err != nil {
		return err
	}
	c := e.side.game.counter(e.peer.side, m.Sink)
	for i := range c.tries {
		if t := &c.tries[i]; t.by == e && t.message == message {
			t.found, t.back = binary.LittleEndian.Uint64(b), true
			c.seen = after(t.op, t.found, t.compareAdd, t.swap)
		}
	}
	return nil
}

// check puts all atomics in their order, and what they leave into the image.
func (c *counter) check() error {
	var worked, failed []try
	for _, t := range c.tries {
		if !t.back {
			return fmt.Errorf("%v: nobody knows what it found", t)
		}
		if after(t.op, t.found, t.compareAdd, t.swap) == t.found {
			failed = append(failed, t)
		} else {
			worked = append(worked, t)
		}
	}
	now, before := c.first, map[*end]int{}
	states := map[uint64]bool{now: true}
	for range len(worked) {
		i := slices.IndexFunc(worked, func(t try) bool { return t.found == now })
		if i < 0 {
			return fmt.Errorf("no atomic found %#x, which there was after %d of them; left are %v", now, len(states)-1, worked)
		}
		t := worked[i]
		worked = slices.Delete(worked, i, i+1)
		if last, ok := before[t.by]; ok && last > t.message {
			return fmt.Errorf("%v, behind message %d", t, last)
		}
		before[t.by] = t.message
		now = after(t.op, now, t.compareAdd, t.swap)
		states[now] = true
	}
	for _, t := range failed {
		if !states[t.found] {
			return fmt.Errorf("%v, which there never was", t)
		}
	}
	binary.LittleEndian.PutUint64(c.side.areas[c.word.Region].holds(c.word), now)
	return nil
}

// checkCounters checks all words that queue pairs share.
func (g *game) checkCounters() error {
	for _, c := range g.counters {
		if err := c.check(); err != nil {
			return fmt.Errorf("host %s, word at %d of region %d: %w", c.side.name, c.word.Offset, c.word.Region, err)
		}
	}
	return nil
}
