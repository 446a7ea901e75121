package check

import (
	"strings"

	"gornic/hdl/ir"
)

// checkResets finds registers without reset that control something.
func checkResets(c *checker, m *ir.Module) {
	byTarget := assignments(m)
	for _, s := range m.Signals {
		switch {
		case s.Kind == ir.Output && isValid(s.Name):
			if r := bareRegister(s, byTarget); r != nil {
				c.report(r.Pos, m, "register %s has no reset and is the valid of a stream: %s is unknown after reset", r.Name, s.Name)
			}
		case s.Kind != ir.Reg || s.Reset != nil || s.Ghost: // a ghost without reset is a free choice of a proof
		case s.FSM:
			c.report(s.Pos, m, "register %s has no reset and is the state of an FSM", s.Name)
		case neverKnown(s, byTarget[s]):
			c.report(s.Pos, m, "register %s has no reset, and every value it is given depends on its old one: it is never known", s.Name)
		}
	}
	for _, mem := range m.Memories {
		for _, p := range mem.Writes {
			if p.En.Op == ir.OpSignal && unreset(p.En.Signal) {
				c.report(p.En.Signal.Pos, m, "register %s has no reset and enables writes of memory %s (%v)", p.En.Signal.Name, mem.Name, p.Pos)
			}
		}
	}
}

func isValid(name string) bool { return name == "valid" || strings.HasSuffix(name, "_valid") }

func unreset(s *ir.Signal) bool { return s.Kind == ir.Reg && s.Reset == nil }

// bareRegister returns the register without reset that s always equals,
// directly or through wires, or nil.
func bareRegister(s *ir.Signal, byTarget map[*ir.Signal][]*ir.Assign) *ir.Signal {
	for range len(byTarget) { // no chain of wires is longer, unless it is a loop
		list := byTarget[s]
		if len(list) != 1 || list[0].Value.Op != ir.OpSignal {
			return nil
		}
		s = list[0].Value.Signal
		if unreset(s) {
			return s
		}
	}
	return nil
}

// neverKnown reports whether no value that register r is given is free of its
// old value.
func neverKnown(r *ir.Signal, given []*ir.Assign) bool {
	memo := make(map[*ir.Node]bool)
	for _, a := range given {
		if canBeFree(a.Value, r, memo) {
			return false
		}
	}
	return len(given) > 0
}

// canBeFree reports whether a value may be known in some cycle although r is
// not. Slices of r count as free: a shift register fills bit by bit.
func canBeFree(n *ir.Node, r *ir.Signal, memo map[*ir.Node]bool) bool {
	if free, ok := memo[n]; ok {
		return free
	}
	free := true
	switch n.Op {
	case ir.OpSignal:
		free = n.Signal != r
	case ir.OpMux:
		free = canBeFree(n.Args[1], r, memo) || canBeFree(n.Args[2], r, memo)
	case ir.OpAnd, ir.OpOr, ir.OpMul:
		free = canBeFree(n.Args[0], r, memo) || canBeFree(n.Args[1], r, memo)
	case ir.OpShl, ir.OpShr: // a shift by more than the width
		free = canBeFree(n.Args[0], r, memo) || canBeFree(n.Args[1], r, memo)
	case ir.OpSlice, ir.OpMemRead, ir.OpConst, ir.OpInvalid:
	default:
		for _, a := range n.Args {
			free = free && canBeFree(a, r, memo)
		}
	}
	memo[n] = free
	return free
}
