package main

import "gornic/tb/wire"

// A line is one direction of the wire, as it was used.
type line struct {
	beatBytes int
	sent      []mark // when frames left: beats, and packets of requests
	requests  mark   // all requests so far
	answers   mark   // all answers to requests so far
	acked     []mark // when acknowledgements left: requests of the other direction that they are for, in all
	psn       map[uint32]uint32
	answered  int
}

// A mark is how much there was up to a cycle.
type mark struct {
	cycle   uint64
	beats   int
	packets int // requests
	answers int // and answers to requests: acknowledgements, READ responses
}

func newLine(beatBytes int) line { return line{beatBytes: beatBytes, psn: map[uint32]uint32{}} }

// forget forgets the frames, but not how far they are acknowledged.
func (l *line) forget() { l.sent, l.requests, l.answers, l.acked = nil, mark{}, mark{}, nil }

// see notes a frame whose last beat was taken in a cycle.
func (l *line) see(cycle uint64, c wire.Crossing) {
	beats := (len(c.Frame) + l.beatBytes - 1) / l.beatBytes
	all := mark{cycle: cycle, beats: beats}
	if n := len(l.sent); n > 0 {
		all.beats += l.sent[n-1].beats
		all.packets, all.answers = l.sent[n-1].packets, l.sent[n-1].answers
	}
	if c.Packet.Response {
		all.answers++
		l.answers.beats += beats
		l.answers.answers++
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

// perAnswer is the mean number of beats of an answer.
func (l *line) perAnswer() float64 {
	return float64(l.answers.beats) / float64(max(l.answers.answers, 1))
}

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
