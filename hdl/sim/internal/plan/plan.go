// Package plan orders the values of a netlist into a program: straight-line
// code with branches around work that is not always needed. [Make] is the way
// in.
//
// A choice (netlist.Mux) whose operands are expensive becomes a branch, and what
// only one side needs is computed on that side. Choices by one condition
// share a branch. Each value thus has a context: the whole program, or one arm
// of one branch; contexts form a tree.
package plan

import (
	"gornic/hdl/sim/internal/netlist"
)

// Kind says what a statement does.
type Kind int

// The kinds of statement.
const (
	Calc   Kind = iota // compute Val from its operands into its place
	Move               // copy Val into the place of Dst
	Branch             // run Then where Val is not zero, else Else
)

// Stmt is one statement.
type Stmt struct {
	Kind       Kind
	Val, Dst   netlist.Val
	Then, Else []Stmt
}

// Root is a value that must be there at the end. A Slot of -1 leaves its
// place open; otherwise it is the word of the store where it goes, and Hold is
// what that word holds at the start: None if it may be anything.
type Root struct {
	Val  netlist.Val
	Slot int
	Hold netlist.Val
}

// Copy puts Val into Slot.
type Copy struct {
	Slot int
	Val  netlist.Val
}

// Program is the result.
type Program struct {
	Graph *netlist.Graph
	Roots []Root
	Body  []Stmt
	// Copies move values into the slots of roots that could not be computed in
	// place. They come after Body.
	Copies []Copy
	// Slot is the place of a value in the store; -1 where it is open.
	Slot []int
	// Same is another value whose place the value shares, or itself.
	Same []netlist.Val
	// Uses counts the readers of a value: operands, moves, branches and roots.
	Uses []int
}

// Make plans the evaluation of the roots. A branch must save at least
// threshold operations.
func Make(g *netlist.Graph, roots []Root, threshold int) *Program {
	p := newPlanner(g, roots, threshold)
	for round := 0; ; round++ {
		p.findContexts()
		if p.dissolveCheap() {
			continue
		}
		p.linkItems()
		if p.order() {
			break
		}
		p.splitStuck(round)
	}
	p.place()
	prog := &Program{
		Graph: g, Roots: roots, Slot: p.slot, Same: p.same, Uses: p.uses, Copies: p.copies,
	}
	prog.Body = p.emit(top)
	return prog
}

// IsState reports whether a value needs no computing: a constant or a word of
// the store.
func (p *Program) IsState(v netlist.Val) bool { return isState(p.Graph, v) }

func isState(g *netlist.Graph, v netlist.Val) bool {
	op := g.Nodes[v].Op
	return op == netlist.Leaf || op == netlist.Const
}

// Place returns the value whose place v is in.
func (p *Program) Place(v netlist.Val) netlist.Val {
	for p.Same[v] != v {
		v = p.Same[v]
	}
	return v
}
