package sim

import (
	"hash/fnv"
	"math"
)

// A machine runs an image: it owns the store, and everything but the
// evaluation of the logic itself.
type machine struct {
	img    *image
	s      []uint64
	eval   func([]uint64)
	clocks []clockState
	time   uint64
	dirty  bool // inputs or state have changed since the last evaluation
	ahead  bool // next values were computed and have not become present ones

	sources []*source
	sinks   []*sink
	models  []model

	failed    bool
	failure   failedCheck
	covers    []uint64
	armCounts []uint64
	events    []uint64    // records since the last takeEvents; see DecodeEvents
	waves     *waveWriter // nil without
}

// clockState is a clock while it runs.
type clockState struct {
	clockImage
	next   uint64 // instant of the next edge
	edges  uint64
	reset  bool
	rising bool // in the present instant
	reads  []memPort
	writes []memPort
	resets []resetImage
}

// memPort is one port of a memory; which of its images is used is known.
type memPort struct {
	mem   *memImage
	read  readImage
	write writeImage
}

// failedCheck is the first failure, in numbers.
type failedCheck struct {
	Check int
	Cycle uint64
	Time  uint64
}

// newMachine returns a machine with its state filled from the seed and its
// resets high.
func newMachine(img *image, eval func([]uint64), seed uint64) *machine {
	m := &machine{
		img: img, eval: eval, s: make([]uint64, img.Slots), dirty: true,
		covers: make([]uint64, len(img.Covers)), armCounts: make([]uint64, len(img.Arms)),
	}
	for domain, c := range img.Clocks {
		m.clocks = append(m.clocks, newClockState(img, domain, c))
	}
	m.fill(seed)
	return m
}

func newClockState(img *image, domain int, c clockImage) clockState {
	state := clockState{clockImage: c, next: c.First, reset: true}
	for i := range img.Mems {
		mem := &img.Mems[i]
		for _, r := range mem.Reads {
			if r.Domain == domain {
				state.reads = append(state.reads, memPort{mem: mem, read: r})
			}
		}
		for _, w := range mem.Writes {
			if w.Domain == domain {
				state.writes = append(state.writes, memPort{mem: mem, write: w})
			}
		}
	}
	for _, r := range img.Resets {
		if r.Domain == domain {
			state.resets = append(state.resets, r)
		}
	}
	return state
}

// fill gives registers, read data and memories what the seed says. It depends
// on the seed and on the path of each, not on the rest of the design.
func (m *machine) fill(seed uint64) {
	for _, st := range m.img.State {
		fillWords(m.s[st.Slot:], st.Path, seed, st.Width, 1)
	}
	for _, mem := range m.img.Mems {
		fillWords(m.s[mem.Slot:], mem.Path, seed, mem.Width, mem.Depth)
	}
	m.restore()
}

func fillWords(s []uint64, path string, seed uint64, width, depth int) {
	h := fnv.New64a()
	h.Write([]byte(path))
	state := seed ^ h.Sum64()
	at := 0
	for range depth {
		for w := width; w > 0; w -= 64 {
			s[at] = SplitMix64(&state) & lowMask(w)
			at++
		}
	}
}

func lowMask(w int) uint64 {
	if w >= 64 {
		return math.MaxUint64
	}
	return 1<<w - 1
}

// settle evaluates the logic if anything has changed.
func (m *machine) settle() {
	if !m.dirty {
		return
	}
	if m.ahead {
		m.restore()
	}
	m.eval(m.s)
	m.dirty, m.ahead = false, true
}

// restore makes all next values the present ones, which is what an
// evaluation starts from.
func (m *machine) restore() {
	for i := range m.clocks {
		m.restoreClock(&m.clocks[i])
	}
	m.ahead = false
}

func (m *machine) restoreClock(c *clockState) {
	copy(m.s[c.Lo+m.img.Next:c.Hi+m.img.Next], m.s[c.Lo:c.Hi])
}

// commit is the clock edge: memories and registers of the rising clocks take
// their next values. All memory ports act before any register changes, since
// registers may be their addresses.
func (m *machine) commit() {
	for i := range m.clocks {
		if c := &m.clocks[i]; c.rising {
			m.access(c.reads, false)
		}
	}
	for i := range m.clocks {
		if c := &m.clocks[i]; c.rising {
			m.write(c.writes)
		}
	}
	for i := range m.clocks {
		if c := &m.clocks[i]; c.rising {
			m.access(c.reads, true)
		}
	}
	for i := range m.clocks {
		m.advance(&m.clocks[i])
	}
	m.dirty, m.ahead = true, false
}

// advance gives the registers of a rising clock their next values.
func (m *machine) advance(c *clockState) {
	if !c.rising {
		m.restoreClock(c)
		return
	}
	copy(m.s[c.Lo:c.Hi], m.s[c.Lo+m.img.Next:c.Hi+m.img.Next])
	if c.reset {
		m.reset(c)
	}
	c.edges++
	c.next += c.Period
}

func (m *machine) reset(c *clockState) {
	for _, r := range c.resets {
		copy(m.s[r.Slot:], r.Value)
		copy(m.s[r.Slot+m.img.Next:], r.Value)
	}
}

// access does the reads of the memories that are read before they are
// written, or of those that are read after.
func (m *machine) access(ports []memPort, afterWrites bool) {
	for i := range ports {
		p := &ports[i]
		if p.mem.WritesFirst != afterWrites || m.s[p.read.En] == 0 {
			continue
		}
		data := m.s[p.read.Data : p.read.Data+p.mem.Parts]
		if addr := m.s[p.read.Addr]; addr < uint64(p.mem.Depth) {
			copy(data, m.s[p.mem.Slot+int(addr)*p.mem.Parts:])
		} else {
			clear(data)
		}
	}
}

func (m *machine) write(ports []memPort) {
	for i := range ports {
		p := &ports[i]
		if m.s[p.write.En] == 0 {
			continue
		}
		addr := m.s[p.write.Addr]
		if addr >= uint64(p.mem.Depth) {
			continue
		}
		at := p.mem.Slot + int(addr)*p.mem.Parts
		word := m.s[at : at+p.mem.Parts]
		if p.write.Lanes != nil {
			m.writeLanes(word, p)
			continue
		}
		for k, from := range p.write.Data {
			word[k] = m.s[from]
		}
	}
}

// writeLanes writes the lanes of a word whose bit is one.
func (m *machine) writeLanes(word []uint64, p *memPort) {
	lane := p.mem.Lane
	for l := 0; l*lane < p.mem.Width; l++ {
		if m.s[p.write.Lanes[l/64]]>>(l%64)&1 == 0 {
			continue
		}
		for at, end := l*lane, (l+1)*lane; at < end; {
			n := min(64-at%64, end-at)
			mask := lowMask(n) << (at % 64)
			k := at / 64
			word[k] = word[k]&^mask | m.s[p.write.Data[k]]&mask
			at += n
		}
	}
}
