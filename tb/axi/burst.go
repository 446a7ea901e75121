package axi

import (
	"errors"
	"fmt"
	"math/bits"

	"gornic/hdl/sim"
	"gornic/tb/host"
)

// burst is a read or a write that was taken.
type burst struct {
	id     uint64
	addr   uint64   // of the next beat
	beats  int      // that are left
	due    uint64   // cycle in which it is answered, or later
	stored []stored // of a write, the beats that came
}

// pageBytes is the boundary that no burst may cross.
const pageBytes = host.PageBytes

// burstOf takes the fields of an address beat apart, and checks them against beats
// of size bytes.
func burstOf(channel string, b sim.Beat, idWidth, size int) (*burst, error) {
	rest := b.Words[1]
	field := func(width int) uint64 {
		v := rest & (1<<width - 1)
		rest >>= width
		return v
	}
	u := &burst{addr: b.Words[0], id: field(idWidth)}
	u.beats = int(field(8)) + 1
	bytes, kind, lock := 1<<field(3), field(2), field(1)
	wrong := ""
	switch {
	case kind != 1:
		wrong = fmt.Sprintf("burst of kind %d: not INCR", kind)
	case bytes != size:
		wrong = fmt.Sprintf("beats of %d bytes: not of %d, the width of the bus", bytes, size)
	case u.addr%uint64(size) != 0:
		wrong = fmt.Sprintf("address %#x: not that of a whole beat", u.addr)
	case u.addr%pageBytes+uint64(u.beats*size) > pageBytes:
		wrong = fmt.Sprintf("%d beats of %d bytes from %#x on: they cross a boundary of 4 KiB", u.beats, size, u.addr)
	case lock != 0:
		wrong = "an exclusive access"
	}
	if wrong != "" {
		return nil, &ProtocolError{Channel: channel, Cycle: b.Cycle, What: wrong}
	}
	return u, nil
}

// ProtocolError is what a master did against the rules.
type ProtocolError struct {
	Channel string // "AR", "AW" or "W"
	Cycle   uint64 // of the simulation's clock
	What    string
}

func (e *ProtocolError) Error() string {
	return fmt.Sprintf("axi: %s, cycle %d: %s", e.Channel, e.Cycle, e.What)
}

// response is the response to an access.
func response(err error) uint64 {
	switch {
	case err == nil:
		return okay
	case errors.Is(err, host.ErrUnmapped):
		return decErr
	}
	return slvErr
}

// turns are the bursts that may be answered next: the first one, or with reorder the
// first one of each ID. yield gets the number of each.
func turns(waiting []*burst, reorder bool, yield func(i int)) {
	seen := uint64(0)
	for i, b := range waiting {
		if seen>>b.id&1 == 0 {
			yield(i)
		}
		if seen |= 1 << b.id; !reorder {
			return
		}
	}
}

// pick draws one of those that are due and whose turn it is; -1: there is none.
func (m *Memory) pick(waiting []*burst, reorder bool) int {
	m.choice = m.choice[:0]
	turns(waiting, reorder, func(i int) {
		if waiting[i].due <= m.now {
			m.choice = append(m.choice, i)
		}
	})
	switch len(m.choice) {
	case 0:
		return -1
	case 1:
		return m.choice[0]
	}
	return m.choice[m.below(len(m.choice))]
}

// wait is how many cycles it takes until a burst is due whose turn it is.
func (m *Memory) wait(waiting []*burst, reorder bool) uint64 {
	first := never
	turns(waiting, reorder, func(i int) { first = min(first, waiting[i].due) })
	if first == never {
		return never
	}
	return max(first, m.now) - m.now
}

// never is so many cycles that nobody waits for them.
const never = ^uint64(0)

// log2 is the logarithm of a power of two.
func log2(n int) int { return bits.Len(uint(n)) - 1 }
