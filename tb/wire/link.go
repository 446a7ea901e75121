package wire

import (
	"context"
	"fmt"
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
	Arriving  []byte        // as it arrives, if the wire changes it; else nil
	Packet    Packet        // what it is to Faults
	RoCE      bool          // it is a RoCEv2 packet, and Packet says which
	Action    Action        // what became of it
	Late      bool          // a delayed frame arrives, which was shown before when it was sent
}

// Arrives tells whether the other end gets the frame now, as it was sent but for a mark of congestion. What
// a [Flip] leaves of one may be as good: see Arriving.
func (c Crossing) Arrives() bool {
	return c.Action == Pass || c.Action == Duplicate || c.Action == Mark || c.Late
}

// Tap sees every frame that is sent, those that are then lost among them, and a
// delayed one again when it arrives.
type Tap func(Crossing)

// Link is a wire between two ends. It is used by one goroutine at a time.
type Link struct {
	// Clock, where it is not nil, tells the time of outages and delays. Without it a microsecond passes with each
	// frame, and delayed ones arrive when nobody sends.
	Clock func() time.Duration
	// Latency is how long a frame is on its way, on a link with a clock: from the frames that are sent when it is set on.
	Latency time.Duration

	ends     [2]End
	faults   Faults
	taps     []Tap
	attempts map[attemptKey]int
	count    int
	hits     []int        // packets that each rule with an Nth has covered
	held     [2][]held    // delayed frames of a direction, oldest first
	line     [2][]arrival // frames on their way, for Latency
}

// NewLink returns a link between a and b that has the given faults; the zero
// Faults has none.
func NewLink(a, b End, faults Faults, taps ...Tap) *Link {
	l := &Link{ends: [2]End{a, b}, taps: taps, attempts: map[attemptKey]int{}}
	l.SetFaults(faults)
	return l
}

// SetFaults has the link fail otherwise from now on: with the zero Faults, not at all. Delayed frames stay so.
func (l *Link) SetFaults(f Faults) { l.faults, l.hits = f, make([]int, len(f.Rules)) }

// now is the time of outages and delays.
func (l *Link) now() time.Duration {
	if l.Clock != nil {
		return l.Clock()
	}
	return time.Duration(l.count) * time.Microsecond
}

// Step carries at most one frame in each direction, and delayed ones that have
// waited long enough, and returns how many directions had one.
func (l *Link) Step() int {
	moved := 0
	moved += l.arrive()
	for d := range Direction(2) {
		frame, ok := l.ends[d].Send()
		if ok {
			l.carry(d, frame)
			l.overtake(d)
		}
		if l.expire(d, !ok) || ok {
			moved++
		}
	}
	return moved
}

func (l *Link) show(c Crossing) {
	for _, tap := range l.taps {
		tap(c)
	}
}

// Run carries frames until neither end has any, and returns how many there were. On a link with a
// clock some may still be delayed.
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
	var r Rule
	if c.Packet, c.RoCE = parse(frame); c.RoCE {
		c.Packet.Direction = d
		c.Packet.Attempt = l.attempt(c.Packet)
		r = l.decide(c.Packet)
		c.Action = r.Action
	}
	if l.faults.down(l.now()) {
		c.Action = Drop
	}
	if c.Arriving = l.faults.arriving(c.Action, c.Packet, frame); c.Action == Mark && c.Arriving == nil {
		c.Action = Pass
	}
	l.show(c)
	if c.Action == Delay {
		l.hold(c, r)
		return
	}
	l.deliver(c)
}

// deliver gives the other end what it gets of a frame at once.
func (l *Link) deliver(c Crossing) {
	switch d := c.Direction; {
	case c.Action == Drop:
	case c.Arriving != nil:
		l.receive(d, c.Arriving)
	case c.Action == Duplicate:
		l.receive(d, append([]byte(nil), c.Frame...))
		l.receive(d, c.Frame)
	default:
		l.receive(d, c.Frame)
	}
}

// decide returns the first rule that hits a packet.
func (l *Link) decide(p Packet) Rule {
	for i, r := range l.faults.Rules {
		if !r.covers(p) {
			continue
		}
		l.hits[i]++
		if (r.Nth == 0 || r.Nth == l.hits[i]) && l.faults.hits(i, p) {
			return r
		}
	}
	return Rule{}
}

// attemptKey names a packet among all that ever crossed the link.
type attemptKey struct {
	direction Direction
	qp, psn   uint32
	response  bool
}

// attempt counts how often a packet has been sent before.
func (l *Link) attempt(p Packet) int {
	key := attemptKey{p.Direction, p.QP, p.PSN, p.Response}
	n := l.attempts[key]
	l.attempts[key]++
	return n
}
