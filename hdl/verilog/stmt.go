package verilog

import (
	"slices"

	"gornic/hdl/ir"
)

// The statements of one always block: the author's tree, cut down to the
// targets of the block, with lowered expressions.
type (
	stmt interface{ position() ir.Pos }

	assign struct {
		target *ir.Signal
		value  *ir.Node
		pos    ir.Pos
	}
	branch struct { // if
		arms []*arm
		pos  ir.Pos
	}
	choice struct { // case
		subject *ir.Node
		arms    []*arm
		pos     ir.Pos
	}
	arm struct {
		cond   *ir.Node   // of a branch; nil for else
		values []ir.Const // of a choice; none for the default
		body   []stmt
		pos    ir.Pos
		source any   // *ir.Arm or *ir.CaseArm
		also   []any // arms with an equal condition that were joined to it
	}
)

func (s *assign) position() ir.Pos { return s.pos }
func (s *branch) position() ir.Pos { return s.pos }
func (s *choice) position() ir.Pos { return s.pos }

// cut returns the statements that assign a target that keep wants.
func (l *lowerer) cut(stmts []ir.Stmt, keep func(*ir.Signal) bool) []stmt {
	var list []stmt
	for _, s := range stmts {
		switch s := s.(type) {
		case *ir.Assign:
			if keep(s.Target) {
				list = append(list, &assign{s.Target, l.lower(s.Value), s.Pos})
			}
		case *ir.If:
			list = append(list, l.cutIf(s, keep)...)
		case *ir.Switch:
			list = append(list, l.cutSwitch(s, keep)...)
		}
	}
	return list
}

// cutIf leaves out arms that cannot run and, at the end, arms without
// statements.
func (l *lowerer) cutIf(s *ir.If, keep func(*ir.Signal) bool) []stmt {
	b := &branch{pos: s.Pos}
	used := 0
	for _, a := range s.Arms {
		cond := l.lower(a.Cond)
		if cond != nil && isConst(cond) {
			if cond.Const.IsZero() {
				continue
			}
			cond = nil
		}
		body := l.cut(a.Body.Stmts, keep)
		b.arms = append(b.arms, &arm{cond: cond, body: body, pos: a.Pos, source: a})
		if len(body) > 0 {
			used = len(b.arms)
		}
		if cond == nil {
			break
		}
	}
	b.arms = b.arms[:used]
	if used == 0 {
		return nil
	}
	if b.arms[0].cond == nil {
		return b.arms[0].body
	}
	b.arms = onlyLast(b.arms)
	return []stmt{b}
}

// onlyLast makes one arm of arms of which only the last has statements.
func onlyLast(arms []*arm) []*arm {
	last := arms[len(arms)-1]
	cond := last.cond
	for i := len(arms) - 2; i >= 0; i-- {
		if len(arms[i].body) > 0 {
			return arms
		}
		c := arms[i].cond
		not := simplify(derived(c, ir.OpNot, 1, c))
		if cond == nil {
			cond = not
		} else {
			cond = derived(c, ir.OpAnd, 1, not, cond)
		}
	}
	last.cond = cond
	return []*arm{last}
}

// cutSwitch drops arms without statements where no default would catch
// their values. A switch over every value ends in a default, so that nothing
// reads it as a latch.
func (l *lowerer) cutSwitch(s *ir.Switch, keep func(*ir.Signal) bool) []stmt {
	if subject := l.lower(s.Subject); isConst(subject) {
		return l.cut(chosen(s, subject.Const), keep)
	}
	var arms []*arm
	hasDefault, empty, values := false, 0, 0
	for _, a := range s.Arms {
		body := l.cut(a.Body.Stmts, keep)
		values += len(a.Values)
		if len(body) == 0 {
			empty++
		}
		if len(a.Values) == 0 {
			hasDefault = len(body) > 0
			if !hasDefault {
				continue
			}
		}
		arms = append(arms, &arm{values: a.Values, body: body, pos: a.Pos, source: a})
	}
	full := s.Subject.Width < 20 && values == 1<<s.Subject.Width
	if !hasDefault {
		arms = filled(arms)
		if full && empty == 0 && len(arms) > 1 {
			arms[len(arms)-1].values = nil
		}
	}
	if len(arms) == 0 {
		return nil
	}
	return []stmt{&choice{subject: l.lower(s.Subject), arms: arms, pos: s.Pos}}
}

// chosen returns the statements of the arm that a value takes.
func chosen(s *ir.Switch, v ir.Const) []ir.Stmt {
	for _, a := range s.Arms {
		if len(a.Values) == 0 || slices.ContainsFunc(a.Values, v.Equal) {
			return a.Body.Stmts
		}
	}
	return nil
}

func filled(arms []*arm) []*arm {
	var list []*arm
	for _, a := range arms {
		if len(a.body) > 0 {
			list = append(list, a)
		}
	}
	return list
}

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

// readSignals returns every signal that an expression of the module reads.
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
