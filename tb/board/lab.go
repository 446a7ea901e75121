package board

import (
	"errors"
	"fmt"
	"time"

	"gornic/configs"
	"gornic/fpga/blocks/top"
	"gornic/hdl"
	"gornic/hdl/ir"
	"gornic/hdl/sim"
	"gornic/tb/wire"
)

// Clocks are periods in picoseconds. A board's are exact; those of its PHYs, which come from the other ends, may be
// off by 100 ppm and more.
type Clocks struct{ Core, Net, Rx0, Rx1 uint64 }

// Exact is 62.5 MHz and gigabit Ethernet.
func Exact() Clocks { return Clocks{Core: 16000, Net: 8000, Rx0: 8000, Rx1: 8000} }

// timing is the clocks for a simulation. All rise together at first, which makes it faster, and go on doing so
// where they are exact.
func (c Clocks) timing() map[string]sim.Timing {
	rise := max(c.Core, c.Net, c.Rx0, c.Rx1) / 2
	at := func(period uint64) sim.Timing { return sim.Timing{Period: period, Phase: rise - period/2} }
	return map[string]sim.Timing{"": at(c.Core), "net": at(c.Net), "rx0": at(c.Rx0), "rx1": at(c.Rx1)}
}

// Design is a board that has been elaborated, for any number of labs.
type Design struct {
	Params top.Params
	design *hdl.Design
	io     *harnessIO
}

// Build elaborates a board with what a lab needs around it.
func Build(p top.Params) (*Design, error) {
	design, io, err := hdl.Build(harness(p))
	if err != nil {
		return nil, fmt.Errorf("tb/board: %w", err)
	}
	return &Design{p, design, io}, nil
}

// Core is the configuration of the board's core.
func (d *Design) Core() configs.Config { return d.Params.Core }

// Options of a [Lab].
type Options struct {
	Simulator sim.Simulator // the zero value: the native one
	Seed      uint64
	Clocks    Clocks // the zero value: Exact
	Waves     string // file of waves; empty: none
	NoChecks  bool   // the properties of the design are left out, for speed
}

// slice is how many cycles of the core pass between two looks at the pins.
const slice = 64

// Lab is a board and what it is connected to. It is used by one goroutine at a time.
type Lab struct {
	Ports  []*Port
	Serial *Serial

	design *Design
	sim    *sim.Sim
	clocks Clocks
	net    *ir.Clock
	links  map[int]link // by port
	err    error
}

// link is a wire at a port, and who hears of the time there.
type link struct {
	*wire.Link
	tick func(time.Duration)
}

// New has a board come out of reset. Nothing is connected to it yet.
func New(d *Design, o Options) (*Lab, error) {
	if o.Simulator.Open == nil {
		o.Simulator = sim.NativeSimulator
	}
	if o.Clocks == (Clocks{}) {
		o.Clocks = Exact()
	}
	s, err := sim.Start(o.Simulator.Open, d.design, sim.Options{Seed: o.Seed, Clocks: o.Clocks.timing(), Waves: o.Waves, NoChecks: o.NoChecks})
	if err != nil {
		return nil, fmt.Errorf("tb/board: %s: %w", o.Simulator.Name, err)
	}
	l := &Lab{links: map[int]link{}, design: d, sim: s, clocks: o.Clocks, net: d.io.Tx[0].Valid.Signal().Clock}
	for i, in := range d.io.received() {
		s.Set(d.io.Idle[i], idle)
		out := sim.Ports(s, d.io.Tx[i].Valid, noReady, d.io.Tx[i].Symbol)
		l.Ports = append(l.Ports, &Port{
			number: i, in: sim.NewSource(s, in, sim.Pattern{}), out: sim.NewSinkOf(s, out, sim.Pattern{}, sim.SinkOptions{}),
		})
	}
	l.Serial = newSerial(l)
	s.Reset(resetCycles)
	if err := s.Err(); err != nil {
		return nil, errors.Join(fmt.Errorf("tb/board: %w", err), s.Close())
	}
	return l, nil
}

// resetCycles is how long a reset is, in cycles of each clock.
const resetCycles = 8

// Connect puts somebody at the other end of a port, in the place of who was there. The wire may fail, and has taps; tick, where it
// is not nil, is told how much time has passed.
func (l *Lab) Connect(port int, end wire.End, tick func(time.Duration), faults wire.Faults, taps ...wire.Tap) *wire.Link {
	w := wire.NewLink(l.Ports[port], paced{end, l.Ports[port]}, faults, taps...)
	w.Clock = l.Time
	l.links[port] = link{w, tick}
	return w
}

// paced is an end that sends when what it sent before is nearly out.
type paced struct {
	wire.End
	port *Port
}

// ahead is how many cycles may wait for the pins when the next frame comes.
const ahead = 1000

func (p paced) Send() ([]byte, bool) {
	if p.port.Pending() > ahead {
		return nil, false
	}
	return p.End.Send()
}

// Run lets the board work for so many cycles of its core, and the wires carry what is sent. The error is
// the first one: a failed check of the design, or what no MAC may put on its pins.
func (l *Lab) Run(cycles int) error {
	for cycles > 0 && l.err == nil {
		n := min(cycles, slice)
		cycles -= n
		l.sim.Run(n)
		l.err = l.collect()
		l.exchange(n)
	}
	return l.err
}

// collect takes what has come out of the board.
func (l *Lab) collect() error {
	if err := l.sim.Err(); err != nil {
		return fmt.Errorf("tb/board: %w", err)
	}
	now := l.sim.Backend().Cycle(l.net)
	for _, p := range l.Ports {
		if err := p.collect(now); err != nil {
			return fmt.Errorf("tb/board: %w", err)
		}
	}
	l.Serial.collect()
	return nil
}

// exchange carries frames until there are none.
func (l *Lab) exchange(cycles int) {
	for port := range l.Ports {
		k, ok := l.links[port]
		if !ok {
			continue
		}
		if k.tick != nil {
			k.tick(time.Duration(cycles) * l.cycle())
		}
		for k.Step() > 0 {
		}
	}
}

// cycle is how long a cycle of the core is.
func (l *Lab) cycle() time.Duration { return time.Duration(l.clocks.Core/1000) * time.Nanosecond }

// Time is how long the board has been running.
func (l *Lab) Time() time.Duration { return time.Duration(l.sim.Time()/1000) * time.Nanosecond }

// Cycle is how many cycles the core has run.
func (l *Lab) Cycle() uint64 { return l.sim.Cycle() }

// Reset resets the board, whatever it is doing: all domains together, as the board's own reset does.
func (l *Lab) Reset() error {
	l.hold(true)
	err := l.Run(resetCycles)
	l.hold(false)
	return err
}

// hold holds the board in reset, or lets it go.
func (l *Lab) hold(reset bool) {
	for _, c := range l.sim.Design().Top.Clocks {
		l.sim.SetReset(c.Name, reset)
	}
	for _, p := range l.Ports {
		p.receiver.Cut = reset
	}
}

// Sim is the simulation, to look inside.
func (l *Lab) Sim() *sim.Sim { return l.sim }

// Close ends the simulation. It returns the first error.
func (l *Lab) Close() error { return errors.Join(l.err, l.sim.Close()) }

// LEDs are those that shine, a bit each.
func (l *Lab) LEDs() uint64 { return l.sim.Get(l.design.io.LEDs) }

// RxDelay is what the board tells the pads of a port to delay, in taps.
func (l *Lab) RxDelay(port int) uint64 { return l.sim.Get(l.design.io.RxDelay[port]) }

// WantsReset tells that software has asked for a reset of the board: [Lab.Reset] is for the caller to call.
func (l *Lab) WantsReset() bool { return l.sim.Get(l.design.io.Reset) == 1 }
