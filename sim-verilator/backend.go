package verilator

import (
	"fmt"
	"gornic/hdl/ir"
	"gornic/hdl/sim"
)

// The head of the shared memory, in words. The cycles of the clocks follow, then their resets, then the ports.
const (
	sharedTime = iota
	sharedStopped
	sharedClocks
)

// backend implements sim.Backend.
type backend struct {
	*simulation
	name     string
	design   *ir.Design
	artefact *artefact
	clocks   map[*ir.Clock]int
	ports    map[*ir.Signal]port
	checks   []sim.InstanceCheck
	covers   int                 // counters in the library
	arms     *armCovers          // which of them are of arms; nil without coverage
	events   []sim.InstanceEvent // those that the library records

	dirty   bool // Go wrote to the shared memory since the design was settled
	sources []*source
	failure *sim.CheckError
	request []uint64
}

// A port is where a port of the top is: its number, and its first word in the shared memory.
type port struct{ number, offset, words int }

// Name implements sim.Backend.
func (b *backend) Name() string { return b.name }

// Set implements sim.Backend.
func (b *backend) Set(signal *ir.Signal, words []uint64) {
	p := b.port(signal)
	if signal.Kind != ir.Input {
		panic("verilator: Set of " + signal.Name + ", which is not an input of the top")
	}
	copy(b.shared[p.offset:p.offset+p.words], words)
	b.dirty = true
}

// Get implements sim.Backend.
func (b *backend) Get(signal *ir.Signal, words []uint64) {
	p := b.port(signal)
	b.refresh()
	copy(words, b.shared[p.offset:p.offset+p.words])
}

// port looks a port up. A signal that is not a port of this design's top is a mistake in the program, like an index out of
// range.
func (b *backend) port(signal *ir.Signal) port {
	p, ok := b.ports[signal]
	if !ok {
		panic("verilator: " + signal.Name + " is not a port of the top module")
	}
	return p
}

// refresh settles the design if Go has written since.
func (b *backend) refresh() {
	if b.dirty {
		call(b.settle, b.handle)
		b.dirty = false
	}
}

// SetReset implements sim.Backend.
func (b *backend) SetReset(clock *ir.Clock, high bool) {
	value := uint64(0)
	if high {
		value = 1
	}
	b.shared[sharedClocks+len(b.clocks)+b.clocks[clock]] = value
	b.dirty = true
}

// Peek implements sim.Backend.
func (b *backend) Peek(path string) ([]uint64, error) {
	if value, ok := b.peekPort(path); ok {
		return value, nil
	}
	signal, ok := b.artefact.peeks[path]
	if !ok {
		return nil, fmt.Errorf("peek %s: there is no such signal, or Verilator has optimised it away", path)
	}
	b.refresh()
	words := make([]uint64, ir.WordCount(signal.width))
	call(b.peek, b.handle, uintptr(signal.number), uintptr(at(words)))
	return words, nil
}

func (b *backend) peekPort(path string) ([]uint64, bool) {
	for signal, p := range b.ports {
		if signal.Name == path {
			words := make([]uint64, p.words)
			b.Get(signal, words)
			return words, true
		}
	}
	return nil, false
}

// Run implements sim.Backend.
func (b *backend) Run(r sim.RunRequest) sim.RunResult {
	for _, s := range b.sources {
		s.flush()
	}
	b.refresh()

	request := b.encode(r)
	call(b.run, b.handle, uintptr(at(request)), uintptr(at(request[requestStops:])))
	if b.shared[sharedStopped] != 0 && b.failure == nil {
		b.failure = b.findFailure()
	}
	return sim.RunResult{Edges: request[requestRan], Stop: int(int64(request[requestStop]))}
}

// The words of a request and its answer: Request of shim/simulation.h, and the stop conditions after it.
const (
	requestRan   = 4
	requestStop  = 5
	requestStops = 6
)

func (b *backend) encode(r sim.RunRequest) []uint64 {
	clock := never
	if r.Clock != nil {
		clock = uint64(b.clocks[r.Clock])
	}
	b.request = append(b.request[:0], clock, r.Edges, r.Until, uint64(len(r.Stops)), 0, 0)
	for _, stop := range r.Stops {
		b.request = append(b.request, uint64(stop.Kind), b.stopIndex(stop), stop.Value)
	}
	return b.request
}

func (b *backend) stopIndex(stop sim.Stop) uint64 {
	switch stop.Kind {
	case sim.StopPort:
		return uint64(b.port(stop.Port).number)
	case sim.StopDrained:
		return stop.Source.(*source).number
	default:
		return stop.Sink.(*sink).number
	}
}

// Time implements sim.Backend.
func (b *backend) Time() uint64 { return b.shared[sharedTime] }

// Cycle implements sim.Backend.
func (b *backend) Cycle(clock *ir.Clock) uint64 { return b.shared[sharedClocks+b.clocks[clock]] }

// Failure implements sim.Backend.
func (b *backend) Failure() *sim.CheckError { return b.failure }

// Close implements sim.Backend.
func (b *backend) Close() error {
	if b.handle == 0 {
		return nil
	}
	return b.free()
}
