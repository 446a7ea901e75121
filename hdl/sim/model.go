package sim

// A model is a source or a sink inside a machine.
type model interface {
	sample(*machine)
	drive(*machine)
}

// streamImage is StreamPorts in numbers.
type streamImage struct {
	Domain       int
	Valid, Ready int   // ports; Ready -1 without
	Data         []int // ports
	Last         int   // index in Data; -1 without
	Words        int   // of a packed beat
}

// stream is what source and sink have in common: where their ports are, and
// the part of each port in the packed beat.
type stream struct {
	clock        *clockState
	valid, ready int // slots; ready -1 without
	parts        []beatPart
	last         int // slot; -1 without
	words        int
	gate         Gate
	next         *Pattern // to change to at the next edge
}

// beatPart is one word of a payload port, at a bit of the packed beat.
type beatPart struct {
	slot, at, width int
}

func newStream(m *machine, im streamImage, p Pattern) stream {
	s := stream{
		clock: &m.clocks[im.Domain], valid: m.img.Ports[im.Valid].Slots[0],
		ready: -1, last: -1, words: im.Words, gate: NewGate(p),
	}
	if im.Ready >= 0 {
		s.ready = m.img.Ports[im.Ready].Slots[0]
	}
	if im.Last >= 0 {
		s.last = m.img.Ports[im.Data[im.Last]].Slots[0]
	}
	at := 0
	for _, port := range im.Data {
		p := m.img.Ports[port]
		for i, slot := range p.Slots {
			s.parts = append(s.parts, beatPart{slot: slot, at: at + 64*i, width: min(64, p.Width-64*i)})
		}
		at += p.Width
	}
	return s
}

// mayAct draws from the gate.
func (s *stream) mayAct() bool {
	if s.next != nil {
		s.gate, s.next = NewGate(*s.next), nil
	}
	return s.gate.Next()
}

func (s *stream) isReady(m *machine) bool { return s.ready < 0 || m.s[s.ready] != 0 }

// unpack drives the payload ports from a packed beat.
func (s *stream) unpack(m *machine, beat []uint64) {
	for _, p := range s.parts {
		m.s[p.slot] = takeBits(beat, p.at, p.width)
	}
}

// pack reads the payload ports into a packed beat of zeros.
func (s *stream) pack(m *machine, beat []uint64) {
	for _, p := range s.parts {
		putBits(beat, p.at, p.width, m.s[p.slot])
	}
}

// source is the native SourceModel; see Gate.
type source struct {
	stream
	queue    []uint64
	head     int // word of queue where the first beat not accepted starts
	accepted bool
	junk     []uint64
}

func (s *source) pending() int { return (len(s.queue) - s.head) / s.words }

func (s *source) push(words []uint64) {
	if s.head > 1<<16 && s.head > len(s.queue)/2 {
		s.queue = append(s.queue[:0], s.queue[s.head:]...)
		s.head = 0
	}
	s.queue = append(s.queue, words...)
}

func (s *source) sample(m *machine) {
	s.accepted = s.clock.rising && !s.clock.reset && m.s[s.valid] != 0 && s.isReady(m)
}

func (s *source) drive(m *machine) {
	if !s.clock.rising {
		return
	}
	if s.clock.reset {
		m.s[s.valid] = 0
		return
	}
	if s.accepted {
		s.head += s.words
	}
	may := s.mayAct()
	valid := m.s[s.valid] != 0
	switch {
	case valid && !s.accepted:
	case may && s.head < len(s.queue):
		m.s[s.valid] = 1
		s.unpack(m, s.queue[s.head:s.head+s.words])
	case valid:
		m.s[s.valid] = 0
		for i := range s.junk {
			s.junk[i] = s.gate.Draw
		}
		s.unpack(m, s.junk)
	}
}

// sink is the native SinkModel; see Gate.
type sink struct {
	stream
	SinkOptions
	beats, frames uint64
	recorded      []uint64
	cycles        []uint64
	blocked       bool // valid was high and not accepted
}

func (s *sink) sample(m *machine) {
	if !s.clock.rising || s.clock.reset {
		return
	}
	valid := m.s[s.valid] != 0
	accepted := valid && s.isReady(m)
	s.blocked = valid && !accepted
	if accepted {
		s.record(m)
	}
}

func (s *sink) record(m *machine) {
	s.beats++
	if s.last >= 0 {
		s.frames += m.s[s.last]
	}
	if s.Discard {
		return
	}
	at := len(s.recorded)
	for range s.words {
		s.recorded = append(s.recorded, 0)
	}
	s.pack(m, s.recorded[at:])
	s.cycles = append(s.cycles, s.clock.edges)
}

func (s *sink) drive(m *machine) {
	if !s.clock.rising || s.ready < 0 {
		return
	}
	if s.clock.reset {
		m.s[s.ready] = 0
		return
	}
	m.s[s.ready] = b2u(s.mayAct() && (!s.WaitValid || s.blocked))
}

func (s *sink) take() (words, cycles []uint64) {
	words, cycles = s.recorded, s.cycles
	s.recorded, s.cycles = s.recorded[len(words):], s.cycles[len(cycles):]
	return words, cycles
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
