package axi

import (
	"fmt"

	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/sim"
)

// LiteOptions are the options of a [Lite].
type LiteOptions struct {
	Seed   uint64
	Pauses int // percent of cycles in which a channel stands still, 0 to 99
	Limit  int // cycles that an access may take; 0: 10000
}

const defaultLimit = 10000

// Lite is the master at an AXI4-Lite port, such as a driver's accesses to registers.
// It does one access at a time.
type Lite struct {
	runner Runner
	o      LiteOptions
	last   uint32 // offset
	writes int    // all so far, posted ones among them

	writeAddress, data, readAddress *sim.Source
	responses, words                *sim.Sink
}

// ResponseError is an access that a slave did not answer with OKAY.
type ResponseError struct {
	Write    bool
	Offset   uint32
	Response uint64 // 2: SLVERR, 3: DECERR
}

func (e *ResponseError) Error() string {
	kind := map[bool]string{false: "read", true: "write"}[e.Write]
	return fmt.Sprintf("axi: %s at %#x: response %d", kind, e.Offset, e.Response)
}

// NewLite puts a master at the AXI4-Lite port of the top of a simulation, which
// runner runs while an access is under way. A port that is none is a mistake of
// the simulation ([sim.Sim.Err]).
func NewLite(s *sim.Sim, p link.AXILite, runner Runner, o LiteOptions) *Lite {
	if o.Limit == 0 {
		o.Limit = defaultLimit
	}
	pattern := func() sim.Pattern {
		if o.Pauses == 0 {
			return sim.Pattern{}
		}
		return sim.Pattern{Kind: sim.Random, Percent: uint32(100 - o.Pauses), Seed: sim.SplitMix64(&o.Seed)}
	}
	type address struct{ Addr, Prot hdl.Bits }
	source := func(valid, ready hdl.Bits, payload any) *sim.Source {
		return sim.NewSourceOf(s, sim.Ports(s, valid, ready, payload), pattern())
	}
	sink := func(valid, ready hdl.Bits, payload any) *sim.Sink {
		return sim.NewSinkOf(s, sim.Ports(s, valid, ready, payload), pattern(), sim.SinkOptions{})
	}
	return &Lite{
		runner: runner, o: o, last: uint32(1<<min(p.AWAddr.Width(), 32) - 1),
		writeAddress: source(p.AWValid, p.AWReady, address{p.AWAddr, p.AWProt}),
		data:         source(p.WValid, p.WReady, struct{ Data, Strb hdl.Bits }{p.WData, p.WStrb}),
		readAddress:  source(p.ARValid, p.ARReady, address{p.ARAddr, p.ARProt}),
		responses:    sink(p.BValid, p.BReady, p.BResp),
		words:        sink(p.RValid, p.RReady, struct{ Data, Resp hdl.Bits }{p.RData, p.RResp}),
	}
}

// Write writes a word of 32 bits, and returns when that has been answered. An error is a
// [*ResponseError], also for an offset that the port has no address for, [sim.ErrLimit] where no answer came, or an error of the runner.
func (l *Lite) Write(offset, value uint32) error {
	if err := l.Post(offset, value); err != nil {
		return err
	}
	return l.settle(offset)
}

// Post queues a write of a word of 32 bits and returns at once, as a processor does: it leaves while the simulation
// runs, behind those before it. The next access waits for it; what became of it is then part of that one's error.
func (l *Lite) Post(offset, value uint32) error {
	if offset > l.last {
		return &ResponseError{Write: true, Offset: offset, Response: decErr}
	}
	l.writeAddress.SendWords([]uint64{uint64(offset)})
	l.data.SendWords([]uint64{uint64(value) | 0xF<<32})
	l.writes++
	return nil
}

// settle runs until all writes are answered, of which the last was at offset.
func (l *Lite) settle(offset uint32) error {
	beats, err := l.answers(l.responses, l.writes, "write", offset)
	if err != nil {
		return err
	}
	for _, b := range beats {
		if resp := b.Words[0]; resp != okay {
			return &ResponseError{Write: true, Offset: offset, Response: resp}
		}
	}
	return nil
}

// Read reads a word of 32 bits; errors are those of [Lite.Write].
func (l *Lite) Read(offset uint32) (uint32, error) {
	if offset > l.last {
		return 0, &ResponseError{Offset: offset, Response: decErr}
	}
	if err := l.settle(offset); err != nil {
		return 0, err
	}
	l.readAddress.SendWords([]uint64{uint64(offset)})
	beats, err := l.answers(l.words, int(l.words.Count())+1, "read", offset)
	if err != nil {
		return 0, err
	}
	beat := beats[0]
	if resp := beat.Words[0] >> 32; resp != okay {
		return 0, &ResponseError{Offset: offset, Response: resp}
	}
	return uint32(beat.Words[0]), nil
}

// answers runs until a sink has had so many beats in all, and returns those that are new.
func (l *Lite) answers(from *sim.Sink, count int, what string, offset uint32) ([]sim.Beat, error) {
	stop, err := l.runner.Run(l.o.Limit, from.Beats(count))
	if err != nil {
		return nil, fmt.Errorf("%s at %#x: %w", what, offset, err)
	}
	if stop < 0 {
		return nil, fmt.Errorf("%s at %#x, no answer in %d cycles: %w", what, offset, l.o.Limit, sim.ErrLimit)
	}
	return from.Take(), nil
}
