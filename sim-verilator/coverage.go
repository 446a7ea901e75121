package verilator

import (
	"fmt"

	"gornic/hdl/ir"
	"gornic/hdl/sim"
)

// Coverage comes from covers: a design that is to be covered gets one more for each arm of an if or switch, whose condition
// is that of all the arms around it. Verilator's own line coverage counts how often the text was evaluated, while values
// settle, too; a cover is counted once a cycle, as the native simulator counts.

// armCovers says which counters of a design are of arms.
type armCovers struct {
	arms []*sim.Arm // for each cover of the altered design, in the order of sim.Checks; nil for the author's own
}

// withArmCovers returns a copy of a design with the additional covers. It shares everything but the list of properties with
// the original, which stays as it is.
func withArmCovers(d *ir.Design) (*ir.Design, *armCovers) {
	covered := &ir.Design{}
	covers := &armCovers{}
	copies := map[*ir.Module]*ir.Module{}
	for _, m := range d.All {
		c := *m
		c.Checks = append([]*ir.Check(nil), m.Checks...)
		for _, check := range m.Checks {
			if check.Kind == ir.Cover {
				covers.arms = append(covers.arms, nil)
			}
		}
		if len(m.Clocks) > 0 { // the arms of logic without a clock have no cycles to be counted in
			covers.add(&c)
		}
		copies[m] = &c
		covered.All = append(covered.All, &c)
	}
	covered.Top = copies[d.Top]
	for _, m := range d.Modules {
		covered.Modules = append(covered.Modules, copies[m])
	}
	return covered, covers
}

// add gives a module a cover for each of its arms.
func (a *armCovers) add(m *ir.Module) {
	eachArm(m.Body, nil, func(arm sim.Arm, taken *ir.Node, pos ir.Pos) {
		name := fmt.Sprintf("arm_%d", len(m.Checks))
		m.Checks = append(m.Checks, &ir.Check{Kind: ir.Cover, Name: name, Cond: taken, Clock: m.Clocks[0], Pos: pos})
		a.arms = append(a.arms, &arm)
	})
}

// eachArm calls f for every arm in a block, with the condition under which it is taken.
func eachArm(block *ir.Block, reached *ir.Node, f func(arm sim.Arm, taken *ir.Node, pos ir.Pos)) {
	for _, stmt := range block.Stmts {
		here := reached
		for _, b := range branches(stmt) {
			taken := both(here, b.cond)
			if b.cond != nil {
				here = both(here, not(b.cond))
			}
			arm := sim.Arm{Kind: b.kind}
			arm.File, arm.Line = b.pos.Line()
			f(arm, orTrue(taken), b.pos)
			eachArm(b.body, taken, f)
		}
	}
}

// A branch is an arm in a common form; cond is nil where nothing is left to ask.
type branch struct {
	cond *ir.Node
	body *ir.Block
	pos  ir.Pos
	kind string
}

func branches(stmt ir.Stmt) []branch {
	switch s := stmt.(type) {
	case *ir.If:
		return ifBranches(s)
	case *ir.Switch:
		return switchBranches(s)
	}
	return nil
}

func ifBranches(s *ir.If) []branch {
	var list []branch
	for i, a := range s.Arms {
		kind := "else if"
		switch {
		case i == 0:
			kind = "if"
		case a.Cond == nil:
			kind = "else"
		}
		list = append(list, branch{a.Cond, a.Body, a.Pos, kind})
	}
	return list
}

func switchBranches(s *ir.Switch) []branch {
	var list []branch
	listed := 0
	for _, a := range s.Arms {
		b := branch{body: a.Body, pos: a.Pos, kind: "default"}
		if len(a.Values) > 0 {
			b.cond, b.kind = oneOf(s.Subject, a.Values), "case"
		}
		listed += len(a.Values)
		list = append(list, b)
	}
	if w := s.Subject.Width; len(list) > 0 && w < 31 && listed == 1<<w {
		list[len(list)-1].cond = nil // every value is listed: there is no way past the last arm
	}
	return list
}

func oneOf(subject *ir.Node, values []ir.Const) *ir.Node {
	var any *ir.Node
	for _, v := range values {
		k := &ir.Node{Op: ir.OpConst, Width: v.Width, Const: v}
		equal := bit(ir.OpEq, subject, k)
		if any == nil {
			any = equal
		} else {
			any = bit(ir.OpOr, any, equal)
		}
	}
	return any
}

// both is the conjunction of two conditions, of which nil is true.
func both(a, b *ir.Node) *ir.Node {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return bit(ir.OpAnd, a, b)
}

func not(a *ir.Node) *ir.Node { return bit(ir.OpNot, a) }

func orTrue(a *ir.Node) *ir.Node {
	if a != nil {
		return a
	}
	one, _ := ir.NewConst(1, 1)
	return &ir.Node{Op: ir.OpConst, Width: 1, Const: one}
}

func bit(op ir.Op, args ...*ir.Node) *ir.Node {
	return &ir.Node{Op: op, Width: 1, Args: args, Module: args[0].Module, Pos: args[0].Pos}
}

// Coverage implements sim.Backend.
func (b *backend) Coverage() *sim.Coverage {
	if b.arms == nil {
		return nil
	}
	c := sim.NewCoverage()
	for i, n := range b.coverCounts() {
		if arm := b.arms.arms[i]; arm != nil {
			c.Add(*arm, n)
		}
	}
	return c
}
