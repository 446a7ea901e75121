package verilog

import (
	"strings"

	"gornic/hdl/ir"
)

// printItem writes an assign or an always block.
func (e *module) printItem(it *item) {
	if it.plain {
		e.printAssign(it.body[0].(*assign))
		return
	}
	e.out.blank()
	if len(it.body) > 0 {
		e.say(e.overStmt(it.body[0]))
	}
	switch {
	case it.clock == nil:
		e.out.plain("always @* begin")
		e.nested(func() { e.printStmts(it.body, "=") })
	case it.reset:
		e.out.plain("always @(posedge " + it.clock.Clk + ") begin")
		e.nested(func() { e.printReset(it) })
	default:
		e.out.plain("always @(posedge " + it.clock.Clk + ") begin")
		e.nested(func() { e.printStmts(it.body, "<=") })
	}
	e.out.plain("end")
	e.out.blank()
}

func (e *module) printAssign(a *assign) {
	defining := e.targetOf[a.value] == a.target
	remarks, note := e.src.over(a.pos, true), e.beside(a.pos)
	if defining {
		remarks = append(remarks, e.overParts(a.value)...)
		if note == "" {
			note = e.beside(a.value.Pos)
		}
	}
	e.say(remarks)
	lead, end := e.around("assign "+Name(a.target)+" =", a.value, defining)
	e.out.noted(a.pos, e.wrapped(lead, a.value, e.modeOf(a.target), end, defining), note)
}

// around returns what stands before and after the value of an assignment: a
// comparison is in parentheses, as = and <= look like parts of it.
func (e *module) around(lead string, n *ir.Node, defining bool) (string, string) {
	if _, named := e.names[n]; named && !defining {
		return lead + " ", ";"
	}
	if n.Op == ir.OpNot && e.names[n.Args[0]] == "" && n.Width == 1 {
		n = n.Args[0] // printed as the opposite comparison
	}
	switch n.Op {
	case ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe:
		return lead + " (", ");"
	}
	return lead + " ", ";"
}

// modeOf is how the values of a signal are printed.
func (e *module) modeOf(s *ir.Signal) mode {
	return mode{enum: e.enumOfSignal(s), decimal: e.signalCounts(s)}
}

func (e *module) printReset(it *item) {
	e.out.plain("if (" + it.clock.Rst + ") begin")
	e.nested(func() {
		for _, t := range it.targets {
			e.out.plain(Name(t) + " <= " + e.constant(*t.Reset, e.modeOf(t)) + ";")
		}
	})
	if len(it.body) == 1 {
		if b, ok := it.body[0].(*branch); ok {
			e.printBranch("end else ", b, "<=")
			return
		}
	}
	if len(it.body) > 0 {
		e.out.plain("end else begin")
		e.nested(func() { e.printStmts(it.body, "<=") })
	}
	e.out.plain("end")
}

func (e *module) nested(body func()) {
	e.out.depth++
	body()
	e.out.depth--
}

// printStmts writes statements; op is the assignment, "=" or "<=".
func (e *module) printStmts(list []stmt, op string) {
	for _, s := range list {
		e.sayInside(e.overStmt(s))
		switch s := s.(type) {
		case *assign:
			lead, end := e.around(Name(s.target)+" "+op, s.value, false)
			e.out.noted(s.pos, e.wrapped(lead, s.value, e.modeOf(s.target), end, false), e.beside(s.pos))
		case *branch:
			e.printBranch("", s, op)
		case *choice:
			e.printChoice(s, op)
		}
	}
}

// printBranch writes an if; lead is what ends the arm of another one before it.
func (e *module) printBranch(lead string, b *branch, op string) {
	last := 0 // line of the last condition
	lead += "if ("
	for i, a := range b.arms {
		if i > 0 {
			lead = "end else if ("
		}
		if a.cond != nil {
			last = e.out.next()
			e.markArm(last, "if", a)
			e.out.noted(a.pos, e.wrapped(lead, a.cond, mode{condition: true}, ") begin", false), e.beside(a.pos))
		} else {
			e.markArm(last, "else", a)
			e.out.add(a.pos, "end else begin")
		}
		e.nested(func() { e.printStmts(a.body, op) })
	}
	e.out.plain("end")
}

func (e *module) printChoice(c *choice, op string) {
	e.out.add(c.pos, "case ("+e.text(c.subject, mode{})+")")
	m := mode{enum: e.enumOf(c.subject), decimal: e.counts(c.subject)}
	e.nested(func() {
		hasDefault := false
		for _, a := range c.arms {
			hasDefault = hasDefault || len(a.values) == 0
			e.printCase(a, m, op)
		}
		if !hasDefault {
			e.out.plain("default: ;")
		}
	})
	e.out.plain("endcase")
}

func (e *module) printCase(a *arm, m mode, op string) {
	label := "default"
	if len(a.values) > 0 {
		names := make([]string, len(a.values))
		for i, v := range a.values {
			names[i] = e.constant(v, m)
		}
		label = e.labels(names)
	}
	e.sayInside(e.src.over(a.pos, true))
	e.markArm(e.out.next(), "case", a)
	if len(a.body) == 0 {
		e.out.add(a.pos, label+": ;")
		return
	}
	e.out.add(a.pos, label+": begin")
	e.nested(func() { e.printStmts(a.body, op) })
	e.out.plain("end")
}

// labels joins the values of a case, over several lines where they are many.
func (e *module) labels(names []string) string {
	var lines []string
	current := ""
	for i, n := range names {
		n += comma(i, len(names))
		switch {
		case current == "":
			current = n
		case len(current)+1+len(n) > widest-4*e.out.depth:
			lines = append(lines, current)
			current = n
		default:
			current += " " + n
		}
	}
	return strings.Join(append(lines, current), "\n")
}

// markArm notes where a branch of the Go code is.
func (e *module) markArm(line int, branch string, a *arm) {
	for _, source := range append([]any{a.source}, a.also...) {
		m := Arm{Line: line, Branch: branch}
		m.If, _ = source.(*ir.Arm)
		m.Case, _ = source.(*ir.CaseArm)
		e.out.arms = append(e.out.arms, m)
	}
}
