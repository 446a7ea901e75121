package main

import "gornic/tb/wire"

// A line is one direction of the wire, as it was used.
type line struct {
	beatBytes int
	sent      []mark // when frames left: beats, and packets of requests
	requests  mark   // all requests so far
	acked     []mark // when acknowledgements left: requests of the other direction that they are for, in all
	psn       map[uint32]uint32
	answered  int
}

// A mark is how much there was up to a cycle.
type mark struct {
	cycle   uint64
	beats   int
	packets int
}

func newLine(beatBytes int) line { return line{beatBytes: beatBytes, psn: map[uint32]uint32{}} }

// forget forgets the frames, but not how far they are acknowledged.
func (l *line) forget() { l.sent, l.requests, l.acked = nil, mark{}, nil }

// see notes a frame whose last beat was taken in a cycle.
func (l *line) see(cycle uint64, c wire.Crossing) {
	beats := (len(c.Frame) + l.beatBytes - 1) / l.beatBytes
	all := mark{cycle: cycle, beats: beats}
	if n := len(l.sent); n > 0 {
		all.beats += l.sent[n-1].beats
		all.packets = l.sent[n-1].packets
	}
	if c.Packet.Response {
		l.acknowledge(cycle, c.Packet)
	} else {
		all.packets++
		l.requests.beats += beats
		l.requests.packets++
	}
	l.sent = append(l.sent, all)
}

// acknowledge counts the requests that an acknowledgement is the first to be for. The
// first PSN of each queue pair is 0.
func (l *line) acknowledge(cycle uint64, p wire.Packet) {
	next := p.PSN + 1
	l.answered += int(int32(next<<8-l.psn[p.QP]<<8) >> 8)
	l.psn[p.QP] = next
	l.acked = append(l.acked, mark{cycle: cycle, packets: l.answered})
}

// perRequest is the mean number of beats of a request.
func (l *line) perRequest() float64 { return float64(l.requests.beats) / float64(l.requests.packets) }

// between returns the first and the last of some marks in the cycles from begin to end.
func between(marks []mark, begin, end uint64) (first, last mark) {
	for _, m := range marks {
		switch {
		case m.cycle < begin:
		case m.cycle > end:
			return first, last
		case first == mark{}:
			first = m
		default:
			last = m
		}
	}
	return first, last
}
