package verilog

import (
	"gornic/hdl/ir"
)

// eachNode calls visit for every expression that stands in the statements, in
// the order in which they are printed, with the target that it works on.
func eachNode(stmts []stmt, visit func(n *ir.Node, role role, target *ir.Signal)) {
	for _, s := range stmts {
		switch s := s.(type) {
		case *assign:
			visit(s.value, roleValue, s.target)
		case *branch:
			for _, a := range s.arms {
				if a.cond != nil {
					visit(a.cond, roleCondition, firstTarget([]stmt{s}))
				}
				eachNode(a.body, visit)
			}
		case *choice:
			visit(s.subject, roleSubject, firstTarget([]stmt{s}))
			for _, a := range s.arms {
				eachNode(a.body, visit)
			}
		}
	}
}

// A role is what an expression does in a statement.
type role int

const (
	roleValue role = iota
	roleCondition
	roleSubject
)

// firstTarget returns the target of the first assignment in the statements.
func firstTarget(stmts []stmt) *ir.Signal {
	for _, s := range stmts {
		var arms []*arm
		switch s := s.(type) {
		case *assign:
			return s.target
		case *branch:
			arms = s.arms
		case *choice:
			arms = s.arms
		}
		for _, a := range arms {
			if t := firstTarget(a.body); t != nil {
				return t
			}
		}
	}
	return nil
}

// readsSignal reports whether any expression in the statements reads a signal
// or a memory.
func readsSignal(stmts []stmt) bool {
	found := false
	seen := map[*ir.Node]bool{}
	var walk func(*ir.Node)
	walk = func(n *ir.Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		found = found || n.Op == ir.OpSignal || n.Op == ir.OpMemRead
		for _, a := range n.Args {
			walk(a)
		}
	}
	eachNode(stmts, func(n *ir.Node, _ role, _ *ir.Signal) { walk(n) })
	return found
}

// readSignals returns every signal that an expression of the module reads, other
// than those of events, which change nothing in the text of the hardware.
func readSignals(m *ir.Module) map[*ir.Signal]bool {
	read := map[*ir.Signal]bool{}
	seen := map[*ir.Node]bool{}
	var walk func(*ir.Node)
	walk = func(n *ir.Node) {
		if n == nil || seen[n] {
			return
		}
		seen[n] = true
		if n.Op == ir.OpSignal {
			read[n.Signal] = true
		}
		for _, a := range n.Args {
			walk(a)
		}
	}
	for _, b := range []*ir.Block{m.Body, m.Ghost} {
		if b != nil {
			walkBlock(b, walk)
		}
	}
	for _, r := range m.Memories {
		for _, p := range r.Reads {
			walk(p.Addr)
			walk(p.En)
		}
		for _, p := range r.Writes {
			walk(p.Addr)
			walk(p.En)
			walk(p.Data)
			walk(p.Lanes)
		}
	}
	for _, c := range m.Checks {
		walk(c.Cond)
	}
	return read
}

func walkBlock(b *ir.Block, visit func(*ir.Node)) {
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *ir.Assign:
			visit(s.Value)
		case *ir.If:
			for _, a := range s.Arms {
				visit(a.Cond)
				walkBlock(a.Body, visit)
			}
		case *ir.Switch:
			visit(s.Subject)
			for _, a := range s.Arms {
				walkBlock(a.Body, visit)
			}
		}
	}
}
