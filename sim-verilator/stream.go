package verilator

import (
	"gornic/hdl/ir"
	"gornic/hdl/sim"
)

// A model is a source or a sink that runs in C++; status is what it writes after each run.
type model struct {
	b      *backend
	number uint64
	status []uint64
}

// SetPattern implements sim.SourceModel and sim.SinkModel.
func (m *model) SetPattern(p sim.Pattern) {
	words := patternWords(p)
	call(m.b.setPattern, m.b.handle, uintptr(m.number), uintptr(at(words)))
}

// source implements sim.SourceModel. Beats are handed over at the next run, all at once.
type source struct {
	model
	beatWords int
	queue     []uint64 // not yet handed over
}

// AddSource implements sim.Backend.
func (b *backend) AddSource(ports sim.StreamPorts, p sim.Pattern) sim.SourceModel {
	b.refresh()
	s := &source{model: model{b: b, status: b.keep(1)}, beatWords: ports.BeatWords()}
	spec, pattern := b.streamSpec(ports), patternWords(p)
	s.number = uint64(call(b.addSource, b.handle, uintptr(at(spec)), uintptr(at(pattern)), uintptr(at(s.status))))
	b.sources = append(b.sources, s)
	return s
}

// Push implements sim.SourceModel.
func (s *source) Push(words []uint64) { s.queue = append(s.queue, words...) }

// Pending implements sim.SourceModel.
func (s *source) Pending() int { return int(s.status[0]) + len(s.queue)/s.beatWords }

func (s *source) flush() {
	if len(s.queue) == 0 {
		return
	}
	call(s.b.push, s.b.handle, uintptr(s.number), uintptr(at(s.queue)), uintptr(len(s.queue)))
	s.status[0] += uint64(len(s.queue) / s.beatWords)
	s.queue = s.queue[:0]
}

// sink implements sim.SinkModel.
type sink struct {
	model
	beatWords     int
	words, cycles []uint64 // what Take returned last
}

// The words of a sink's status.
const (
	sinkBeats = iota
	sinkFrames
	sinkRecorded // beats that were not yet taken
	sinkStatus
)

// AddSink implements sim.Backend.
func (b *backend) AddSink(ports sim.StreamPorts, p sim.Pattern, o sim.SinkOptions) sim.SinkModel {
	b.refresh()
	s := &sink{model: model{b: b, status: b.keep(sinkStatus)}, beatWords: ports.BeatWords()}
	spec, pattern := b.streamSpec(ports), patternWords(p)
	s.number = uint64(call(b.addSink, b.handle, uintptr(at(spec)), uintptr(at(pattern)), uintptr(at(s.status)), flag(o.WaitValid), flag(o.Discard)))
	return s
}

// Beats implements sim.SinkModel.
func (s *sink) Beats() uint64 { return s.status[sinkBeats] }

// Frames implements sim.SinkModel.
func (s *sink) Frames() uint64 { return s.status[sinkFrames] }

// Take implements sim.SinkModel.
func (s *sink) Take() (words, cycles []uint64) {
	n := int(s.status[sinkRecorded])
	s.words, s.cycles = resize(s.words, n*s.beatWords), resize(s.cycles, n)
	if n > 0 {
		call(s.b.take, s.b.handle, uintptr(s.number), uintptr(at(s.words)), uintptr(at(s.cycles)))
		s.status[sinkRecorded] = 0
	}
	return s.words, s.cycles
}

// streamSpec describes a stream as Simulation::stream of the shim reads it.
func (b *backend) streamSpec(ports sim.StreamPorts) []uint64 {
	number := func(signal *ir.Signal) uint64 {
		if signal == nil {
			return never
		}
		return uint64(b.port(signal).number)
	}
	spec := []uint64{
		uint64(b.clocks[ports.Clock]), number(ports.Valid), number(ports.Ready), number(ports.Last), uint64(len(ports.Data)),
	}
	for _, signal := range ports.Data {
		spec = append(spec, number(signal))
	}
	return spec
}

func flag(set bool) uintptr {
	if set {
		return 1
	}
	return 0
}

func resize(s []uint64, n int) []uint64 {
	if cap(s) < n {
		return make([]uint64, n)
	}
	return s[:n]
}
