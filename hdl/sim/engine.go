package sim

// The rest of what makes a machine an engine.

func (m *machine) status() engineStatus {
	st := engineStatus{Time: m.time, Failed: m.failed, Failure: m.failure, Covers: m.covers, Arms: m.armCounts}
	for _, c := range m.clocks {
		st.Edges = append(st.Edges, c.edges)
	}
	return st
}

func (m *machine) state() []uint64 { return m.s }

// takeEvents moves the records of events out. They are valid until the next run.
func (m *machine) takeEvents() []uint64 {
	records := m.events
	m.events = m.events[:0]
	return records
}

func (m *machine) addSource(im streamImage, p Pattern) int {
	s := &source{stream: newStream(m, im, p), junk: make([]uint64, im.Words)}
	m.low(s.valid)
	m.sources, m.models = append(m.sources, s), append(m.models, s)
	return len(m.sources) - 1
}

func (m *machine) addSink(im streamImage, p Pattern, o SinkOptions) int {
	s := &sink{stream: newStream(m, im, p), SinkOptions: o}
	if s.ready >= 0 {
		m.low(s.ready)
	}
	m.sinks, m.models = append(m.sinks, s), append(m.models, s)
	return len(m.sinks) - 1
}

func (m *machine) low(slot int) { m.s[slot], m.dirty = 0, true }

func (m *machine) push(source int, words []uint64) { m.sources[source].push(words) }

func (m *machine) pending(source int) int { return m.sources[source].pending() }

func (m *machine) counts(sink int) (beats, frames uint64) {
	return m.sinks[sink].beats, m.sinks[sink].frames
}

func (m *machine) take(sink int) (words, cycles []uint64) { return m.sinks[sink].take() }

func (m *machine) setPattern(isSink bool, model int, p Pattern) {
	if isSink {
		m.sinks[model].next = &p
	} else {
		m.sources[model].next = &p
	}
}

func (m *machine) problem() error { return nil }

func (m *machine) close() error {
	if m.waves == nil {
		return nil
	}
	m.show()
	w := m.waves
	m.waves = nil
	return w.close()
}
