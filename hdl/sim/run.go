package sim

// engineRequest is a RunRequest in numbers.
type engineRequest struct {
	Domain int // -1 without a clock to count
	Edges  uint64
	Until  uint64
	Stops  []engineStop
}

type engineStop struct {
	Kind  StopKind
	Port  int // index of the port, or of the model
	Value uint64
}

// run is the loop of all runs.
func (m *machine) run(r engineRequest) RunResult {
	result := RunResult{Stop: m.stopped(r.Stops)}
	for result.Stop < 0 && !m.failed && len(m.clocks) > 0 {
		if r.Domain >= 0 && result.Edges == r.Edges {
			break
		}
		at := m.nextInstant()
		if r.Domain < 0 && at > r.Until {
			break
		}
		m.show()
		m.instant(at)
		if r.Domain >= 0 && m.clocks[r.Domain].rising {
			result.Edges++
		}
		m.showInstant()
		result.Stop = m.stopped(r.Stops)
	}
	return result
}

// show writes what inputs have changed since the last instant, still as part
// of that instant: they take effect right after its edges.
func (m *machine) show() {
	if m.waves != nil {
		m.settle()
		m.waves.changes(m)
	}
}

func (m *machine) showInstant() {
	if m.waves != nil {
		m.settle()
		m.waves.instant(m)
	}
}

// nextInstant finds the clocks that rise next.
func (m *machine) nextInstant() uint64 {
	at := m.clocks[0].next
	for i := range m.clocks[1:] {
		at = min(at, m.clocks[i+1].next)
	}
	for i := range m.clocks {
		m.clocks[i].rising = m.clocks[i].next == at
	}
	return at
}

// instant runs the edges of one instant; see Backend.
func (m *machine) instant(at uint64) {
	m.time = at
	m.settle()
	m.check()
	m.record()
	for _, md := range m.models {
		md.sample(m)
	}
	m.commit()
	for _, md := range m.models {
		md.drive(m)
	}
}

// check looks at the properties of the rising clocks.
func (m *machine) check() {
	for i := range m.clocks {
		c := &m.clocks[i]
		if c.rising && !c.reset && c.Good >= 0 && m.s[c.Good] == 0 {
			m.findFailure()
			break
		}
	}
	m.count(m.img.Covers, m.covers)
	m.count(m.img.Arms, m.armCounts)
}

func (m *machine) findFailure() {
	for _, k := range m.img.Checks {
		if c := &m.clocks[k.Domain]; c.rising && !c.reset && m.s[k.Cond] == 0 {
			m.failed = true
			m.failure = failedCheck{Check: k.Check, Cycle: c.edges, Time: m.time}
			return
		}
	}
}

// record notes the events of the rising clocks.
func (m *machine) record() {
	for i := range m.img.Events {
		e := &m.img.Events[i]
		if m.s[e.When] == 0 {
			continue
		}
		if c := &m.clocks[e.Domain]; c.rising && !c.reset {
			m.events = append(m.events, uint64(i), c.edges, m.time)
			for _, slot := range e.Fields {
				m.events = append(m.events, m.s[slot])
			}
		}
	}
}

func (m *machine) count(what []coverImage, counts []uint64) {
	for i := range what {
		k := &what[i]
		if c := &m.clocks[k.Domain]; c.rising && !c.reset {
			counts[i] += m.s[k.Cond]
		}
	}
}

// stopped returns the index of the first condition that holds, or -1.
func (m *machine) stopped(stops []engineStop) int {
	for i, s := range stops {
		if m.holds(s) {
			return i
		}
	}
	return -1
}

func (m *machine) holds(s engineStop) bool {
	switch s.Kind {
	case StopPort:
		m.settle()
		return m.s[m.img.Ports[s.Port].Slots[0]] == s.Value
	case StopDrained:
		return m.sources[s.Port].pending() == 0
	case StopBeats:
		return m.sinks[s.Port].beats >= s.Value
	case StopFrames:
		return m.sinks[s.Port].frames >= s.Value
	}
	return false
}

func (m *machine) set(port int, words []uint64) {
	p := &m.img.Ports[port]
	for i, slot := range p.Slots {
		w := words[i] & lowMask(p.Width-64*i)
		if m.s[slot] != w {
			m.s[slot] = w
			m.dirty = true
		}
	}
}

func (m *machine) get(port int, words []uint64) {
	m.settle()
	for i, slot := range m.img.Ports[port].Slots {
		words[i] = m.s[slot]
	}
}

func (m *machine) setReset(domain int, high bool) { m.clocks[domain].reset = high }
