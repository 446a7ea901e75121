// Package gogen prints a planned program as Go: straight-line functions over
// the words of the store, which the compiler turns into code at some 60 % of
// Verilator's speed. [Generate] is the way in.
//
// Values that one function alone uses are its local variables; values that one
// expression uses are written into it. Values that leave a function are words
// of the store.
package gogen

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"gornic/hdl/sim/internal/netlist"
	"gornic/hdl/sim/internal/plan"
)

// maxFunction is how many statements a function has at most, more or less: the
// compiler's time grows faster than a function's length.
const maxFunction = 300

// Source is a generated program.
type Source struct {
	Text  []byte // the functions and Step, without a package clause
	slots int
	place func(netlist.Val) int
}

// Slots is how many words the store has in all.
func (s *Source) Slots() int { return s.slots }

// Slot returns the word that holds a value after a step; the value is one of
// the plan's roots.
func (s *Source) Slot(v netlist.Val) int { return s.place(v) }

// Generate prints a plan. Open values that need a word of the store get the
// words from number free on, constants among them: Init sets those.
func Generate(n *netlist.Netlist, p *plan.Program) *Source {
	g := &generator{
		n: n, p: p, g: n.Graph, free: n.Slots, slot: slices.Clone(p.Slot), consts: map[uint64]int{},
		home: make([]int32, len(p.Slot)), read: make([]bool, len(p.Slot)), size: make([]int32, len(p.Slot)),
	}
	for i := range g.home {
		g.home[i] = nobody
	}
	g.markShared(p.Body)
	g.markNamed()
	main := g.outline(p.Body)
	for _, f := range g.functions {
		g.visit(f)
	}
	g.allocate()
	return g.print(main)
}

type generator struct {
	n    *netlist.Netlist
	p    *plan.Program
	g    *netlist.Graph
	free int

	slot   []int   // word of each place; -1 for locals
	home   []int32 // the function that alone uses a place; nobody or many
	read   []bool  // some text reads the place
	size   []int32 // operations of the expression that a value is, once computed
	named  []bool  // values that are read several times by one expression
	shared []bool  // places that more than one statement writes
	consts map[uint64]int

	functions []*function
	at        int32 // the function being visited or printed
	buf       bytes.Buffer
}

const (
	nobody int32 = -1
	many   int32 = -2
)

// A function is a run of statements. In the statements of a function, calls
// stand for arms that are functions of their own.
type function struct {
	id   int32
	body []step
}

// A step is a statement, or a call.
type step struct {
	plan.Stmt
	call        *function // or else
	then, other []step
}

// outline cuts statements into functions and returns the calls.
func (g *generator) outline(body []plan.Stmt) []step {
	var calls []step
	for len(body) > 0 {
		n, total := 0, 0
		for n < len(body) && (n == 0 || total < maxFunction) {
			total += weight(body[n])
			n++
		}
		f := &function{id: int32(len(g.functions))}
		g.functions = append(g.functions, f)
		f.body = g.steps(body[:n])
		calls = append(calls, step{call: f})
		body = body[n:]
	}
	return calls
}

// steps keeps statements where they are, but for the arms of large branches.
func (g *generator) steps(body []plan.Stmt) []step {
	var out []step
	for _, s := range body {
		st := step{Stmt: s}
		if s.Kind == plan.Branch {
			arm := g.steps
			if weight(s) > maxFunction {
				arm = g.outline
			}
			st.then, st.other = arm(s.Then), arm(s.Else)
		}
		out = append(out, st)
	}
	return out
}

func weight(s plan.Stmt) int {
	w := 1
	for _, t := range s.Then {
		w += weight(t)
	}
	for _, t := range s.Else {
		w += weight(t)
	}
	return w
}

// markNamed finds the values that need a name because the text of their
// reader has them more than once.
func (g *generator) markNamed() {
	g.named = make([]bool, len(g.slot))
	for v, n := range g.g.Nodes {
		if n.Op == netlist.Linear && g.p.Uses[v] > 0 {
			g.named[n.A] = true
		}
	}
}

// markShared finds the places that several statements write: those of choices.
func (g *generator) markShared(body []plan.Stmt) {
	if g.shared == nil {
		g.shared = make([]bool, len(g.slot))
	}
	for _, s := range body {
		switch s.Kind {
		case plan.Calc:
			if at := g.p.Place(s.Val); at != s.Val {
				g.shared[at] = true
			}
		case plan.Move:
			g.shared[g.p.Place(s.Dst)] = true
		case plan.Branch:
			g.markShared(s.Then)
			g.markShared(s.Else)
		}
	}
}

// allocate gives a word of the store to every place that is in no single
// function, and to roots.
func (g *generator) allocate() {
	for v, home := range g.home {
		if home == many && g.slot[v] < 0 {
			g.slot[v] = g.take()
		}
	}
	for _, r := range g.p.Roots {
		if r.Val == netlist.None {
			continue
		}
		if x, ok := g.g.IsConst(r.Val); ok {
			g.constant(x)
		} else if v := g.p.Place(r.Val); g.g.Nodes[v].Op != netlist.Leaf && g.slot[v] < 0 {
			g.slot[v] = g.take()
		}
	}
}

func (g *generator) take() int {
	g.free++
	return g.free - 1
}

func (g *generator) constant(x uint64) int {
	slot, ok := g.consts[x]
	if !ok {
		slot = g.take()
		g.consts[x] = slot
	}
	return slot
}

// place is where a root is after a step.
func (g *generator) place(v netlist.Val) int {
	v = g.p.Place(v)
	switch n := g.g.Nodes[v]; n.Op {
	case netlist.Leaf:
		return int(n.Imm)
	case netlist.Const:
		return g.consts[n.Imm]
	}
	return g.slot[v]
}

// touch notes that the present function uses a place.
func (g *generator) touch(v netlist.Val) {
	switch g.home[v] {
	case nobody:
		g.home[v] = g.at
	case g.at:
	default:
		g.home[v] = many
	}
}

// visit notes which places the text of a function uses.
func (g *generator) visit(f *function) {
	g.at = f.id
	g.visitSteps(f.body)
}

func (g *generator) visitSteps(steps []step) {
	for _, s := range steps {
		switch {
		case s.call != nil:
		case s.Kind == plan.Calc:
			if !g.inlined(s.Val) {
				g.touch(g.p.Place(s.Val))
				g.visitOperands(s.Val)
			}
		case s.Kind == plan.Move:
			g.touch(g.p.Place(s.Dst))
			g.visitValue(s.Val)
		case s.Kind == plan.Branch:
			g.visitValue(s.Val)
			g.visitSteps(s.then)
			g.visitSteps(s.other)
		}
	}
}

func (g *generator) visitOperands(v netlist.Val) {
	n := g.g.Nodes[v]
	for _, u := range [3]netlist.Val{n.A, n.B, n.C} {
		if u != netlist.None {
			g.visitValue(u)
		}
	}
}

func (g *generator) visitValue(v netlist.Val) {
	switch {
	case g.p.IsState(v):
	case g.inlined(v):
		g.visitOperands(v)
	default:
		v = g.p.Place(v)
		g.read[v] = true
		g.touch(v)
	}
}

// print writes the program.
func (g *generator) print(main []step) *Source {
	fmt.Fprintf(&g.buf, "type words = [%d]uint64\n", g.free)
	g.printTables()
	for _, f := range g.functions {
		g.printFunction(f)
	}
	fmt.Fprintf(&g.buf, "\n// Step evaluates the design once.\nfunc Step(store []uint64) {\n\ts := (*words)(store)\n")
	g.printSteps(main)
	for _, c := range g.p.Copies {
		g.printf("s[%d] = %s\n", c.Slot, g.value(c.Val))
	}
	g.printf("}\n\n// Init sets the constants.\nfunc Init(store []uint64) {\n")
	for _, x := range slices.Sorted(maps.Keys(g.consts)) {
		g.printf("store[%d] = %#x\n", g.consts[x], x)
	}
	g.printf("}\n")
	return &Source{Text: g.buf.Bytes(), slots: g.free, place: g.place}
}
