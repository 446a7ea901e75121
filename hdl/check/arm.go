package check

import "gornic/hdl/ir"

// checkArms finds arms of If and Switch that can never run.
func checkArms(c *checker, m *ir.Module) {
	k := newKnowledge()
	for _, b := range blocks(m) {
		eachStmt(b, func(s ir.Stmt) {
			switch s := s.(type) {
			case *ir.If:
				c.repeatedConditions(m, s, k)
			case *ir.Switch:
				c.deadCases(m, s, k)
			}
		})
	}
}

// repeatedConditions finds conditions that an earlier arm has tested.
func (c *checker) repeatedConditions(m *ir.Module, s *ir.If, k *knowledge) {
	first := make(map[int]*ir.Arm)
	for _, arm := range s.Arms {
		if arm.Cond == nil || arm.Cond.Op == ir.OpInvalid || isConstant(arm.Cond, k) {
			continue // constants are a finding of their own
		}
		number := k.numbers.of(arm.Cond)
		if before := first[number]; before != nil {
			c.report(arm.Pos, m, "this arm is never taken: an arm before has the same condition (%v)", before.Pos)
			continue
		}
		first[number] = arm
	}
}

// deadCases finds cases of a value that is listed before or cannot occur.
func (c *checker) deadCases(m *ir.Module, s *ir.Switch, k *knowledge) {
	if s.Subject.Op == ir.OpInvalid {
		return
	}
	possible := k.of(s.Subject)
	first := make(map[string]*ir.CaseArm)
	for _, arm := range s.Arms {
		for _, v := range arm.Values {
			text := v.String()
			switch before := first[text]; {
			case before != nil:
				c.report(arm.Pos, m, "case %s is never taken: it is listed before (%v)", caseName(s.Subject, v), before.Pos)
			case !possible.allows(v):
				c.report(arm.Pos, m, "case %s is never taken: %s cannot have this value", caseName(s.Subject, v), subject(s.Subject))
			case isState(s.Subject) && valueName(s.Subject, v) == "":
				c.report(arm.Pos, m, "case %s is never taken: it is no state of %s", v, s.Subject.Signal.Name)
			}
			if first[text] == nil {
				first[text] = arm
			}
		}
	}
}

// checkConditions finds conditions and subjects that never change.
func checkConditions(c *checker, m *ir.Module) {
	k := newKnowledge()
	for _, b := range blocks(m) {
		eachStmt(b, func(s ir.Stmt) {
			switch s := s.(type) {
			case *ir.If:
				for _, arm := range s.Arms {
					if arm.Cond == nil {
						continue
					}
					if v, ok := k.of(arm.Cond).constant(); ok {
						c.report(arm.Pos, m, "condition is always %d", v.Uint64())
					}
				}
			case *ir.Switch:
				if v, ok := k.of(s.Subject).constant(); ok && s.Subject.Op != ir.OpInvalid {
					c.report(s.Pos, m, "subject of this Switch is always %s", caseName(s.Subject, v))
				}
			}
		})
	}
}

func isConstant(n *ir.Node, k *knowledge) bool {
	_, ok := k.of(n).constant()
	return ok
}

func isState(n *ir.Node) bool { return n.Op == ir.OpSignal && n.Signal.FSM && n.Signal.Enum != nil }

// caseName returns a value by the name that its signal gives it, or as a number.
func caseName(n *ir.Node, v ir.Const) string {
	if name := valueName(n, v); name != "" {
		return name
	}
	return v.String()
}

func valueName(n *ir.Node, v ir.Const) string {
	if n.Op != ir.OpSignal || n.Signal.Enum == nil {
		return ""
	}
	for _, e := range n.Signal.Enum.Values {
		if v.Big().IsUint64() && e.Value == v.Uint64() {
			return e.Name
		}
	}
	return ""
}
