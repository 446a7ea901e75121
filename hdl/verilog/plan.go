package verilog

import (
	"gornic/hdl/ir"
)

// A wire is an expression that got a name: it is printed once, as the value
// of a wire, and by name everywhere else.
type wire struct {
	node    *ir.Node
	name    string
	printed bool
}

// usage is what the plan knows about one expression.
type usage struct {
	count     int    // places that it is printed in
	sliced    bool   // a slice is taken of it
	base      string // what it works on, for a name
	root      string // what it is by itself, for a name; "" inside other expressions only
	length    int    // of its text with the names given so far
	breakable bool   // it stands where its text may take several lines
	layer     *layer // that the count is of
	made      int    // Node.Seq of the latest part of it
}

// longest is how long the text of an expression inside another may be, and
// shortest how long one may be that is printed twice.
const (
	longest  = 64
	shortest = 36
)

// A root is an expression that stands in a statement or at a port.
type root struct {
	node      *ir.Node
	base      string     // what it works on, for a name
	breakable bool       // its text may take several lines
	defines   *ir.Signal // the target of an assign
	indexed   bool       // its bits are taken by a variable index: it needs a name
}

// A layer is the hardware, the properties, or the events. Each is planned and
// printed as if there were no later ones: its text is the same with and without
// them, and they use the names that it has.
type layer struct {
	kind    layerKind
	roots   []root
	visited []*ir.Node // arguments before their users; what has no name in an earlier layer
}

type layerKind int

const (
	ofHardware layerKind = iota
	ofProperties
	ofEvents
)

func (e *module) planHardware() {
	for _, p := range e.parts {
		e.hardware.roots = append(e.hardware.roots, p.roots...)
	}
	e.count(&e.hardware)
	e.joinTargets()
	e.nameWires(&e.hardware)
	e.findQuantities(&e.hardware)
}

func (e *module) planChecks() {
	e.checks = layer{kind: ofProperties, roots: e.checkRoots()}
	e.count(&e.checks)
	e.nameWires(&e.checks)
	e.findQuantities(&e.hardware, &e.checks)
}

func (e *module) planEvents() {
	e.events = layer{kind: ofEvents, roots: e.eventRoots()}
	e.count(&e.events)
	e.nameWires(&e.events)
	e.findQuantities(&e.hardware, &e.checks, &e.events)
}

// count finds out how often each expression is printed.
func (e *module) count(l *layer) {
	for _, r := range l.roots {
		e.use(l, r.node, r.base)
		u := e.usage[r.node]
		if u.root == "" {
			u.root = r.base
		}
		u.breakable = u.breakable || r.breakable
		u.sliced = u.sliced || r.indexed
	}
}

// nameWires decides which expressions become wires.
func (e *module) nameWires(l *layer) {
	e.findLinks(l)
	e.variables(l)
	for _, n := range l.visited {
		u := e.usage[n]
		u.length = e.length(n)
		if e.names[n] == "" && e.wanted(n, u) {
			name := e.scope.take(e.wireName(n, u))
			e.names[n] = name
			e.wires[n] = &wire{node: n, name: name}
			u.length = len(name)
		}
	}
}

// use counts a place in which n is printed.
func (e *module) use(l *layer, n *ir.Node, base string) {
	if u := e.usage[n]; u != nil && (u.layer == l || e.names[n] != "") {
		u.count++
		return
	}
	e.usage[n] = &usage{count: 1, base: base, layer: l, made: n.Seq}
	for _, a := range n.Args {
		e.use(l, a, base)
		e.usage[n].made = max(e.usage[n].made, e.usage[a].made)
		if n.Op == ir.OpSlice || n.Op == ir.OpMemRead && !indexes(a) {
			e.usage[a].sliced = true
		}
	}
	l.visited = append(l.visited, n)
}

// indexes reports whether the text of n can stand as the index of an array.
// Simulators disagree about the width of a sum in that place.
func indexes(n *ir.Node) bool { return isLeaf(n) || n.Op == ir.OpSlice || n.Op == ir.OpCat }

// joinTargets gives a value that is assigned unconditionally the name of the
// wire or output that takes it.
func (e *module) joinTargets() {
	for _, it := range e.items {
		if !it.plain {
			continue
		}
		n, target := it.body[0].(*assign).value, it.targets[0]
		if !isLeaf(n) && e.names[n] == "" {
			e.names[n] = e.net(target)
			e.targetOf[n] = target
		}
	}
}

func isLeaf(n *ir.Node) bool {
	return n.Op == ir.OpConst || n.Op == ir.OpSignal || n.Op == ir.OpInvalid
}

// wanted says whether n becomes a wire.
func (e *module) wanted(n *ir.Node, u *usage) bool {
	switch {
	case n.Op == ir.OpSignal:
		return false
	case n.Op == ir.OpMemRead || u.sliced:
		return true
	case isLeaf(n):
		return false
	case u.count == 1:
		return !u.breakable && u.length > longest && !e.continues(n)
	case n.Op == ir.OpSlice:
		return e.variable[n].alone
	case n.Op == ir.OpNot && isLeaf(n.Args[0]):
		return false
	case e.variable[n].name != "":
		return true
	}
	return u.length > shortest || sums[n.Op] && u.length > shortest/2
}

// sums are operations that make an adder or a shifter: people see where one is
// shared.
var sums = map[ir.Op]bool{
	ir.OpAdd: true, ir.OpSub: true, ir.OpMul: true, ir.OpShl: true, ir.OpShr: true, ir.OpSar: true,
}

// continues reports whether n is a link of a chain, such as a | b | c, whose
// text is broken into lines as a whole.
func (e *module) continues(n *ir.Node) bool { return e.links[n] }

// findLinks marks the expressions that are printed as part of a chain.
func (e *module) findLinks(l *layer) {
	for _, n := range l.visited {
		for i, a := range n.Args {
			chain := n.Op == a.Op && (n.Op == ir.OpAnd || n.Op == ir.OpOr || n.Op == ir.OpXor && i == 0) ||
				n.Op == ir.OpMux && a.Op == ir.OpMux && i == 2
			if chain || masked(n) || n.Op == ir.OpCat && masked(a) {
				e.links[a] = true
			}
		}
	}
}

// masked reports whether n is the parity of masked bits, which Verilator runs
// fast in one piece only: ^(x & MASK).
func masked(n *ir.Node) bool {
	if n.Op != ir.OpRedXor || n.Args[0].Op != ir.OpAnd {
		return false
	}
	and := n.Args[0]
	return isConst(and.Args[0]) || isConst(and.Args[1])
}

// length estimates the text of n.
func (e *module) length(n *ir.Node) int {
	if name := e.names[n]; name != "" {
		return len(name)
	}
	switch n.Op {
	case ir.OpConst:
		return len(literal(n.Const))
	case ir.OpSignal:
		return len(e.net(n.Signal))
	}
	total := 4
	for _, a := range n.Args {
		total += e.usage[a].length + 2
	}
	return total
}

// reads has the bits of signals and wires that the text reads.
type reads struct {
	signals map[*ir.Signal][]bool
	wires   map[*ir.Node][]bool
	unless  *reads // bits that these reads lack count as read; nil for none
}

// signal returns which bits of a signal are read.
func (r *reads) signal(s *ir.Signal) []bool {
	if r.unless == nil {
		return r.signals[s]
	}
	return orNot(s.Width, r.signals[s], r.unless.signals[s])
}

// wire returns which bits of a wire are read.
func (r *reads) wire(n *ir.Node) []bool {
	if r.unless == nil {
		return r.wires[n]
	}
	return orNot(n.Width, r.wires[n], r.unless.wires[n])
}

// orNot is a | ~b in each of n bits, of which those of nil are false.
func orNot(n int, a, b []bool) []bool {
	bits := make([]bool, n)
	for i := range bits {
		bits[i] = a != nil && a[i] || b == nil || !b[i]
	}
	return bits
}

// findReads looks at layers.
func (e *module) findReads(layers ...*layer) *reads {
	r := &reads{signals: map[*ir.Signal][]bool{}, wires: map[*ir.Node][]bool{}}
	for _, l := range layers {
		for _, n := range l.visited {
			for _, a := range n.Args {
				if n.Op == ir.OpSlice {
					e.mark(r, a, n.Lo, n.Width)
				} else {
					e.mark(r, a, 0, a.Width)
				}
			}
		}
		for _, root := range l.roots {
			n := root.node
			if defined := e.targetOf[n]; defined == nil || defined != root.defines {
				e.mark(r, n, 0, n.Width)
			}
		}
	}
	return r
}

func (e *module) mark(r *reads, n *ir.Node, lo, width int) {
	if n.Op == ir.OpSignal {
		set(r.signals, e.canonical(n.Signal), n.Width, lo, width)
	} else if t := e.targetOf[n]; t != nil {
		set(r.signals, t, n.Width, lo, width)
	} else {
		set(r.wires, n, n.Width, lo, width)
	}
}

func set[K comparable](table map[K][]bool, k K, size, lo, width int) {
	if table[k] == nil {
		table[k] = make([]bool, size)
	}
	for i := lo; i < lo+width; i++ {
		table[k][i] = true
	}
}
