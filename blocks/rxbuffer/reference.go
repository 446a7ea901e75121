package rxbuffer

import "gornic/format"

// Model is the reference of the packet buffer, frame by frame: a frame is stored
// until its verdict is known, then handed on whole or forgotten whole. Time is
// the order of the calls.
type Model struct {
	beatBytes, beats, frames int

	used     int
	queue    []Entry
	counters Counters
}

// NewModel returns an empty buffer for payload of beats times beatBytes bytes
// and the descriptors of frames packets.
func NewModel(beatBytes, beats, frames int) *Model {
	return &Model{beatBytes: beatBytes, beats: beats, frames: frames}
}

// Entry is one stored packet.
type Entry struct {
	Descriptor format.RxDescriptor[uint64]
	Payload    []byte
	beats      int
}

// Counters counts frames by what became of them.
type Counters struct {
	Stored  uint64 // verdict good, room for the whole frame
	Full    uint64 // verdict good, no room: dropped whole
	Refused uint64 // verdict bad: dropped whole
	Highest int    // most beats that stored packets ever used at once
}

// Write offers a packet with the reason that the parser and the ICRC gave, and
// returns the reason after the buffer. A packet without payload takes no beats,
// only its descriptor's place.
func (m *Model) Write(d format.RxDescriptor[uint64], payload []byte, reason format.Reason) format.Reason {
	beats := (len(payload) + m.beatBytes - 1) / m.beatBytes
	switch {
	case reason != format.ReasonOK:
		m.counters.Refused++
		return reason
	case m.used+beats > m.beats || len(m.queue) == m.frames:
		m.counters.Full++
		return format.ReasonBufferFull
	}
	m.queue = append(m.queue, Entry{d, payload, beats})
	m.used += beats
	m.counters.Stored++
	m.counters.Highest = max(m.counters.Highest, m.used)
	return format.ReasonOK
}

// Read takes the oldest packet out, false if there is none.
func (m *Model) Read() (Entry, bool) {
	if len(m.queue) == 0 {
		return Entry{}, false
	}
	e := m.queue[0]
	m.queue = m.queue[1:]
	m.used -= e.beats
	return e, true
}

// Used returns the beats in use.
func (m *Model) Used() int { return m.used }

// Counters returns the counters.
func (m *Model) Counters() Counters { return m.counters }
