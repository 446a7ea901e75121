package sim

import (
	"errors"
	"fmt"
	"math/big"

	"gornic/hdl"
	"gornic/hdl/ir"
)

// Sim is a running design, as tests use it: a [Backend] with handles instead
// of signals. Mistakes, such as Set of an output, and the first failed check are
// kept: look at [Sim.Err] once at the end, as with bufio.Scanner.
type Sim struct {
	backend  Backend
	design   *hdl.Design
	sources  []*Source
	sinks    []*Sink
	released map[*ir.Clock]bool // clocks whose reset is low
	events   []Event            // those left when the run was closed
	err      error
	onError  func(error)
	closed   bool
}

// Simulator is a way to run designs, for tests that run on several.
type Simulator struct {
	Name    string // "native" or "verilator"
	Open    Open
	Prepare Prepare // the part of Open that copies can share: [Simulator.Cached]; nil if there is none
	Absent  error   // what the error of Open is where the simulator is not installed
	Waves   string  // how the names of its files of waves end, such as ".vcd"; empty if it writes none
}

// NativeSimulator is the native simulator.
var NativeSimulator = Simulator{Name: "native", Open: Native, Prepare: PrepareNative, Waves: ".vcd"}

// New runs a design in the native simulator. Every reset is high: Reset is the
// usual first call.
func New(d *hdl.Design, o Options) (*Sim, error) { return Start(Native, d, o) }

// Start runs a design in the simulator of one's choice.
func Start(open Open, d *hdl.Design, o Options) (*Sim, error) {
	b, err := open(d, o)
	if err != nil {
		return nil, err
	}
	return &Sim{backend: b, design: d, released: map[*ir.Clock]bool{}}, nil
}

// Backend returns what the simulation runs in.
func (s *Sim) Backend() Backend { return s.backend }

// Design returns the design that runs.
func (s *Sim) Design() *hdl.Design { return s.design }

// Err returns the first mistake of the test, as a *Mistake, or else the first
// assertion or assumption that failed, as a *CheckError.
func (s *Sim) Err() error {
	if s.err != nil || s.closed {
		return s.err
	}
	if f := s.backend.Failure(); f != nil {
		return f
	}
	if b, ok := s.backend.(interface{ Err() error }); ok {
		return b.Err()
	}
	return nil
}

// port returns the top's port behind a handle, or nil after a mistake.
func (s *Sim) port(x hdl.Bits, op string, kinds ...ir.Kind) *ir.Signal {
	p := x.Signal()
	if p == nil || p.Module != s.design.Top {
		s.fail(fmt.Errorf("%s of what is no port of %s", op, s.design.Top.Name))
		return nil
	}
	for _, k := range kinds {
		if p.Kind == k {
			return p
		}
	}
	s.fail(fmt.Errorf("%s of %s, which is an %s", op, p.Name, p.Kind))
	return nil
}

// Set drives an input port from now on. It is a mistake if v does not fit.
func (s *Sim) Set(port hdl.Bits, v uint64) { s.SetWords(port, []uint64{v}) }

// SetWords drives an input port with 64-bit words, the least significant
// first. Missing words are zero.
func (s *Sim) SetWords(port hdl.Bits, words []uint64) {
	p := s.port(port, "Set", ir.Input)
	if p == nil {
		return
	}
	full := make([]uint64, ir.WordCount(p.Width))
	copy(full, words)
	if !fits(words, p.Width) {
		s.fail(fmt.Errorf("Set of %s: %s does not fit in %s", p.Name, number(words), count(p.Width, "bit")))
		return
	}
	s.backend.Set(p, full)
}

func fits(words []uint64, width int) bool {
	for i, w := range words {
		if left := width - 64*i; left < 64 && w>>max(left, 0) != 0 {
			return false
		}
	}
	return true
}

// SetBytes drives an input port with bytes, the first one in the lowest eight bits.
func (s *Sim) SetBytes(port hdl.Bits, data []byte) { s.SetWords(port, wordsOf(data)) }

// SetBig drives an input port with a number that is not negative.
func (s *Sim) SetBig(port hdl.Bits, v *big.Int) {
	c, _ := ir.ConstFromBig(max(v.BitLen(), 1), v)
	s.SetWords(port, c.Words)
}

// wordsOf packs bytes into words, the first byte lowest.
func wordsOf(data []byte) []uint64 {
	words := make([]uint64, (len(data)+7)/8)
	for i, b := range data {
		words[i/8] |= uint64(b) << (i % 8 * 8)
	}
	return words
}

// Get returns a port of at most 64 bits.
func (s *Sim) Get(port hdl.Bits) uint64 {
	if port.Width() > 64 {
		s.fail(fmt.Errorf("Get of %d bits: use Words, Bytes or Big", port.Width()))
		return 0
	}
	return s.Words(port)[0]
}

// Words returns a port as 64-bit words, the least significant first.
func (s *Sim) Words(port hdl.Bits) []uint64 {
	words := make([]uint64, max(1, ir.WordCount(port.Width())))
	if p := s.port(port, "Get", ir.Input, ir.Output); p != nil {
		s.backend.Get(p, words)
	}
	return words
}

// Bytes returns a port as bytes, the lowest eight bits first.
func (s *Sim) Bytes(port hdl.Bits) []byte { return bytesOf(s.Words(port), (port.Width()+7)/8) }

func bytesOf(words []uint64, n int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(words[i/8] >> (i % 8 * 8))
	}
	return data
}

// Big returns a port as a number.
func (s *Sim) Big(port hdl.Bits) *big.Int {
	return ir.Const{Width: port.Width(), Words: s.Words(port)}.Big()
}

// Peek returns the low 64 bits of a signal inside the design, or of a word of
// a memory, by its path: "u_fifo.count", "u_fifo.words[3]".
func (s *Sim) Peek(path string) uint64 {
	words, err := s.backend.Peek(path)
	if err != nil {
		s.fail(err)
		return 0
	}
	return words[0]
}

// Step runs one cycle of the first clock.
func (s *Sim) Step() { s.Run(1) }

// Run runs n cycles of the first clock, fewer if a check fails.
func (s *Sim) Run(n int) { s.RunUntil(n) }

// RunUntil runs until a stop condition holds, and returns its index; or for
// max cycles of the first clock, or to a failed check, and returns -1.
func (s *Sim) RunUntil(max int, stops ...Stop) int {
	return s.run(s.first(), max, stops)
}

// RunClock is RunUntil with cycles of the clock domain of that name.
func (s *Sim) RunClock(domain string, max int, stops ...Stop) int {
	return s.run(s.clock(domain), max, stops)
}

func (s *Sim) run(c *ir.Clock, max int, stops []Stop) int {
	if c == nil || s.err != nil {
		return -1
	}
	r := s.backend.Run(RunRequest{Clock: c, Edges: uint64(max), Stops: stops})
	if r.Stop < 0 && r.Edges < uint64(max) {
		s.ended()
	}
	return r.Stop
}

// RunTo runs every edge at or before an instant, in picoseconds from the start.
func (s *Sim) RunTo(time uint64) {
	if s.err == nil {
		s.backend.Run(RunRequest{Until: time})
	}
}

// first returns the clock of the default domain, or the first one of a design
// without it, or nil after a mistake.
func (s *Sim) first() *ir.Clock {
	if len(s.design.Top.Clocks) == 0 {
		s.fail(fmt.Errorf("%s has no clock: nothing in it changes in time", s.design.Top.Name))
		return nil
	}
	for _, c := range s.design.Top.Clocks {
		if c.Name == "" {
			return c
		}
	}
	return s.design.Top.Clocks[0]
}

func (s *Sim) clock(domain string) *ir.Clock {
	for _, c := range s.design.Top.Clocks {
		if c.Name == domain {
			return c
		}
	}
	s.fail(fmt.Errorf("%s has no clock domain %q", s.design.Top.Name, domain))
	return nil
}

// Reset holds every reset high for n cycles of each clock, at least one, and
// then lets go.
func (s *Sim) Reset(n int) {
	for _, c := range s.design.Top.Clocks {
		s.setReset(c, true)
	}
	for _, c := range s.design.Top.Clocks {
		s.backend.Run(RunRequest{Clock: c, Edges: uint64(max(n, 1))})
	}
	for _, c := range s.design.Top.Clocks {
		s.setReset(c, false)
	}
}

// SetReset drives the reset of a clock domain.
func (s *Sim) SetReset(domain string, high bool) {
	if c := s.clock(domain); c != nil {
		s.setReset(c, high)
	}
}

func (s *Sim) setReset(c *ir.Clock, high bool) {
	s.released[c] = !high
	s.backend.SetReset(c, high)
}

// Time is the instant of the last edge, in picoseconds from the start.
func (s *Sim) Time() uint64 { return s.backend.Time() }

// Cycle is how often the first clock has risen.
func (s *Sim) Cycle() uint64 {
	if c := s.first(); c != nil {
		return s.backend.Cycle(c)
	}
	return 0
}

// Covered says in how many cycles a cover held, by the path of its name.
func (s *Sim) Covered(path string) uint64 {
	counts := s.backend.CoverCounts()
	for i, c := range Checks(s.design) {
		if c.Kind == ir.Cover && c.Path() == path {
			return counts[i]
		}
	}
	s.fail(fmt.Errorf("no cover %q", path))
	return 0
}

// Coverage returns the arms taken so far; nil without Options.Coverage.
func (s *Sim) Coverage() *Coverage { return s.backend.Coverage() }

// Events returns the trace events since the last call, in order of time, those
// of one instant by instance, parents first, and by declaration. There are none
// without [Options].Events. After Close it returns those that were left.
func (s *Sim) Events() []Event {
	if !s.closed {
		return s.backend.Events()
	}
	left := s.events
	s.events = nil
	return left
}

// Close ends the run. It returns Err, or an error in closing. A second Close
// does nothing.
func (s *Sim) Close() error {
	if s.closed {
		return nil
	}
	s.err, s.events = s.Err(), s.backend.Events()
	s.closed = true
	return errors.Join(s.err, s.backend.Close())
}

// Is is the stop condition that a port of at most 64 bits has the value v.
func (s *Sim) Is(port hdl.Bits, v uint64) Stop {
	p := s.port(port, "Is", ir.Input, ir.Output)
	if p == nil || p.Width > 64 {
		s.fail(errors.New("Is needs a port of at most 64 bits"))
		return Stop{Kind: StopPort, Port: s.anyPort()}
	}
	return Stop{Kind: StopPort, Port: p, Value: v}
}

// High is the stop condition that a port of one bit is one.
func (s *Sim) High(port hdl.Bits) Stop { return s.Is(port, 1) }

// anyPort stands in after a mistake, where a run does nothing.
func (s *Sim) anyPort() *ir.Signal { return s.design.Top.Signals[0] }
