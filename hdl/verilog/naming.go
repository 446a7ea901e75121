package verilog

import (
	"cmp"
	"slices"

	"gornic/hdl/ir"
)

// A variable is the Go variable that took an expression.
type variable struct {
	name  string // in snake case; with a number where a loop made several
	alone bool   // its line made no other value
}

// variables finds the Go variable of each expression. Of the expressions on
// one line the outermost is the variable's value; those inside it are named
// after it and what they do; arguments of other functions have no name. Expressions of one place in the program, made by
// a loop, are numbered from 0.
func (e *module) variables(l *layer) {
	places := map[ir.Pos]place{}
	placeOf := func(n *ir.Node) place {
		p, ok := places[n.Pos]
		if !ok {
			p = e.src.place(n.Pos)
			places[n.Pos] = p
		}
		return p
	}
	type site struct {
		pos   ir.Pos
		field string
	}
	inner := map[*ir.Node]bool{}
	made := map[site]int{}
	for _, n := range l.visited {
		if isLeaf(n) {
			continue
		}
		for _, a := range n.Args {
			if key := placeOf(a).key; !isLeaf(a) && key != "" && key == placeOf(n).key && a.Pos != n.Pos {
				inner[a] = true
			}
		}
		made[site{n.Pos, n.Field}]++
	}
	next := map[site]int{}
	inOrder := slices.Clone(l.visited)
	slices.SortStableFunc(inOrder, func(a, b *ir.Node) int { return cmp.Compare(a.Seq, b.Seq) })
	for _, n := range inOrder {
		p := placeOf(n)
		if isLeaf(n) || p.name == "" || p.part && !inner[n] {
			continue
		}
		v := variable{name: p.name}
		at := site{n.Pos, n.Field}
		if n.Field != "" {
			v.name += "_" + n.Field
		}
		switch {
		case inner[n]:
			v.name += "_" + opWords[n.Op]
		case made[at] > 1:
			v.name += "_" + itoa(next[at])
			next[at]++
		default:
			v.alone = true
		}
		e.variable[n] = v
	}
}

// opWords say what an operation gives, for the name of a wire.
var opWords = map[ir.Op]string{
	ir.OpNot: "inverse", ir.OpAnd: "and", ir.OpOr: "or", ir.OpXor: "xor", ir.OpAdd: "sum", ir.OpSub: "difference",
	ir.OpMul: "product", ir.OpEq: "equal", ir.OpNe: "differs", ir.OpLt: "less", ir.OpLe: "at_most", ir.OpSLt: "less",
	ir.OpSLe: "at_most", ir.OpShl: "shifted", ir.OpShr: "shifted", ir.OpSar: "shifted", ir.OpSlice: "part",
	ir.OpCat: "joined", ir.OpRepeat: "repeated", ir.OpMux: "choice", ir.OpRedOr: "any", ir.OpRedAnd: "all",
	ir.OpRedXor: "parity", ir.OpMemRead: "word",
}

// wireName is the name wanted for the wire of n: the Go variable's, else one
// made of what the expression works on and what it gives.
func (e *module) wireName(n *ir.Node, u *usage) string {
	if v := e.variable[n]; v.name != "" {
		return v.name
	}
	e.anonymous++
	switch {
	case u.base == "":
		return "t_" + itoa(e.anonymous)
	case u.root != "" && !e.scope[u.root]:
		return u.root
	}
	return u.base + "_" + opWords[n.Op]
}
