package wire

import (
	"math"
	"slices"
	"time"
)

// held is a delayed frame.
type held struct {
	Crossing
	overtakers int           // frames that have yet to overtake it; none: it waits for its time
	due        time.Duration // when it arrives at the latest
}

// patience is how long a frame waits for others that overtake it, on a link with a clock.
const patience = 5 * time.Microsecond

// hold delays a frame by a rule.
func (l *Link) hold(c Crossing, r Rule) {
	h := held{Crossing: c, due: math.MaxInt64}
	switch {
	case r.For > 0:
		h.due = l.now() + l.faults.pause(r, c.Packet)
	case l.Clock != nil:
		h.due = l.now() + patience
		fallthrough
	default:
		h.overtakers = l.faults.overtakers(r, c.Packet)
	}
	l.held[c.Direction] = append(l.held[c.Direction], h)
}

// overtake counts a frame that overtook the delayed ones, and lets those go that
// have waited long enough.
func (l *Link) overtake(d Direction) {
	for i := 0; i < len(l.held[d]); {
		h := &l.held[d][i]
		if h.Number == l.count || h.overtakers == 0 { // it is that frame itself, or waits for its time
			i++
		} else if h.overtakers--; h.overtakers > 0 {
			i++
		} else {
			l.release(d, i)
		}
	}
}

// expire lets the frame of a direction arrive whose time has come first, false if there is none. Without a clock time
// has come when nothing else is left to happen.
func (l *Link) expire(d Direction, idle bool) bool {
	first := -1
	for i, h := range l.held[d] {
		if first < 0 || h.due < l.held[d][first].due {
			first = i
		}
	}
	if first < 0 || l.held[d][first].due > l.now() && !(idle && l.Clock == nil) {
		return false
	}
	l.release(d, first)
	return true
}

// release lets delayed frame i arrive.
func (l *Link) release(d Direction, i int) {
	c := l.held[d][i].Crossing
	l.held[d] = slices.Delete(l.held[d], i, i+1)
	c.Late = true
	l.show(c)
	l.receive(d, c.Frame)
}

// Held is how many frames are on their way.
func (l *Link) Held() int {
	return len(l.held[AToB]) + len(l.held[BToA]) + len(l.line[AToB]) + len(l.line[BToA])
}

// arrival is a frame that arrives at a time.
type arrival struct {
	at    time.Duration
	frame []byte
}

// receive gives the other end of a direction a frame, at once or after the latency of the link.
func (l *Link) receive(d Direction, frame []byte) {
	if l.Latency == 0 && len(l.line[d]) == 0 {
		l.ends[1-d].Receive(frame)
		return
	}
	l.line[d] = append(l.line[d], arrival{l.now() + l.Latency, frame})
}

// arrive lets frames arrive whose time has come, and returns how many there were.
func (l *Link) arrive() int {
	moved := 0
	for d := range Direction(2) {
		for len(l.line[d]) > 0 && l.line[d][0].at <= l.now() {
			l.ends[1-d].Receive(l.line[d][0].frame)
			l.line[d] = l.line[d][1:]
			moved++
		}
	}
	return moved
}
