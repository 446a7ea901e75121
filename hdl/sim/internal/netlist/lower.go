package netlist

import (
	"errors"
	"fmt"

	"gornic/hdl/ir"
)

// Builder lowers the values of a design on demand.
type Builder struct {
	g        *Graph
	top      *ir.Module
	defs     map[*ir.Signal]*ir.Node   // what drives each assigned signal
	outer    map[*ir.Signal]*ir.Signal // an instance's input port -> the parent's view of it
	inst     map[*ir.Module]*ir.Instance
	slots    map[*ir.Signal]int
	memories map[*ir.Memory]int
	domains  map[*ir.Clock]int

	nodes  map[*ir.Node]Vec
	known  map[*ir.Signal]Vec
	active map[*ir.Signal]bool // being lowered right now
	loop   loopState
	err    error
}

// Lower flattens a design. It fails for a combinational loop, judged bit by
// bit, and for a design with mistakes in it.
func Lower(d *ir.Design, o Options) (*Netlist, error) {
	if err := d.Simulable(); err != nil {
		return nil, fmt.Errorf("sim: %w", err)
	}
	b := &Builder{
		g: NewGraph(), top: d.Top,
		defs: map[*ir.Signal]*ir.Node{}, outer: map[*ir.Signal]*ir.Signal{}, inst: map[*ir.Module]*ir.Instance{},
		slots: map[*ir.Signal]int{}, memories: map[*ir.Memory]int{}, domains: map[*ir.Clock]int{},
		nodes: map[*ir.Node]Vec{}, known: map[*ir.Signal]Vec{}, active: map[*ir.Signal]bool{},
		loop: newLoopState(),
	}
	n := &Netlist{Graph: b.g, Clocks: d.Top.Clocks, Builder: b}
	b.flatten(d)
	n.layOut(d)
	n.lowerState()
	n.lowerPorts()
	if !o.NoChecks {
		n.lowerChecks(d)
	}
	n.joinChecks()
	n.latch()
	if o.Arms {
		n.lowerArms(d)
	}
	if o.Events {
		n.lowerEvents(d)
	}
	return n, b.err
}

func (b *Builder) failf(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf("sim: "+format, args...)
	}
}

// flatten collects what drives each signal, over all instances.
func (b *Builder) flatten(d *ir.Design) {
	for i, c := range d.Top.Clocks {
		b.domains[c] = i
	}
	for _, m := range d.All {
		for s, v := range definitions(m).value {
			b.defs[s] = v
		}
		for _, inst := range m.Instances {
			b.inst[inst.Module] = inst
			for child, parent := range inst.Clocks {
				b.domains[child] = b.domains[parent] // parents come first in d.All
			}
			for _, s := range inst.Ports {
				if s.Kind == ir.ChildInput {
					b.outer[s.Port] = s
				}
			}
		}
	}
}

// layOut gives inputs and state their places in the store.
func (n *Netlist) layOut(d *ir.Design) {
	take := func(s *ir.Signal) { n.slots[s] = n.Slots; n.Slots += ir.WordCount(s.Width) }
	for _, s := range d.Top.Signals {
		if s.Kind == ir.Input {
			take(s)
		}
	}
	n.CurLo = n.Slots
	for domain := range n.Clocks {
		n.forEach(d, ir.Reg, domain, func(s *ir.Signal) {
			take(s)
			n.Regs = append(n.Regs, Reg{Signal: s, Path: path(s.Module, s.Name), Domain: domain, Slot: n.slots[s]})
		})
	}
	n.CurHi, n.DataLo = n.Slots, n.Slots
	for domain := range n.Clocks {
		n.forEach(d, ir.ReadData, domain, take)
	}
	n.DataHi, n.NextLo = n.Slots, n.Slots
	n.Slots += n.CurHi - n.CurLo
	n.MemLo = n.Slots
	for _, m := range d.All {
		for _, mem := range m.Memories {
			n.memories[mem] = len(n.Mems)
			parts := ir.WordCount(mem.Width)
			n.Mems = append(n.Mems, Mem{Memory: mem, Path: path(m, mem.Name), Slot: n.Slots, Parts: parts})
			n.Slots += parts * mem.Depth
		}
	}
}

func (n *Netlist) forEach(d *ir.Design, kind ir.Kind, domain int, f func(*ir.Signal)) {
	for _, m := range d.All {
		for _, s := range m.Signals {
			if s.Kind == kind && n.domains[s.Clock] == domain {
				f(s)
			}
		}
	}
}

func path(m *ir.Module, name string) string {
	if m.Path == "" {
		return name
	}
	return m.Path + "." + name
}

// lowerState lowers next values of registers and the inputs of memory ports.
func (n *Netlist) lowerState() {
	for i := range n.Regs {
		r := &n.Regs[i]
		r.Cur = n.signal(r.Signal)
		if def := n.defs[r.Signal]; def != nil {
			r.Next = n.node(def)
		} else {
			r.Next = r.Cur
		}
	}
	for i := range n.Mems {
		m := &n.Mems[i]
		for _, p := range m.Memory.Reads {
			en := n.bit(p.En)
			m.Reads = append(m.Reads, Read{
				Domain: n.domains[p.Clock], En: en, Addr: n.g.Mux(en, n.low(p.Addr), None),
				Path: path(p.Data.Module, p.Data.Name), Slot: n.slots[p.Data],
			})
		}
		for _, p := range m.Memory.Writes {
			m.Writes = append(m.Writes, n.lowerWrite(p))
		}
	}
}

// lowerWrite lowers a write port; what is not used while En is low may be
// anything then.
func (n *Netlist) lowerWrite(p *ir.WritePort) Write {
	w := Write{Domain: n.domains[p.Clock], En: n.bit(p.En)}
	w.Addr = n.g.Mux(w.En, n.low(p.Addr), None)
	w.Data = n.when(w.En, n.node(p.Data))
	if p.Lanes != nil {
		w.Lanes = n.when(w.En, n.node(p.Lanes))
	}
	return w
}

func (n *Netlist) when(en Val, v Vec) Vec {
	out := make(Vec, len(v))
	for i := range v {
		out[i] = n.g.Mux(en, v[i], None)
	}
	return out
}

func (n *Netlist) lowerPorts() {
	for _, s := range n.top.Signals {
		switch s.Kind {
		case ir.Input:
			n.Inputs = append(n.Inputs, Port{s, n.signal(s)})
		case ir.Output:
			n.Outputs = append(n.Outputs, Port{s, n.signal(s)})
		}
	}
}

func (n *Netlist) lowerChecks(d *ir.Design) {
	for _, m := range d.All {
		for _, c := range m.Checks {
			n.Checks = append(n.Checks, Check{Check: c, Module: m, Domain: n.domains[c.Clock], Cond: n.bit(c.Cond)})
		}
	}
}

// joinChecks says for each clock that all is well.
func (n *Netlist) joinChecks() {
	n.Good = make([]Val, len(n.Clocks))
	for i := range n.Good {
		n.Good[i] = None
	}
	for _, c := range n.Checks {
		good := &n.Good[c.Domain]
		switch {
		case c.Check.Kind == ir.Cover:
		case *good == None:
			*good = c.Cond
		default:
			*good = n.g.binary(And, 1, *good, c.Cond)
		}
	}
}

func (n *Netlist) lowerEvents(d *ir.Design) {
	for _, m := range d.All {
		for _, e := range m.Events {
			low := Event{Domain: n.domains[e.Clock], When: n.bit(e.When)}
			for _, f := range e.Fields {
				low.Fields = append(low.Fields, n.g.Mux(low.When, n.low(f.Value), None))
			}
			n.Events = append(n.Events, low)
		}
	}
}

// latch finds the read data among the operands of memory ports.
func (n *Netlist) latch() {
	need := func(vals ...Val) {
		for _, v := range vals {
			if v == None || n.g.Nodes[v].Op != Leaf {
				continue
			}
			slot := int(n.g.Nodes[v].Imm)
			if _, done := n.Latch(v); !done && n.DataLo <= slot && slot < n.DataHi {
				n.Latches = append(n.Latches, Latch{Val: v, Slot: n.Slots})
				n.Slots++
			}
		}
	}
	for _, m := range n.Mems {
		for _, r := range m.Reads {
			need(r.En, r.Addr)
		}
		for _, w := range m.Writes {
			need(w.En, w.Addr)
			need(w.Data...)
			need(w.Lanes...)
		}
	}
}

// Signal returns the value of any signal of the design.
func (b *Builder) Signal(s *ir.Signal) (Vec, error) {
	v := b.signal(s)
	return v, b.err
}

// bit lowers a node of one bit, low one that fits in a part.
func (b *Builder) bit(n *ir.Node) Val { return b.node(n)[0] }
func (b *Builder) low(n *ir.Node) Val { return b.node(n)[0] }

// signal lowers the final value of a signal.
func (b *Builder) signal(s *ir.Signal) Vec {
	if v, ok := b.known[s]; ok {
		return v
	}
	if slot, ok := b.slots[s]; ok {
		b.known[s] = b.g.leafVec(s.Width, slot)
		return b.known[s]
	}
	if b.active[s] {
		return b.signalBits(s, 0, s.Width)
	}
	b.active[s] = true
	v := b.driver(s)
	delete(b.active, s)
	b.known[s] = v
	return v
}

// driver lowers what drives a signal that is no state.
func (b *Builder) driver(s *ir.Signal) Vec {
	if from, node := b.source(s); from != nil {
		return b.signal(from)
	} else if node != nil {
		return b.node(node)
	}
	b.failf("%s: %s %s is driven by nothing", s.Pos, s.Kind, path(s.Module, s.Name))
	return b.g.zero(s.Width)
}

// source returns the signal that s is a copy of, or else the value it is given.
func (b *Builder) source(s *ir.Signal) (*ir.Signal, *ir.Node) {
	switch s.Kind {
	case ir.Input:
		return b.outer[s], nil
	case ir.ChildOutput:
		return s.Port, nil
	}
	return nil, b.defs[s]
}

// node lowers an expression.
func (b *Builder) node(n *ir.Node) Vec {
	if n.Op == ir.OpSignal {
		return b.signal(n.Signal)
	}
	if v, ok := b.nodes[n]; ok {
		return v
	}
	if v, ok := b.sliceOfActive(n); ok {
		return v // not kept: it is a detour around a loop that exists at present only
	}
	args := make([]Vec, len(n.Args))
	for i, a := range n.Args {
		args[i] = b.node(a)
	}
	v := b.apply(n, args)
	b.nodes[n] = v
	return v
}

// sliceOfActive lowers a slice of a signal that is being lowered: perhaps the
// slice does not depend on what is missing.
func (b *Builder) sliceOfActive(n *ir.Node) (Vec, bool) {
	if n.Op != ir.OpSlice || n.Args[0].Op != ir.OpSignal || !b.active[n.Args[0].Signal] {
		return nil, false
	}
	return b.signalBits(n.Args[0].Signal, n.Lo, n.Width), true
}

// memRead lowers an asynchronous read; addresses past the end read zero.
func (b *Builder) memRead(n *ir.Node, addr Vec) Vec {
	index := b.memories[n.Memory]
	return each(n.Width, func(i, w int) Val {
		return b.g.unary(MemRead, w, addr[0], uint64(index)<<8|uint64(i))
	})
}

// ErrLoop is what the error of a combinational loop wraps.
var ErrLoop = errors.New("combinational loop")
