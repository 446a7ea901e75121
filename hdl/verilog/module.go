package verilog

import (
	"cmp"
	"slices"
	"strings"

	"gornic/hdl/ir"
)

// module prints one module.
type module struct {
	*emitter
	ir    *ir.Module
	out   *text
	scope scope
	low   *lowerer

	items     []*item // of the hardware
	ghosts    []*item // of the properties
	parts     []part  // of the text of the hardware, in order
	always    map[*ir.Signal]bool
	direct    map[*ir.Signal]*ir.Node   // inputs of instances that need no wire
	joined    map[*ir.Signal]*ir.Signal // outputs of instances -> the wire or output of this module that they drive
	roots     []root
	usage     map[*ir.Node]*usage
	visited   []*ir.Node // arguments before their users
	links     map[*ir.Node]bool
	names     map[*ir.Node]string
	targetOf  map[*ir.Node]*ir.Signal
	wires     map[*ir.Node]*wire
	valueOf   map[*ir.Node]*ir.Signal // a signal with named values that takes the expression
	variable  map[*ir.Node]variable
	enums     []*enumSet
	anonymous int // wires without a variable
	said      map[string]bool
	pins      map[*ir.Signal]*ir.Node
}

// A part is one piece of the body: its place in the author's order and how it
// is printed.
type part struct {
	order int
	roots []root
	block bool // it is set off by empty lines
	print func()
}

// module returns the text of one module.
func (e *emitter) module(m *ir.Module) *text {
	p := &module{
		emitter: e, ir: m, out: &text{depth: 1}, scope: scope{}, low: newLowerer(), always: map[*ir.Signal]bool{},
		direct: map[*ir.Signal]*ir.Node{}, joined: map[*ir.Signal]*ir.Signal{}, usage: map[*ir.Node]*usage{},
		links: map[*ir.Node]bool{}, names: map[*ir.Node]string{}, targetOf: map[*ir.Node]*ir.Signal{},
		wires: map[*ir.Node]*wire{}, valueOf: map[*ir.Node]*ir.Signal{}, variable: map[*ir.Node]variable{}, said: map[string]bool{},
		pins: map[*ir.Signal]*ir.Node{},
	}
	p.connect()
	p.claimNames()
	p.sortItems()
	p.findParts()
	p.findRoots()
	p.plan()
	return p.assemble()
}

func (e *module) claimNames() {
	for _, c := range e.ir.Clocks {
		e.scope[c.Clk], e.scope[c.Rst] = true, true
	}
	for _, s := range e.ir.Signals {
		if _, ok := e.direct[s]; !ok && e.joined[s] == nil {
			e.scope[Name(s)] = true
		}
	}
	for _, r := range e.ir.Memories {
		e.scope[e.memory(r)] = true
	}
	for _, i := range e.ir.Instances {
		e.scope[legal(e.ir, i.Name)] = true
	}
}

func (e *module) memory(m *ir.Memory) string { return legal(e.ir, m.Name) }

// net is the name under which a signal is read.
func (e *module) net(s *ir.Signal) string { return Name(e.canonical(s)) }

func (e *module) canonical(s *ir.Signal) *ir.Signal {
	if t := e.joined[s]; t != nil {
		return t
	}
	return s
}

// sortItems makes the assigns and always blocks.
func (e *module) sortItems() {
	skip := func(s *ir.Signal) bool {
		if _, ok := e.direct[s]; ok {
			return true
		}
		for _, t := range e.joined {
			if t == s {
				return true
			}
		}
		return false
	}
	e.items = e.merged(settled(group(e.ir, e.ir.Body, e.paths, e.low, skip)))
	if e.ir.Ghost != nil && e.opts.Checks {
		e.ghosts = e.merged(settled(group(e.ir, e.ir.Ghost, e.paths, e.low, skip)))
	}
	e.items = append(e.items, e.unsetRegisters(false)...)
	for _, it := range append(e.items[:len(e.items):len(e.items)], e.ghosts...) {
		for _, t := range it.targets {
			e.always[t] = !it.plain
		}
	}
}

// settled turns blocks that read no signal into assigns: an always @* that
// nothing triggers would never run.
func settled(items []*item) []*item {
	var list []*item
	for _, it := range items {
		if it.clock != nil || it.plain || readsSignal(it.body) {
			list = append(list, it)
			continue
		}
		for _, t := range it.targets {
			value := valueOf(it.body, t, nil)
			list = append(list, &item{
				order: it.order, targets: []*ir.Signal{t}, plain: true,
				body: []stmt{&assign{t, value, it.body[0].position()}},
			})
		}
	}
	return list
}

// unsetRegisters makes a block of the registers with reset that nothing sets.
func (e *module) unsetRegisters(ghost bool) []*item {
	set := map[*ir.Signal]bool{}
	for _, it := range e.items {
		for _, t := range it.targets {
			set[t] = true
		}
	}
	var list []*item
	for _, s := range e.ir.Signals {
		if s.Kind == ir.Reg && s.Reset != nil && s.Ghost == ghost && !set[s] {
			list = append(list, &item{clock: s.Clock, reset: true, targets: []*ir.Signal{s}, order: len(e.ir.Body.Stmts)})
		}
	}
	return list
}

// findParts puts items, instances and memories in the order of the author.
func (e *module) findParts() {
	for _, inst := range e.ir.Instances {
		if !ghostInstance(inst) {
			e.parts = append(e.parts, part{e.firstSet(inst), e.pinRoots(inst), true, func() { e.printInstance(inst) }})
		}
	}
	for _, it := range e.items {
		e.parts = append(e.parts, part{it.order, e.itemRoots(it), !it.plain, func() { e.printItem(it) }})
	}
	slices.SortStableFunc(e.parts, func(a, b part) int { return cmp.Compare(a.order, b.order) })
	for _, r := range e.ir.Memories {
		if !r.Ghost {
			e.parts = append(e.parts, part{0, e.memoryRoots(r), true, func() { e.printMemory(r) }})
		}
	}
}

func ghostInstance(i *ir.Instance) bool {
	return slices.ContainsFunc(i.Ports, func(s *ir.Signal) bool { return s.Ghost })
}

// firstSet is the place of the first statement that sets an input of an instance.
func (e *module) firstSet(inst *ir.Instance) int {
	for i, s := range e.ir.Body.Stmts {
		for _, t := range targetsOf(s, nil) {
			if t.Instance == inst {
				return i
			}
		}
	}
	return 0
}

func (e *module) itemRoots(it *item) []root {
	var list []root
	eachNode(it.body, func(n *ir.Node, as role, target *ir.Signal) {
		r := root{node: n, base: e.net(target), breakable: as != roleSubject}
		if as == roleValue && target.Enum != nil && e.valueOf[n] == nil {
			e.valueOf[n] = target
		}
		switch {
		case it.plain:
			r.defines = target
		case as == roleCondition:
			r.base = "when_" + r.base
		}
		list = append(list, r)
	})
	return list
}

func (e *module) findRoots() {
	for _, p := range e.parts {
		e.roots = append(e.roots, p.roots...)
	}
	if !e.opts.Checks {
		return
	}
	var list []root
	for _, inst := range e.ir.Instances {
		if ghostInstance(inst) {
			list = append(list, e.pinRoots(inst)...)
		}
	}
	for _, it := range e.ghosts {
		list = append(list, e.itemRoots(it)...)
	}
	for _, r := range e.ir.Memories {
		if r.Ghost {
			list = append(list, e.memoryRoots(r)...)
		}
	}
	for _, c := range e.ir.Checks {
		list = append(list, root{node: e.low.lower(c.Cond), base: c.Name, breakable: true})
	}
	for i := range list {
		list[i].ghost = true
	}
	e.roots = append(e.roots, list...)
}

// assemble puts the sections together. The body is printed first, as the
// declarations depend on it.
func (e *module) assemble() *text {
	for _, p := range e.parts {
		e.need(p)
		p.print()
	}
	e.printUnused(false)
	if e.opts.Checks {
		e.printProperties()
	}
	if e.opts.Waves {
		e.printWaves()
	}
	t := &text{}
	e.printHead(t)
	t.depth = 1
	e.printEnums(t)
	e.printDeclarations(t, false)
	t.blank()
	t.append(e.out)
	t.depth = 0
	for len(t.lines) > 0 && t.lines[len(t.lines)-1].code == "" {
		t.lines = t.lines[:len(t.lines)-1]
	}
	t.plain("endmodule")
	return t
}

// printHead writes the comment, the name and the ports.
func (e *module) printHead(t *text) {
	doc := strings.TrimSpace(e.ir.Doc)
	if doc == "" {
		doc = "a module without a description."
	}
	t.comment(wrap(e.ir.Name+": "+doc, 76))
	t.comment([]string{"", "Generated by gornic from " + homeOf(e.ir) + ": do not edit."})
	name := "module " + e.ir.Name
	if e.ir.External && len(e.ir.Params) > 0 {
		t.plain("/* verilator lint_off UNUSEDPARAM */")
		t.plain(name + " #(")
		for i, p := range e.ir.Params {
			t.plain("    parameter " + p.Name + " = 0" + comma(i, len(e.ir.Params)))
		}
		name = ")"
	}
	t.plain(name + " (")
	t.depth = 1
	e.printPorts(t)
	t.depth = 0
	t.plain(");")
}

// printDeclarations declares what is not a port: of the hardware, or of the
// properties.
func (e *module) printDeclarations(t *text, ghost bool) {
	var registers, wires, pins []*ir.Signal
	for _, s := range e.ir.Signals {
		if s.Ghost != ghost {
			continue
		}
		switch s.Kind {
		case ir.Reg, ir.ReadData:
			registers = append(registers, s)
		case ir.Wire:
			wires = append(wires, s)
		case ir.ChildInput:
			if _, ok := e.direct[s]; !ok {
				pins = append(pins, s)
			}
		case ir.ChildOutput:
			if e.joined[s] == nil {
				pins = append(pins, s)
			}
		}
	}
	e.declare(t, registers)
	e.declareMemories(t, ghost)
	e.declare(t, wires)
	e.declare(t, pins)
}

func (e *module) declare(t *text, signals []*ir.Signal) {
	if len(signals) == 0 {
		return
	}
	t.blank()
	rows := make([][]string, len(signals))
	for i, s := range signals {
		rows[i] = []string{e.typeOf(s), span(s.Width), Name(s) + ";"}
	}
	for i, l := range columns(rows) {
		s := signals[i]
		if s.Instance != nil {
			t.plain(l)
			continue
		}
		t.noted(s.Pos, l, e.src.beside(s.Pos))
	}
}

// typeOf says whether a signal is a reg in the sense of Verilog.
func (e *module) typeOf(s *ir.Signal) string {
	if s.Kind == ir.Reg || s.Kind == ir.ReadData && !assembled(s.Read) || e.always[s] {
		return "reg"
	}
	return "wire"
}

func comma(i, n int) string {
	if i < n-1 {
		return ","
	}
	return ""
}

// need prints the wires that a part needs and that are not yet printed, in
// the order in which the author made them.
func (e *module) need(p part) {
	wires := e.needed(p.roots)
	if p.block && len(wires) > 0 {
		e.out.blank()
	}
	for _, w := range wires {
		e.printWire(w)
	}
}

// needed returns the wires that are not yet printed. Of two with one number
// the one that the other reads comes first.
func (e *module) needed(roots []root) []*wire {
	var list []*wire
	var walk func(n *ir.Node, defines *ir.Signal)
	walk = func(n *ir.Node, defines *ir.Signal) {
		w := e.wires[n]
		if t := e.targetOf[n]; t != nil && t != defines || w != nil && w.printed {
			return
		}
		if w != nil {
			w.printed = true
		}
		for _, a := range n.Args {
			walk(a, nil)
		}
		if w != nil {
			list = append(list, w)
		}
	}
	for _, r := range roots {
		walk(r.node, r.defines)
	}
	slices.SortStableFunc(list, func(a, b *wire) int { return cmp.Compare(e.usage[a.node].made, e.usage[b.node].made) })
	return list
}

func (e *module) printWire(w *wire) {
	n := w.node
	e.say(n.Pos)
	lead := "wire " + w.name + " = "
	if n.Width > 1 {
		lead = "wire " + span(n.Width) + " " + w.name + " = "
	}
	e.out.add(n.Pos, e.wrapped(lead, n, mode{}, ";", true))
}

// say prints the author's comment over a statement, once.
func (e *module) say(p ir.Pos) {
	lines, key := e.src.above(p)
	if lines == nil || e.said[key] {
		return
	}
	e.said[key] = true
	e.out.blank()
	e.out.comment(lines)
}
