package sim

import (
	"context"
	"fmt"
	"os"
	"sync"

	"gornic/hdl/ir"
	"gornic/hdl/sim/internal/netlist"
	"gornic/hdl/sim/internal/plan"
	"gornic/hdl/sim/internal/vm"
)

// branchGain is how many operations a branch must save to be one.
const branchGain = 8

// An engine is a machine in this process or in another one.
type engine interface {
	set(port int, words []uint64)
	get(port int, words []uint64)
	setReset(domain int, high bool)
	run(engineRequest) RunResult
	status() engineStatus
	// state returns the store, for reading; its length may stop after the latches.
	state() []uint64
	addSource(streamImage, Pattern) int
	addSink(streamImage, Pattern, SinkOptions) int
	push(source int, words []uint64)
	pending(source int) int
	counts(sink int) (beats, frames uint64)
	take(sink int) (words, cycles []uint64)
	takeEvents() []uint64
	setPattern(isSink bool, model int, p Pattern)
	problem() error // of the engine itself
	close() error
}

// engineStatus is what changes in a run besides the store.
type engineStatus struct {
	Time    uint64
	Edges   []uint64 // by clock
	Failed  bool
	Failure failedCheck
	Covers  []uint64 // in the order of image.Covers
	Arms    []uint64
}

// Native opens the native simulator: bytecode, which is ready in milliseconds,
// or generated Go where a step function for the design was registered.
func Native(d *ir.Design, o Options) (Backend, error) {
	c, err := compile(d, o)
	if err != nil {
		return nil, err
	}
	return c.open(d, o)
}

// PrepareNative is the part of [Native] that copies of a design share; it has the type [Prepare].
func PrepareNative(ctx context.Context, d *ir.Design, o Options) (Open, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c, err := compile(d, o)
	if err != nil {
		return nil, err
	}
	return PreparedFor(d, o.Needs(), c.open), nil
}

// A compiled design is what its copies share.
type compiled struct {
	name       string
	net        *lowered
	program    program
	step, init StepFunc
	waves      []waveSignal
}

// A lowered design is a netlist, to which a Peek adds.
type lowered struct {
	sync.Mutex
	*netlist.Netlist
}

func compile(d *ir.Design, o Options) (*compiled, error) {
	n, err := netlist.Lower(d, netlist.Options{Arms: o.Coverage, Events: o.Events, NoChecks: !o.HasChecks()})
	if err != nil {
		return nil, err
	}
	if o.Waves == "" && !o.Coverage && !o.Interpret {
		if c := compiledRegistered(n); c != nil {
			return c, nil
		}
	}
	return compileBytecode(d, n, o)
}

func compileBytecode(d *ir.Design, n *netlist.Netlist, o Options) (*compiled, error) {
	all := roots(n)
	var named []waveSignal
	if o.Waves != "" {
		var err error
		if named, err = waveSignals(d, n); err != nil {
			return nil, err
		}
		for _, s := range named {
			for _, v := range s.vals {
				all = append(all, plan.Root{Val: v, Slot: -1, Hold: netlist.None})
			}
		}
	}
	code := vm.Compile(n, plan.Make(n.Graph, all, branchGain))
	return &compiled{name: "native (bytecode)", net: &lowered{Netlist: n}, program: code, step: code.Run, init: code.Init, waves: named}, nil
}

// open makes a copy of the design; it has the type [Open].
func (c *compiled) open(d *ir.Design, o Options) (Backend, error) {
	c.net.Lock()
	defer c.net.Unlock()
	m := newMachine(newImage(c.net.Netlist, c.program, o), c.step, o.Seed)
	c.init(m.s)
	if o.Waves != "" {
		f, err := os.Create(o.Waves)
		if err != nil {
			return nil, fmt.Errorf("sim: waves: %w", err)
		}
		m.waves = newWaveWriter(f, d, c.waves, c.program.Slot, m)
	}
	return newNative(c.name, d, c.net, m), nil
}

// native implements Backend over an engine.
type native struct {
	engine
	name   string
	design *ir.Design
	net    *lowered
	ports  map[*ir.Signal]int
	clocks map[*ir.Clock]int
	checks []InstanceCheck
	events []InstanceEvent
}

func newNative(name string, d *ir.Design, n *lowered, e engine) *native {
	b := &native{
		engine: e, name: name, design: d, net: n,
		ports: map[*ir.Signal]int{}, clocks: map[*ir.Clock]int{}, checks: Checks(d), events: Events(d),
	}
	for _, list := range [][]netlist.Port{n.Inputs, n.Outputs} {
		for _, p := range list {
			b.ports[p.Signal] = len(b.ports)
		}
	}
	for i, c := range n.Clocks {
		b.clocks[c] = i
	}
	return b
}

func (b *native) Name() string { return b.name }

// port returns the number of a port. Sim checks ports before they get here.
func (b *native) port(s *ir.Signal) int {
	i, ok := b.ports[s]
	if !ok {
		panic(fmt.Sprintf("sim: %s is no port of the top", s.Name))
	}
	return i
}

func (b *native) Set(port *ir.Signal, words []uint64) { b.set(b.port(port), words) }

func (b *native) Get(port *ir.Signal, words []uint64) { b.get(b.port(port), words) }

func (b *native) SetReset(clock *ir.Clock, high bool) { b.setReset(b.clocks[clock], high) }

func (b *native) Time() uint64 { return b.status().Time }

func (b *native) Cycle(clock *ir.Clock) uint64 { return b.status().Edges[b.clocks[clock]] }

func (b *native) Run(r RunRequest) RunResult {
	e := engineRequest{Domain: -1, Edges: r.Edges, Until: r.Until}
	if r.Clock != nil {
		e.Domain = b.clocks[r.Clock]
	}
	for _, s := range r.Stops {
		es := engineStop{Kind: s.Kind, Value: s.Value}
		switch s.Kind {
		case StopPort:
			es.Port = b.port(s.Port)
		case StopDrained:
			es.Port = s.Source.(*nativeModel).id
		default:
			es.Port = s.Sink.(*nativeModel).id
		}
		e.Stops = append(e.Stops, es)
	}
	return b.run(e)
}

func (b *native) Failure() *CheckError {
	st := b.status()
	if !st.Failed {
		return nil
	}
	return &CheckError{Check: b.checks[st.Failure.Check], Cycle: st.Failure.Cycle, Time: st.Failure.Time}
}

func (b *native) CoverCounts() []uint64 {
	counts := make([]uint64, len(b.checks))
	covers := b.status().Covers
	for i, c := range b.net.Checks {
		if c.Check.Kind == ir.Cover {
			counts[i], covers = covers[0], covers[1:]
		}
	}
	return counts
}

func (b *native) Events() []Event {
	if len(b.net.Events) == 0 {
		return nil
	}
	return DecodeEvents(b.events, b.takeEvents())
}

func (b *native) Coverage() *Coverage {
	counts := b.status().Arms
	if len(b.net.Arms) == 0 {
		return nil
	}
	c := NewCoverage()
	for i, a := range b.net.Arms {
		file, line := a.Pos.Line()
		c.Add(Arm{File: file, Line: line, Kind: a.Kind}, counts[i])
	}
	return c
}

// Err returns what has gone wrong with the simulator itself, such as the end
// of the other process.
func (b *native) Err() error { return b.problem() }

func (b *native) Close() error { return b.close() }

// nativeModel is a SourceModel or a SinkModel by its number in the engine.
type nativeModel struct {
	engine
	id     int
	isSink bool
}

func (b *native) streamImage(p StreamPorts) streamImage {
	im := streamImage{Domain: b.clocks[p.Clock], Valid: b.port(p.Valid), Ready: -1, Last: -1, Words: p.BeatWords()}
	if p.Ready != nil {
		im.Ready = b.port(p.Ready)
	}
	for i, s := range p.Data {
		im.Data = append(im.Data, b.port(s))
		if s == p.Last {
			im.Last = i
		}
	}
	return im
}

func (b *native) AddSource(p StreamPorts, pattern Pattern) SourceModel {
	return &nativeModel{engine: b.engine, id: b.addSource(b.streamImage(p), pattern)}
}

func (b *native) AddSink(p StreamPorts, pattern Pattern, o SinkOptions) SinkModel {
	return &nativeModel{engine: b.engine, id: b.addSink(b.streamImage(p), pattern, o), isSink: true}
}

func (m *nativeModel) Push(words []uint64) { m.push(m.id, words) }

func (m *nativeModel) Pending() int { return m.pending(m.id) }

func (m *nativeModel) SetPattern(p Pattern) { m.setPattern(m.isSink, m.id, p) }

func (m *nativeModel) Beats() uint64 {
	beats, _ := m.counts(m.id)
	return beats
}

func (m *nativeModel) Frames() uint64 {
	_, frames := m.counts(m.id)
	return frames
}

func (m *nativeModel) Take() (words, cycles []uint64) { return m.take(m.id) }
