package check

import (
	"slices"

	"gornic/hdl/ir"
)

// checkUndriven finds wires, outputs, instance inputs and memories that
// nothing drives.
func checkUndriven(c *checker, m *ir.Module) {
	if hollow(m) {
		return
	}
	if undriven := undrivenIn(m); slices.ContainsFunc(keep(m.Signals, drivable), undriven) {
		c.undriven(m, undriven)
	}
	for _, mem := range m.Memories {
		if len(mem.Writes) == 0 {
			c.report(mem.Pos, m, "memory %s is never written", mem.Name)
		}
	}
}

// undriven reports signals: a bundle that is connected in neither direction in
// one message, and so one of which nothing is driven.
func (c *checker) undriven(m *ir.Module, undriven func(*ir.Signal) bool) {
	loose := looseEnds(m, unseenBy(demands(m)))
	for _, w := range loose {
		c.report(w.signals[0].Pos, m, "%s%s is not connected: Connect it (nothing sets %s, nothing reads %s)",
			w.name(), w.owner(), portList(keep(w.signals, drivable)), portList(keep(w.signals, readable)))
	}
	bundles, single := wholes(keep(m.Signals, drivable), undriven)
	for _, w := range bundles {
		if !partOf(w.signals[0], loose) {
			c.report(w.signals[0].Pos, m, "%s%s is never driven: Set or Connect it (%s)", w.name(), w.owner(), portList(w.signals))
		}
	}
	for _, s := range single {
		switch {
		case partOf(s, loose):
		case s.Kind == ir.ChildInput:
			c.report(s.Pos, m, "%s is never driven: Set it", portOf(s))
		default:
			c.report(s.Pos, m, "%s %s is never driven: Set it or drop it", s.Kind, s.Name)
		}
	}
}

// undrivenIn tells which signals of a module nothing drives.
func undrivenIn(m *ir.Module) func(*ir.Signal) bool {
	byTarget := assignments(m)
	return func(s *ir.Signal) bool { return len(byTarget[s]) == 0 }
}

// drivable reports whether a signal has to be driven.
func drivable(s *ir.Signal) bool {
	return s.Kind == ir.Wire || s.Kind == ir.Output || s.Kind == ir.ChildInput
}

// checkUnset finds registers that are never set.
func checkUnset(c *checker, m *ir.Module) {
	byTarget := assignments(m)
	for _, s := range m.Signals {
		if s.Kind != ir.Reg || s.Free || len(byTarget[s]) > 0 {
			continue
		}
		if s.Reset != nil {
			c.report(s.Pos, m, "register %s is never set: it keeps its reset value %v", s.Name, *s.Reset)
		} else {
			c.report(s.Pos, m, "register %s is never set and has no reset: its value is never known", s.Name)
		}
	}
}

// portOf names the port that a parent-side signal stands for.
func portOf(s *ir.Signal) string {
	direction := "output "
	if s.Kind == ir.ChildInput {
		direction = "input "
	}
	return direction + s.Port.Name + " of " + s.Instance.Name
}

// checkDrivers finds assignments that a later one in the same block always
// overrides.
func checkDrivers(c *checker, m *ir.Module) {
	for _, b := range blocks(m) {
		c.overridden(m, b)
	}
}

// overridden looks at one block, then at the blocks in it. earlier has for
// each signal the last assignment in the statements so far.
func (c *checker) overridden(m *ir.Module, b *ir.Block) {
	earlier := make(map[*ir.Signal]*ir.Assign)
	conditional := make(map[*ir.Signal]bool)
	note := func(a *ir.Assign, inside bool) {
		earlier[a.Target] = a
		conditional[a.Target] = inside
	}
	for _, s := range b.Stmts {
		a, plain := s.(*ir.Assign)
		if !plain {
			for _, body := range bodies(s) {
				eachStmt(body, func(s ir.Stmt) {
					if a, ok := s.(*ir.Assign); ok {
						note(a, true)
					}
				})
				c.overridden(m, body)
			}
			continue
		}
		switch first := earlier[a.Target]; {
		case first == nil || a.Value.Op == ir.OpInvalid: // a Set that is wrong has been reported
		case conditional[a.Target]:
			c.report(a.Pos, m, "%s is always overridden here: what it is given under a condition before (%v) is never seen; "+
				"a default comes first", a.Target.Name, first.Pos)
		default:
			c.report(a.Pos, m, "%s has two drivers: this Set always overrides the one before (%v)", a.Target.Name, first.Pos)
		}
		note(a, false)
	}
}
