package axi

import (
	"fmt"

	"gornic/blocks/link"
	"gornic/hdl/sim"
)

// Target is memory as a device reaches it, such as a *host.Memory. An error
// becomes an error response.
type Target interface {
	DeviceRead(addr uint64, b []byte) error
	// DeviceWriteBeat writes the bytes of b, at most 64, whose bit in strobe is set.
	DeviceWriteBeat(addr uint64, b []byte, strobe uint64) error
}

// Options of a [Memory]. The zero value answers in order as fast as it can.
type Options struct {
	Seed uint64 // of all that is random below
	// LatencyMin and LatencyMax are the cycles that a burst waits, drawn for each.
	// With none, the first beat of a read, or the response of a write, is offered in
	// the second cycle after the one that took its address or its last beat.
	LatencyMin, LatencyMax int
	Reorder                bool // answers of different IDs overtake each other
	Interleave             bool // beats of reads of different IDs mix; implies Reorder for reads
	Pauses                 int  // percent of cycles in which a channel stands still, each channel for itself
	Strict                 bool // look at each cycle, to check that what is offered stays
}

func (o Options) validate() error {
	if o.LatencyMin < 0 || o.Pauses < 0 || o.Pauses > 99 {
		return fmt.Errorf("axi: latency of %d cycles, pauses in %d %% of them: not at least 0, not 0 to 99", o.LatencyMin, o.Pauses)
	}
	return nil
}

// Memory is the slave at an AXI4 port, the memory of a host. It is used by one
// goroutine at a time, with its simulation.
type Memory struct {
	sim    *sim.Sim
	target Target
	o      Options
	random uint64 // state of the generator
	now    uint64 // cycle of the simulation
	err    error

	address, writeAddress, beats channel // that come in
	answers, responses           *sim.Source

	reader   reader
	writer   writer
	held     []held
	looked   uint64 // cycle of the last look at them
	counters Counters
	choice   []int      // scratch
	stops    []sim.Stop // scratch
	own      [2]sim.Stop
}

// channel is a channel from the master, and how much of it has been looked at.
type channel struct {
	*sim.Sink
	seen uint64
}

// NewMemory puts a memory at the AXI4 port of the top of a simulation. Options
// that make no sense are an error; a port that is none is a mistake of the
// simulation ([sim.Sim.Err]).
func NewMemory(s *sim.Sim, port link.AXI, target Target, o Options) (*Memory, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	o.LatencyMax = max(o.LatencyMax, o.LatencyMin)
	m := &Memory{sim: s, target: target, o: o, random: o.Seed}
	m.address.Sink = sim.NewSinkOf(s, readAddressPorts(s, port), m.pattern(), sim.SinkOptions{})
	m.writeAddress.Sink = sim.NewSinkOf(s, writeAddressPorts(s, port), m.pattern(), sim.SinkOptions{})
	m.beats.Sink = sim.NewSinkOf(s, writeDataPorts(s, port), m.pattern(), sim.SinkOptions{})
	m.answers = sim.NewSourceOf(s, readDataPorts(s, port), m.pattern())
	m.responses = sim.NewSourceOf(s, responsePorts(s, port), m.pattern())
	m.reader = newReader(m, port)
	m.writer = newWriter(m, port)
	if o.Strict {
		m.held = heldChannels(port)
	}
	return m, s.Err()
}

// pattern is the pauses of one more channel.
func (m *Memory) pattern() sim.Pattern {
	if m.o.Pauses == 0 {
		return sim.Pattern{}
	}
	return sim.Pattern{Kind: sim.Random, Percent: uint32(100 - m.o.Pauses), Seed: m.draw()}
}

func (m *Memory) draw() uint64 { return sim.SplitMix64(&m.random) }

// below draws a number from 0 to n-1.
func (m *Memory) below(n int) int { return int(m.draw() >> 32 * uint64(n) >> 32) }

// due is the cycle when a burst that came in the present one, or before, is to be
// answered: at is the cycle that took it.
func (m *Memory) due(at uint64) uint64 {
	return at + 1 + uint64(m.o.LatencyMin+m.below(m.o.LatencyMax-m.o.LatencyMin+1))
}

// Counters tells what has been done so far.
func (m *Memory) Counters() Counters { return m.counters }

// Idle tells whether every burst that was taken has been answered.
func (m *Memory) Idle() bool {
	return m.counters.Reads.Outstanding == 0 && m.counters.Writes.Outstanding == 0 && m.answers.Pending() == 0 && m.responses.Pending() == 0
}

// Counters are what a [Memory] has done.
type Counters struct{ Reads, Writes Traffic }

// Traffic is one direction of it.
type Traffic struct {
	Bursts      uint64 // answered
	Beats       uint64
	Bytes       uint64 // of reads, whole beats; of writes, those with their strobe
	Errors      uint64 // beats of reads, or bursts of writes, with an error response
	Outstanding int    // addresses taken and not yet answered
	Most        int    // the most there ever were outstanding
}

func (t *Traffic) begin() {
	t.Outstanding++
	t.Most = max(t.Most, t.Outstanding)
}

func (t *Traffic) end() {
	t.Outstanding--
	t.Bursts++
}
