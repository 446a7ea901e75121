package verilog

import (
	"cmp"
	"slices"

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
	hardware  layer
	checks    layer // the properties; planned when the hardware has been printed
	events    layer // the trace events; planned when the properties have been printed
	eventNets []EventNets
	always    map[*ir.Signal]bool
	direct    map[*ir.Signal]*ir.Node   // inputs of instances that need no wire
	joined    map[*ir.Signal]*ir.Signal // outputs of instances -> the wire or output of this module that they drive
	folded    map[*ir.Signal]bool       // wires that stand for another signal and are not printed
	usage     map[*ir.Node]*usage
	links     map[*ir.Node]bool
	names     map[*ir.Node]string
	targetOf  map[*ir.Node]*ir.Signal
	wires     map[*ir.Node]*wire
	valueOf   map[*ir.Node]*ir.Signal // a signal with named values that takes the expression
	variable  map[*ir.Node]variable
	enums     []*enumSet
	anonymous int               // wires without a variable
	said      map[codeLine]bool // comments over these lines; the comment beside line n has the number -n
	pins      map[*ir.Signal]*ir.Node

	quantities *quantities
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
		direct: map[*ir.Signal]*ir.Node{}, joined: map[*ir.Signal]*ir.Signal{}, folded: map[*ir.Signal]bool{}, usage: map[*ir.Node]*usage{},
		links: map[*ir.Node]bool{}, names: map[*ir.Node]string{}, targetOf: map[*ir.Node]*ir.Signal{},
		wires: map[*ir.Node]*wire{}, valueOf: map[*ir.Node]*ir.Signal{}, variable: map[*ir.Node]variable{}, said: map[codeLine]bool{},
		pins: map[*ir.Signal]*ir.Node{},
	}
	p.connect()
	p.claimNames()
	p.sortItems()
	p.findParts()
	p.planHardware()
	return p.assemble()
}

func (e *module) claimNames() {
	for _, c := range e.ir.Clocks {
		e.scope[c.Clk], e.scope[c.Rst] = true, true
	}
	for _, s := range e.ir.Signals {
		if _, ok := e.direct[s]; !ok && e.joined[s] == nil && !e.folded[s] {
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
	driven := map[*ir.Signal]bool{} // by an instance
	for _, t := range e.joined {
		driven[t] = true
	}
	skip := func(s *ir.Signal) bool {
		_, direct := e.direct[s]
		return direct || driven[s] || e.folded[s]
	}
	e.items = e.merged(settled(group(e.ir, e.ir.Body, e.paths, e.low, skip)))
	if e.ir.Ghost != nil && (e.opts.Checks || e.opts.Events) {
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

// stateRoots returns the expressions of the state of the properties.
func (e *module) stateRoots() []root {
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
	return list
}

// checkRoots returns the expressions of the properties and of their state.
func (e *module) checkRoots() []root {
	list := e.stateRoots()
	if e.opts.Checks {
		for _, c := range e.ir.Checks {
			list = append(list, root{node: e.low.lower(c.Cond), base: c.Name, breakable: true})
		}
	}
	return list
}
