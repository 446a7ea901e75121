// Package randnet draws random designs, to compare simulators and printed
// Verilog with. [Design] is the way in.
package randnet

import (
	"fmt"

	"gornic/hdl/ir"
	"pgregory.net/rapid"
)

// widths that random values have: the edges of 64-bit words most of all.
var widths = []int{1, 1, 1, 2, 7, 8, 24, 32, 63, 64, 65, 100, 128, 130, 200}

// eventWidths that fields of events have.
var eventWidths = []int{1, 1, 7, 24, 32, 33, 63, 64}

// Options limit what a design may have in it.
type Options struct {
	Clocks int // 1 or 2
	// InRange keeps memory addresses below the depth, beyond which Verilog
	// simulators differ.
	InRange bool
	// Reset gives every register a reset and leaves memories out: after a reset
	// nothing is left of the state that a simulator began with.
	Reset bool
}

// Design draws a design with an instance, memories, statements of every kind
// and trace events. It has no combinational loop, though signals of one If read each other.
func Design(t *rapid.T, o Options) *ir.Design {
	d := &ir.Design{}
	g := &generator{t: t, d: d, o: o}
	d.Top = g.module("top", "", nil, 1)
	for i := len(d.All) - 1; i >= 0; i-- {
		d.Modules = append(d.Modules, d.All[i])
	}
	return d
}

type generator struct {
	t *rapid.T
	d *ir.Design
	o Options
}

func (g *generator) pick(n int) int { return rapid.IntRange(0, n-1).Draw(g.t, "pick") }

func (g *generator) width() int { return widths[g.pick(len(widths))] }

// module draws one module. Its values read only what was declared before, so
// a wire never depends on itself.
func (g *generator) module(name, path string, parent *ir.Module, depth int) *ir.Module {
	m := &ir.Module{Name: name, Path: path, Parent: parent, Body: &ir.Block{}, Ghost: &ir.Block{}}
	g.d.All = append(g.d.All, m)
	for i := range g.o.Clocks {
		c := &ir.Clock{Name: "", Clk: "clk", Rst: "rst", Module: m}
		if i > 0 {
			c.Name, c.Clk, c.Rst = "b", "b_clk", "b_rst"
		}
		m.Clocks = append(m.Clocks, c)
	}
	b := &moduleBuilder{generator: g, m: m}
	for i := range 2 + g.pick(3) {
		b.readable(b.declare(fmt.Sprintf("in%d", i), g.width(), ir.Input))
	}
	var outputs []*ir.Signal
	for i := range 2 + g.pick(2) {
		outputs = append(outputs, b.declare(fmt.Sprintf("out%d", i), g.width(), ir.Output))
	}
	regs := b.registers()
	if !g.o.Reset {
		for i := range g.pick(3) {
			b.memory(i)
		}
	}
	if depth > 0 {
		b.instance(depth)
	}
	b.wires()
	for _, w := range outputs {
		b.define(w)
	}
	b.setRegisters(regs)
	b.finishMemories()
	b.covers()
	b.events()
	return m
}

type moduleBuilder struct {
	*generator
	m     *ir.Module
	pool  []*ir.Node // what may be read
	async []*ir.Memory
}

func (b *moduleBuilder) declare(name string, width int, kind ir.Kind) *ir.Signal {
	s := &ir.Signal{Name: name, Width: width, Kind: kind, Module: b.m}
	b.m.Signals = append(b.m.Signals, s)
	return s
}

func (b *moduleBuilder) readable(s *ir.Signal) {
	b.pool = append(b.pool, &ir.Node{Op: ir.OpSignal, Width: s.Width, Signal: s, Module: b.m})
}

func (b *moduleBuilder) clock() *ir.Clock { return b.m.Clocks[b.pick(len(b.m.Clocks))] }

func (b *moduleBuilder) registers() []*ir.Signal {
	var regs []*ir.Signal
	for i := range 2 + b.pick(4) {
		r := b.declare(fmt.Sprintf("r%d", i), b.width(), ir.Reg)
		r.Clock = b.clock()
		if b.o.Reset || b.pick(2) == 0 {
			c := b.constant(r.Width).Const
			r.Reset = &c
		}
		regs = append(regs, r)
		b.readable(r)
	}
	return regs
}

// memory declares a memory and the data of its read ports; what drives the
// ports is drawn at the end.
func (b *moduleBuilder) memory(i int) {
	lanes := 1 + b.pick(3)
	mem := &ir.Memory{
		Name: fmt.Sprintf("mem%d", i), Module: b.m, Depth: 1 + b.pick(12), Async: b.pick(3) == 0,
		Collide: ir.Collision(b.pick(2)),
	}
	mem.Lane = []int{1, 8, 9, 40, 64}[b.pick(5)]
	mem.Width = lanes * mem.Lane
	b.m.Memories = append(b.m.Memories, mem)
	if mem.Async {
		b.async = append(b.async, mem)
		return
	}
	for k := range 1 + b.pick(2) {
		data := b.declare(fmt.Sprintf("mem%d_q%d", i, k), mem.Width, ir.ReadData)
		p := &ir.ReadPort{Memory: mem, Clock: b.clock(), Data: data}
		data.Read, data.Clock = p, p.Clock
		mem.Reads = append(mem.Reads, p)
		b.readable(data)
	}
}

func (b *moduleBuilder) finishMemories() {
	for _, mem := range b.m.Memories {
		for _, p := range mem.Reads {
			p.Addr, p.En = b.address(mem), b.expr(1, 2)
		}
		clock := b.clock()
		w := &ir.WritePort{Memory: mem, Clock: clock, Addr: b.address(mem), En: b.expr(1, 2), Data: b.expr(mem.Width, 2)}
		if mem.Lane < mem.Width && b.pick(2) == 0 {
			w.Lanes = b.expr(mem.Width/mem.Lane, 2)
		}
		if w.Lanes == nil {
			mem.Lane = mem.Width
		}
		mem.Writes = append(mem.Writes, w)
	}
}

// address is any value of the address width, or one below the depth.
func (b *moduleBuilder) address(mem *ir.Memory) *ir.Node {
	w := ir.AddrWidth(mem.Depth)
	a := b.expr(w, 1)
	if !b.o.InRange || 1<<w == mem.Depth {
		return a
	}
	last, _ := ir.NewConst(w, uint64(mem.Depth-1))
	k := &ir.Node{Op: ir.OpConst, Width: w, Const: last}
	return b.node(ir.OpMux, w, b.node(ir.OpLe, 1, a, k), a, k)
}

// instance draws a child and connects it.
func (b *moduleBuilder) instance(depth int) {
	name := "u_child"
	child := b.generator.module("child", join(b.m.Path, name), b.m, depth-1)
	inst := &ir.Instance{Name: name, Module: child, Parent: b.m, Clocks: map[*ir.Clock]*ir.Clock{}}
	for _, c := range child.Clocks {
		inst.Clocks[c] = b.clock()
	}
	b.m.Instances = append(b.m.Instances, inst)
	for _, p := range child.Signals {
		switch p.Kind {
		case ir.Input:
			s := b.declare(name+"_"+p.Name, p.Width, ir.ChildInput)
			s.Instance, s.Port = inst, p
			inst.Ports = append(inst.Ports, s)
			b.assign(b.m.Body, s, b.expr(s.Width, 2))
		case ir.Output:
			s := b.declare(name+"_"+p.Name, p.Width, ir.ChildOutput)
			s.Instance, s.Port = inst, p
			inst.Ports = append(inst.Ports, s)
			defer b.readable(s)
		}
	}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// wires declares wires one or two at a time; each may be read by the next ones.
func (b *moduleBuilder) wires() {
	for i := range 3 + b.pick(5) {
		w := b.declare(fmt.Sprintf("w%d", i), b.width(), ir.Wire)
		if b.pick(3) > 0 {
			b.define(w)
			b.readable(w)
			continue
		}
		v := b.declare(fmt.Sprintf("v%d", i), b.width(), ir.Wire)
		b.definePair(w, v)
		b.readable(v)
	}
}

// define drives a wire or output: a default, then perhaps conditions.
func (b *moduleBuilder) define(s *ir.Signal) {
	b.assign(b.m.Body, s, b.expr(s.Width, 3))
	if b.pick(2) == 0 {
		b.conditional(b.m.Body, []*ir.Signal{s}, 2)
	}
}

// definePair drives two wires in one If, one of which reads the other: that
// is a loop between statements, but not between values.
func (b *moduleBuilder) definePair(first, second *ir.Signal) {
	cond := b.expr(1, 2)
	then, other := &ir.Block{}, &ir.Block{}
	v1, v2 := b.expr(first.Width, 2), b.expr(first.Width, 2)
	b.readable(first)
	b.assign(then, second, b.expr(second.Width, 2))
	b.assign(other, second, b.expr(second.Width, 2))
	b.assign(then, first, v1)
	b.assign(other, first, v2)
	b.m.Body.Stmts = append(b.m.Body.Stmts, &ir.If{Arms: []*ir.Arm{{Cond: cond, Body: then}, {Body: other}}})
}

func (b *moduleBuilder) setRegisters(regs []*ir.Signal) {
	for _, r := range regs {
		if b.pick(4) == 0 {
			b.assign(b.m.Body, r, b.expr(r.Width, 3))
		}
	}
	b.conditional(b.m.Body, regs, 3)
	b.conditional(b.m.Body, regs, 2)
}

// conditional draws an If or a Switch that assigns some of the targets.
func (b *moduleBuilder) conditional(to *ir.Block, targets []*ir.Signal, depth int) {
	if b.pick(2) == 0 {
		b.ifStmt(to, targets, depth)
	} else {
		b.switchStmt(to, targets, depth)
	}
}

func (b *moduleBuilder) ifStmt(to *ir.Block, targets []*ir.Signal, depth int) {
	stmt := &ir.If{}
	for range 1 + b.pick(3) {
		stmt.Arms = append(stmt.Arms, &ir.Arm{Cond: b.expr(1, 2), Body: b.body(targets, depth)})
	}
	if b.pick(2) == 0 {
		stmt.Arms = append(stmt.Arms, &ir.Arm{Body: b.body(targets, depth)})
	}
	to.Stmts = append(to.Stmts, stmt)
}

func (b *moduleBuilder) switchStmt(to *ir.Block, targets []*ir.Signal, depth int) {
	w := 1 + b.pick(4)
	stmt := &ir.Switch{Subject: b.expr(w, 2)}
	next, end := 0, 1<<w
	for range 1 + b.pick(4) {
		arm := &ir.CaseArm{Body: b.body(targets, depth)}
		for range 1 + b.pick(4) {
			if next < end {
				c, _ := ir.NewConst(w, uint64(next))
				arm.Values = append(arm.Values, c)
				next++
			}
		}
		if len(arm.Values) > 0 {
			stmt.Arms = append(stmt.Arms, arm)
		}
	}
	if next < end && b.pick(2) == 0 {
		stmt.Arms = append(stmt.Arms, &ir.CaseArm{Body: b.body(targets, depth)})
	}
	to.Stmts = append(to.Stmts, stmt)
}

func (b *moduleBuilder) body(targets []*ir.Signal, depth int) *ir.Block {
	block := &ir.Block{}
	for _, s := range targets {
		if b.pick(2) == 0 {
			b.assign(block, s, b.expr(s.Width, 2))
		}
	}
	if depth > 1 && b.pick(3) == 0 {
		b.conditional(block, targets, depth-1)
	}
	return block
}

func (b *moduleBuilder) assign(to *ir.Block, s *ir.Signal, v *ir.Node) {
	to.Stmts = append(to.Stmts, &ir.Assign{Target: s, Value: v})
}

func (b *moduleBuilder) covers() {
	for i := range 2 {
		b.m.Checks = append(b.m.Checks, &ir.Check{
			Kind: ir.Cover, Name: fmt.Sprintf("cover%d", i), Cond: b.expr(1, 3), Clock: b.clock(),
		})
	}
}

// events draws trace events, some without fields.
func (b *moduleBuilder) events() {
	for i := range b.pick(3) {
		e := &ir.Event{Name: fmt.Sprintf("event%d", i), When: b.expr(1, 3), Clock: b.clock()}
		for k := range b.pick(4) {
			f := ir.EventField{Name: fmt.Sprintf("f%d", k), Value: b.expr(eventWidths[b.pick(len(eventWidths))], 2)}
			if b.pick(3) == 0 {
				f.Enum = &ir.Enum{Name: "flag", Values: []ir.EnumValue{{Value: 0, Name: "CLEAR"}, {Value: 1, Name: "SET"}}}
			}
			e.Fields = append(e.Fields, f)
		}
		b.m.Events = append(b.m.Events, e)
	}
}
