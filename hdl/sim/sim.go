package sim

import (
	"errors"
	"fmt"
	"strings"

	"gornic/hdl/ir"
)

// Backend is one running copy of a design: the native simulator or Verilator.
// Tests use it through [Sim]. Signals handed to it are ports of the design's
// top module; a value is in 64-bit words, least significant first, with
// ir.WordCount(width) words and zeros above the width.
//
// Both backends do exactly this at each instant where clocks rise:
//
//  1. logic is settled with the present inputs;
//  2. the checks and events of the rising clocks are looked at (where the
//     clock's reset is low), and the stream models of those clocks sample their
//     ports;
//  3. registers and memories of the rising clocks take their next values, all
//     at once;
//  4. the stream models of those clocks drive their ports for the next cycle,
//     in the order in which they were added;
//  5. logic is settled again: this is what Get and stop conditions see.
//
// A failed assertion or assumption ends the run after step 5 of its instant,
// and later runs do nothing. Backends are not safe for concurrent use.
type Backend interface {
	// Name is for people, such as "native (bytecode)" or "verilator 5.048".
	Name() string
	// Set drives an input port. The value holds until it is changed.
	Set(port *ir.Signal, words []uint64)
	// Get reads a port, settled, into words.
	Get(port *ir.Signal, words []uint64)
	// SetReset drives the reset of a clock of the top module. Each is high in a
	// new backend.
	SetReset(clock *ir.Clock, high bool)
	// Peek reads a signal inside the design by its path, such as
	// "u_rx.u_fifo.count". It fails for a path that does not exist and for one
	// that the backend has optimised away.
	Peek(path string) ([]uint64, error)
	// Run runs clocks until the limits of the request or a failed check.
	Run(RunRequest) RunResult
	// Time is the instant of the last edge, in picoseconds from the start.
	Time() uint64
	// Cycle is how often the clock has risen.
	Cycle(clock *ir.Clock) uint64
	// AddSource and AddSink attach stream models to ports. They drive their
	// ports from now on: valid (or ready) is low until the first edge.
	AddSource(StreamPorts, Pattern) SourceModel
	AddSink(StreamPorts, Pattern, SinkOptions) SinkModel
	// Events moves out the events since the last call, those of one instant in
	// the order of the function Events; none without Options.Events.
	Events() []Event
	// Failure is the first failed check; nil while there is none. Of several
	// at one instant it is the first of Checks.
	Failure() *CheckError
	// CoverCounts says how many cycles each check of Checks was true; it is
	// counted for covers only.
	CoverCounts() []uint64
	// Coverage returns the arms taken so far; nil without Options.Coverage.
	Coverage() *Coverage
	// Close ends the run: waves are flushed, memory is freed.
	Close() error
}

// Open makes a new backend for a design. It is how a test names the backends
// it wants: Native here, and the one of package verilator.
type Open func(*ir.Design, Options) (Backend, error)

// Options of a run. The zero value is a plain fast run from seed 0 with every
// clock at 100 MHz.
type Options struct {
	// Seed fills registers without reset and memories before the first edge.
	Seed uint64
	// Clocks gives timings, by domain name (ir.Clock.Name); domains that are
	// not named here take the default.
	Clocks map[string]Timing
	// Waves is the file that waves are written to; empty for none. Native
	// writes VCD, Verilator FST.
	Waves string
	// Coverage counts the arms that are taken.
	Coverage bool
	// Events collects trace events, until Events takes them. Without it they
	// cost nothing.
	Events bool
	// NoChecks leaves properties out: none fails, and no cover is counted. It is for
	// long runs of what runs with its checks, too, and for measuring speed: they are
	// more than half of the work in a core. With Coverage they stay.
	NoChecks bool
	// Interpret keeps Native from using a registered generated step function.
	Interpret bool
}

// HasChecks tells whether properties are checked.
func (o Options) HasChecks() bool { return !o.NoChecks || o.Coverage }

// Timing of a clock, in picoseconds. The clock is low at Phase, rises for the
// first time half a Period later and then once each Period. A zero Period
// means DefaultPeriod.
type Timing struct{ Period, Phase uint64 }

// DefaultPeriod is the period of a clock that Options does not name: 10 ns.
const DefaultPeriod = 10_000

// Timing returns the timing of the clock with defaults filled in.
func (o Options) Timing(clock *ir.Clock) Timing {
	t := o.Clocks[clock.Name]
	if t.Period == 0 {
		t.Period = DefaultPeriod
	}
	return t
}

// FirstEdge is the instant of the first rising edge.
func (t Timing) FirstEdge() uint64 { return t.Phase + t.Period/2 }

// RunRequest asks for a run up to whichever limit comes first.
type RunRequest struct {
	Clock *ir.Clock // the clock that Edges counts; nil with Until
	Edges uint64    // rising edges of Clock to run; edges of other clocks at the last instant are run too
	Until uint64    // with a nil Clock: all edges at or before this instant
	Stops []Stop    // looked at before the first edge and after each instant
}

// RunResult says how a run ended.
type RunResult struct {
	Edges uint64 // edges of the request's clock that were run
	Stop  int    // index of the first stop condition that held; -1 where none did
}

// StopKind says what a Stop looks at.
type StopKind int

// The kinds of stop condition.
const (
	StopPort    StopKind = iota // Port (64 bits or less) has Value
	StopDrained                 // Source has had all its beats accepted
	StopBeats                   // Sink has accepted Value beats since it was added
	StopFrames                  // Sink has accepted Value beats with Last set
)

// Stop is a condition that ends a run early.
type Stop struct {
	Kind   StopKind
	Port   *ir.Signal
	Source SourceModel
	Sink   SinkModel
	Value  uint64
}

// SourceModel drives a stream from a queue of beats; see Gate for its exact
// behaviour in time.
type SourceModel interface {
	// Push queues beats, each StreamPorts.BeatWords words.
	Push(words []uint64)
	// Pending is how many queued beats have not been accepted.
	Pending() int
	// SetPattern changes the gaps from the next edge on.
	SetPattern(Pattern)
}

// SinkModel accepts a stream and records its beats.
type SinkModel interface {
	// Beats and Frames count what was accepted since the sink was added.
	Beats() uint64
	Frames() uint64
	// Take moves the recorded beats out: BeatWords words and one cycle number
	// (edges of the stream's clock before the one that took it) a beat. The
	// slices are valid until the next run.
	Take() (words []uint64, cycles []uint64)
	// SetPattern changes the pauses from the next edge on.
	SetPattern(Pattern)
}

// StreamPorts names the ports of one stream of the top module. A source
// drives Valid and Data and reads Ready; a sink the other way round.
type StreamPorts struct {
	Clock *ir.Clock
	Valid *ir.Signal
	Ready *ir.Signal   // nil: a stream without back-pressure, each valid beat is accepted
	Data  []*ir.Signal // the payload, packed into a beat with the first one at bit 0
	Last  *ir.Signal   // the one of Data (one bit) that ends a frame; nil without frames
}

// Name is what the names of the ports have in common: "in" for in_valid.
func (p StreamPorts) Name() string {
	if p.Valid == nil {
		return "?"
	}
	name, _ := strings.CutSuffix(p.Valid.Name, "valid")
	return strings.TrimSuffix(name, "_")
}

// String is the stream in words: "stream in (cost, item)".
func (p StreamPorts) String() string {
	var fields []string
	for _, s := range p.Data {
		if s != nil {
			fields = append(fields, strings.TrimPrefix(s.Name, p.Name()+"_"))
		}
	}
	return fmt.Sprintf("stream %s (%s)", p.Name(), strings.Join(fields, ", "))
}

// BeatWidth is the width of a packed beat in bits.
func (p StreamPorts) BeatWidth() int {
	width := 0
	for _, s := range p.Data {
		width += s.Width
	}
	return width
}

// BeatWords is how many 64-bit words a packed beat takes; one, to be counted,
// even where there is no payload.
func (p StreamPorts) BeatWords() int { return max(1, ir.WordCount(p.BeatWidth())) }

// SinkOptions are the less common wishes.
type SinkOptions struct {
	// WaitValid makes ready rise only after a cycle in which valid was high
	// and not accepted: a sender that waits for ready then hangs.
	WaitValid bool
	// Discard counts beats and frames without recording them.
	Discard bool
}

// ErrLimit means that a run reached its limit before its stop condition.
var ErrLimit = errors.New("sim: limit reached before the stop condition")
