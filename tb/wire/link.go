package wire

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// End is a NIC at one end of a link. Frames are without FCS.
type End interface {
	// Receive takes a frame from the wire.
	Receive(frame []byte)
	// Send returns the next frame for the wire, false if there is none now.
	Send() ([]byte, bool)
}

// Direction is a direction of a link.
type Direction uint8

// Directions.
const (
	AToB Direction = iota
	BToA
)

func (d Direction) String() string { return [...]string{"a to b", "b to a"}[d&1] }

// Crossing is a frame on the wire.
type Crossing struct {
	Number    int // of all frames of the link, from 1
	Direction Direction
	Time      time.Duration // a microsecond a frame
	Frame     []byte        // as it was sent; not to be changed
	Packet    Packet        // what it is to Faults
	RoCE      bool          // it is a RoCEv2 packet, and Packet says which
	Action    Action        // what became of it
	Late      bool          // a delayed frame arrives, which was shown before when it was sent
}

// Arrives tells whether the other end gets the frame, as it was sent, now.
func (c Crossing) Arrives() bool {
	return c.Action == Pass || c.Action == Duplicate || c.Late
}

// Tap sees every frame that is sent, those that are then lost among them, and a
// delayed one again when it arrives.
type Tap func(Crossing)

// Link is a wire between two ends. It is used by one goroutine at a time.
type Link struct {
	ends     [2]End
	faults   Faults
	taps     []Tap
	attempts map[attemptKey]int
	count    int
	held     [2][]heldFrame // delayed frames of a direction, oldest first
}

// heldFrame is a delayed frame.
type heldFrame struct {
	Crossing
	overtakers int // frames that have yet to overtake it
}

// NewLink returns a link between a and b that has the given faults; the zero
// Faults has none.
func NewLink(a, b End, faults Faults, taps ...Tap) *Link {
	return &Link{ends: [2]End{a, b}, faults: faults, taps: taps, attempts: map[attemptKey]int{}}
}

// Step carries at most one frame in each direction, and delayed ones that have
// waited long enough, and returns how many directions had one.
func (l *Link) Step() int {
	moved := 0
	for d := range Direction(2) {
		if frame, ok := l.ends[d].Send(); ok {
			l.carry(d, frame)
			l.overtake(d)
			moved++
		} else if len(l.held[d]) > 0 { // nobody is left to overtake it
			l.release(d, 0)
			moved++
		}
	}
	return moved
}

// overtake counts a frame that overtook the delayed ones, and lets those go that
// have waited long enough.
func (l *Link) overtake(d Direction) {
	for i := 0; i < len(l.held[d]); {
		h := &l.held[d][i]
		if h.Number == l.count { // it is that frame itself
			i++
		} else if h.overtakers--; h.overtakers > 0 {
			i++
		} else {
			l.release(d, i)
		}
	}
}

// release lets delayed frame i arrive.
func (l *Link) release(d Direction, i int) {
	c := l.held[d][i].Crossing
	l.held[d] = slices.Delete(l.held[d], i, i+1)
	c.Late = true
	l.show(c)
	l.ends[1-d].Receive(c.Frame)
}

func (l *Link) show(c Crossing) {
	for _, tap := range l.taps {
		tap(c)
	}
}

// Run carries frames until neither end has any, and returns how many there were.
// More than limit frames are an error: two ends that talk for ever.
func (l *Link) Run(ctx context.Context, limit int) (int, error) {
	frames := 0
	for {
		moved := l.Step()
		frames += moved
		switch {
		case moved == 0:
			return frames, nil
		case ctx.Err() != nil:
			return frames, fmt.Errorf("wire: after %d frames: %w", frames, context.Cause(ctx))
		case frames > limit:
			return frames, fmt.Errorf("wire: more than %d frames, and the ends still talk", limit)
		}
	}
}

// carry takes one frame to the other end, or not.
func (l *Link) carry(d Direction, frame []byte) {
	l.count++
	c := Crossing{Number: l.count, Direction: d, Time: time.Duration(l.count) * time.Microsecond, Frame: frame}
	if c.Packet, c.RoCE = parse(frame); c.RoCE {
		c.Packet.Attempt = l.attempt(c.Packet)
		c.Action = l.faults.Decide(c.Packet)
	}
	l.show(c)
	to := l.ends[1-d]
	switch c.Action {
	case Drop:
	case Delay:
		l.held[d] = append(l.held[d], heldFrame{c, l.faults.delay(c.Packet)})
	case Corrupt:
		to.Receive(l.faults.corrupt(c.Packet, frame))
	case Duplicate:
		to.Receive(append([]byte(nil), frame...))
		to.Receive(frame)
	default:
		to.Receive(frame)
	}
}

// attemptKey names a packet among all that ever crossed the link.
type attemptKey struct {
	qp, psn  uint32
	response bool
}

// attempt counts how often a packet has been sent before.
func (l *Link) attempt(p Packet) int {
	key := attemptKey{p.QP, p.PSN, p.Response}
	n := l.attempts[key]
	l.attempts[key]++
	return n
}
