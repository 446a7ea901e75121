package verilog

import "gornic/hdl/ir"

// A guard is a term that the conditions of some checks in a row begin with. It is looked at
// once for all of them: where it is low, as most are in most cycles, a simulator skips the
// rest, such as comparisons of whole payloads.
type guard struct {
	cond   *ir.Node // nil: there is none
	text   string
	checks []guarded
}

// guarded is a check that reports where a condition is true.
type guarded struct {
	check *ir.Check
	cond  *ir.Node
	rest  *ir.Node // what the condition has besides the guard
}

// guards groups the checks of a clock, in their order.
func (e *module) guards(clock *ir.Clock) []*guard {
	var list []*guard
	for _, c := range e.ir.Checks {
		if c.Clock != clock {
			continue
		}
		g := e.guardOf(c)
		if n := len(list); n > 0 && g.cond != nil && list[n-1].text == g.text {
			list[n-1].checks = append(list[n-1].checks, g.checks...)
		} else {
			list = append(list, g)
		}
	}
	return list
}

func (e *module) guardOf(c *ir.Check) *guard {
	cond := e.low.lower(c.Cond)
	if c.Kind != ir.Cover {
		cond = e.negated(cond)
	}
	terms := e.conjuncts(cond)
	if len(terms) == 1 {
		return &guard{checks: []guarded{{check: c, cond: cond}}}
	}
	rest := terms[1]
	for _, t := range terms[2:] {
		rest = derived(rest, ir.OpAnd, 1, rest, t)
	}
	text := e.wrapped("if (", terms[0], mode{condition: true}, ") begin", false)
	return &guard{terms[0], text, []guarded{{c, cond, rest}}}
}

// conjuncts are the terms of a condition that must all be true.
func (e *module) conjuncts(n *ir.Node) []*ir.Node {
	if n.Op != ir.OpAnd || e.names[n] != "" {
		return []*ir.Node{n}
	}
	return append(e.conjuncts(n.Args[0]), e.conjuncts(n.Args[1])...)
}

func (e *module) printGuarded(g *guard) {
	if g.cond == nil || len(g.checks) == 1 && !e.wide(g.checks[0].rest) {
		for _, c := range g.checks {
			e.printCheck(c.check, c.cond)
		}
		return
	}
	e.out.plain(g.text)
	e.nested(func() {
		for _, c := range g.checks {
			e.printCheck(c.check, c.rest)
		}
	})
	e.out.plain("end")
}

// wide tells whether what is printed of a condition has a value that takes a simulator more
// than a word.
func (e *module) wide(n *ir.Node) bool {
	if n.Width > 64 {
		return true
	}
	if e.names[n] != "" {
		return false
	}
	for _, a := range n.Args {
		if e.wide(a) {
			return true
		}
	}
	return false
}
