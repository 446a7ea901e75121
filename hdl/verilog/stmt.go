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
