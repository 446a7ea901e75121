package verilog

import (
	"gornic/hdl/ir"
)

// valueOf returns the value that a target has after the statements, as one
// expression; before is its value before them.
func valueOf(stmts []stmt, target *ir.Signal, before *ir.Node) *ir.Node {
	for _, s := range stmts {
		switch s := s.(type) {
		case *assign:
			if s.target == target {
				before = s.value
			}
		case *branch:
			before = valueOfArms(s.arms, target, before, func(a *arm) *ir.Node { return a.cond })
		case *choice:
			before = valueOfArms(s.arms, target, before, func(a *arm) *ir.Node { return matches(s.subject, a.values) })
		}
	}
	return before
}

func valueOfArms(arms []*arm, target *ir.Signal, before *ir.Node, cond func(*arm) *ir.Node) *ir.Node {
	value := before
	for i := len(arms) - 1; i >= 0; i-- {
		v := valueOf(arms[i].body, target, before)
		switch c := cond(arms[i]); {
		case c == nil || value == nil:
			value = v
		case v != nil:
			value = simplify(derived(c, ir.OpMux, target.Width, c, v, value))
		}
	}
	return value
}

// matches returns one bit: the subject has one of the values. It is nil for
// no values, a default.
func matches(subject *ir.Node, values []ir.Const) *ir.Node {
	var any *ir.Node
	for _, v := range values {
		k := &ir.Node{Op: ir.OpConst, Width: v.Width, Const: v, Pos: subject.Pos}
		hit := simplify(derived(subject, ir.OpEq, 1, subject, k))
		if any == nil {
			any = hit
		} else {
			any = simplify(derived(subject, ir.OpOr, 1, any, hit))
		}
	}
	return any
}
