package verilog

import (
	"math/big"

	"gornic/hdl/ir"
)

// lowerer rewrites expressions into the form that Verilog wants: no operation
// whose result is known, no comparison that a linter calls constant, reads of
// joined wires through to what drives them. The design itself stays as it is.
type lowerer struct {
	memo  map[*ir.Node]*ir.Node
	alias map[*ir.Signal]*ir.Node // what stands for a read of the signal
}

func newLowerer() *lowerer {
	return &lowerer{memo: map[*ir.Node]*ir.Node{}, alias: map[*ir.Signal]*ir.Node{}}
}

// lower returns the node to print for n; equal inputs give the same node.
func (l *lowerer) lower(n *ir.Node) *ir.Node {
	if n == nil {
		return nil
	}
	if m, ok := l.memo[n]; ok {
		return m
	}
	m := l.rewrite(n)
	l.memo[n] = m
	return m
}

func (l *lowerer) rewrite(n *ir.Node) *ir.Node {
	if n.Op == ir.OpSignal {
		if a, ok := l.alias[n.Signal]; ok {
			return l.lower(a)
		}
		return n
	}
	args := make([]*ir.Node, len(n.Args))
	changed := false
	for i, a := range n.Args {
		args[i] = l.lower(a)
		changed = changed || args[i] != a
	}
	if changed {
		c := *n
		c.Args = args
		n = &c
	}
	return simplify(n)
}

// simplify returns an equal node that is simpler, or n itself.
func simplify(n *ir.Node) *ir.Node {
	if v := fold(n); v != nil {
		return constant(n, v)
	}
	switch n.Op {
	case ir.OpNot:
		return simplifyNot(n)
	case ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpAdd, ir.OpSub:
		return simplifyBinary(n)
	case ir.OpEq, ir.OpNe:
		return simplifyEqual(n)
	case ir.OpLt, ir.OpLe:
		return simplifyLess(n)
	case ir.OpShl, ir.OpShr, ir.OpSar:
		if by := n.Args[1]; isConst(by) && by.Const.IsZero() {
			return n.Args[0]
		}
	case ir.OpMux:
		return simplifyMux(n)
	case ir.OpSlice:
		return simplifySlice(n)
	case ir.OpRedOr, ir.OpRedAnd, ir.OpRedXor:
		if n.Args[0].Width == 1 {
			return n.Args[0]
		}
	case ir.OpCat:
		return simplifyCat(n)
	case ir.OpRepeat:
		if n.Lo == 1 {
			return n.Args[0]
		}
	}
	return n
}

func simplifyNot(n *ir.Node) *ir.Node {
	switch a := n.Args[0]; a.Op {
	case ir.OpNot:
		return a.Args[0]
	case ir.OpConst:
		return constant(n, new(big.Int).Xor(a.Const.Big(), ones(n.Width)))
	}
	return n
}

func simplifyBinary(n *ir.Node) *ir.Node {
	a, b := n.Args[0], n.Args[1]
	if isConst(a) && n.Op != ir.OpSub {
		a, b = b, a
	}
	if !isConst(b) {
		return n
	}
	zero, full := b.Const.IsZero(), isOnes(b.Const)
	switch {
	case n.Op == ir.OpAnd && zero, n.Op == ir.OpOr && full:
		return b
	case n.Op == ir.OpAnd && full, n.Op != ir.OpAnd && zero:
		return a
	case n.Op == ir.OpXor && full:
		return simplifyNot(derived(n, ir.OpNot, n.Width, a))
	}
	return n
}

func simplifyEqual(n *ir.Node) *ir.Node {
	a, b := n.Args[0], n.Args[1]
	if isConst(a) {
		a, b = b, a
	}
	equal := n.Op == ir.OpEq
	switch {
	case isConst(b) && n.Width == a.Width && a.Width == 1:
		if (b.Const.Uint64() == 1) == equal {
			return a
		}
		return simplifyNot(derived(n, ir.OpNot, 1, a))
	}
	return n
}

// simplifyLess decides unsigned comparisons with the end of the range, which
// linters call constant, and makes logic of those of single bits.
func simplifyLess(n *ir.Node) *ir.Node {
	a, b := withoutZeros(n.Args[0], n.Args[1])
	switch {
	case n.Op == ir.OpLt && (isConst(a) && isOnes(a.Const) || isConst(b) && b.Const.IsZero()):
		return truth(n, false)
	case n.Op == ir.OpLe && (isConst(a) && a.Const.IsZero() || isConst(b) && isOnes(b.Const)):
		return truth(n, true)
	case a.Width == 1:
		op := ir.OpAnd
		if n.Op == ir.OpLe {
			op = ir.OpOr
		}
		return simplify(derived(n, op, 1, simplify(derived(n, ir.OpNot, 1, a)), b))
	case a != n.Args[0]:
		return derived(n, n.Op, 1, a, b)
	}
	return n
}

// withoutZeros takes equal extensions with zeros from both operands of a comparison.
func withoutZeros(a, b *ir.Node) (*ir.Node, *ir.Node) {
	x, y := extended(a), extended(b)
	if x == nil || y == nil || x.Width != y.Width {
		return a, b
	}
	return x, y
}

// extended returns what a value of two parts extends with zeros, or nil.
func extended(n *ir.Node) *ir.Node {
	if n.Op == ir.OpCat && len(n.Args) == 2 && isConst(n.Args[0]) && n.Args[0].Const.IsZero() {
		return n.Args[1]
	}
	return nil
}

func simplifyMux(n *ir.Node) *ir.Node {
	cond, a, b := n.Args[0], n.Args[1], n.Args[2]
	switch {
	case isConst(cond) && cond.Const.IsZero():
		return b
	case isConst(cond):
		return a
	case a == b:
		return a
	case n.Width == 1 && isConst(a) && isConst(b) && !a.Const.Equal(b.Const):
		if b.Const.IsZero() {
			return cond
		}
		return simplifyNot(derived(n, ir.OpNot, 1, cond))
	}
	return n
}

func simplifySlice(n *ir.Node) *ir.Node {
	a := n.Args[0]
	switch {
	case n.Width == a.Width:
		return a
	case isConst(a):
		return constant(n, new(big.Int).And(new(big.Int).Rsh(a.Const.Big(), uint(n.Lo)), ones(n.Width)))
	case a.Op == ir.OpSlice:
		s := derived(n, ir.OpSlice, n.Width, a.Args[0])
		s.Lo = n.Lo + a.Lo
		return simplifySlice(s)
	case a.Op == ir.OpRepeat && a.Args[0].Width == 1:
		r := derived(n, ir.OpRepeat, n.Width, a.Args[0])
		r.Lo = n.Width
		return simplify(r)
	case a.Op == ir.OpCat:
		return sliceCat(n, a)
	}
	return n
}

// sliceCat takes the slice from the one part of a concatenation that holds it.
func sliceCat(n, cat *ir.Node) *ir.Node {
	bottom := cat.Width
	for _, part := range cat.Args {
		bottom -= part.Width
		if n.Lo >= bottom && n.Lo+n.Width <= bottom+part.Width {
			s := derived(n, ir.OpSlice, n.Width, part)
			s.Lo = n.Lo - bottom
			return simplifySlice(s)
		}
	}
	return n
}

// simplifyCat puts neighbouring constants together.
func simplifyCat(n *ir.Node) *ir.Node {
	var parts []*ir.Node
	for _, a := range n.Args {
		if last := len(parts) - 1; last >= 0 && isConst(a) && isConst(parts[last]) {
			both := derived(n, ir.OpCat, parts[last].Width+a.Width, parts[last], a)
			parts[last] = constant(both, fold(both))
			continue
		}
		parts = append(parts, a)
	}
	switch len(parts) {
	case 1:
		return parts[0]
	case len(n.Args):
		return n
	}
	return derived(n, ir.OpCat, n.Width, parts...)
}

// derived returns a node that stands where n stood.
func derived(n *ir.Node, op ir.Op, width int, args ...*ir.Node) *ir.Node {
	seq := n.Seq
	for _, a := range args {
		seq = max(seq, a.Seq)
	}
	return &ir.Node{Op: op, Width: width, Args: args, Module: n.Module, Pos: n.Pos, Seq: seq}
}

func constant(n *ir.Node, v *big.Int) *ir.Node {
	c, _ := ir.ConstFromBig(n.Width, v)
	return &ir.Node{Op: ir.OpConst, Width: n.Width, Const: c, Pos: n.Pos}
}

func truth(n *ir.Node, v bool) *ir.Node { return constant(n, bit(v)) }

func ones(width int) *big.Int {
	v := new(big.Int).Lsh(big.NewInt(1), uint(width))
	return v.Sub(v, big.NewInt(1))
}

func isConst(n *ir.Node) bool { return n.Op == ir.OpConst }

func isOnes(c ir.Const) bool { return c.Big().Cmp(ones(c.Width)) == 0 }
