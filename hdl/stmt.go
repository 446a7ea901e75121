package hdl

import (
	"gornic/hdl/check"
	"gornic/hdl/ir"
)

const noTarget = "Set of a prototype, a constant or the zero Bits: make a Reg or Wire of it"

// Set assigns value to a wire, a register, an output, or the input of an
// instance. Of several assignments the last one reached wins. A register
// takes the value at the next edge of its clock. Widths are equal.
func (x Bits) Set(value Bits) {
	m := x.m
	switch {
	case x.poisoned():
		return // the result of a faulty operation, which is reported where it is made
	case m == nil && value.m == nil:
		panic(noTarget) // no module to report it to, but Build has one
	case m == nil:
		value.m.reportf(check.Misuse, "%s", noTarget)
		return
	}
	s := x.Signal()
	if s != nil && m.done {
		m.reportf(check.Owner, "Set of %s (%s) from outside module %s: only the module's own Body can assign it",
			s.Name, s.Pos, m.ir.Name)
		return
	}
	ok := m.admit("Set", value)
	if !x.assignable() {
		m.reportf(check.Assign, "%s cannot be assigned: %s", x.describe(), m.whatItIs(x))
		return
	}
	if !ok {
		m.assign(s, poison(s.Width, value))
		return
	}
	if value.w != s.Width {
		m.reportf(check.Width, "cannot Set %s (%s, %s) from %s (%s): use Trunc, ZExt or Slice",
			s.Name, plural(s.Width, "bit"), s.Pos, value.describe(), plural(value.w, "bit"))
		value = poison(s.Width, value)
	}
	if s.Ghost != m.ghost {
		m.reportf(check.Misuse, "%s (%s) is set on the wrong side of Ghost: state of the properties is set inside it, all other outside",
			s.Name, s.Pos)
	}
	m.assign(s, value)
}

// assignable reports whether the value can be a target of Set.
func (x Bits) assignable() bool {
	s := x.Signal()
	return s != nil && !s.Free && s.Kind != ir.Input && s.Kind != ir.ReadData && s.Kind != ir.ChildOutput
}

// whatItIs says why a value is not a target of Set.
func (m *Module) whatItIs(x Bits) string {
	s := x.Signal()
	switch {
	case s == nil && x.n.Op == ir.OpSlice:
		return "it is a part of a value; Set the whole, with Cat"
	case s == nil:
		return "it is an expression, not a wire, register, output or input of an instance"
	case s.Free:
		return "it is an AnyConst, which never changes"
	case s.Kind == ir.Input:
		return "it is an input of " + m.ir.Name + ", which is driven from outside"
	case s.Kind == ir.ChildOutput:
		return "it is an output of instance " + s.Instance.Name
	}
	return "it is what memory " + s.Read.Memory.Name + " reads"
}

func (m *Module) assign(s *ir.Signal, value Bits) {
	m.block.Stmts = append(m.block.Stmts, &ir.Assign{Target: s, Value: value.n, Pos: ir.Here(1)})
}

// SetK assigns the constant k, of x's width.
func (x Bits) SetK(k uint64) { x.Set(K(x.w, k)) }

// IfChain is an If whose further arms can be added.
type IfChain struct {
	m     *Module
	stmt  *ir.If
	ended bool // it has its Else
}

// If runs the statements of then in cycles in which cond, one bit, is one.
func (m *Module) If(cond Bits, then func()) *IfChain {
	c := &IfChain{m: m, stmt: &ir.If{Pos: ir.Here(0)}}
	m.open("an If", c.stmt.Pos)
	m.block.Stmts = append(m.block.Stmts, c.stmt)
	return c.arm(cond, then)
}

// ElseIf adds an arm that is looked at when no arm before it was taken.
func (c *IfChain) ElseIf(cond Bits, then func()) *IfChain { return c.arm(cond, then) }

// Else adds the statements for when no arm was taken.
func (c *IfChain) Else(then func()) {
	arm := &ir.Arm{Body: &ir.Block{}, Pos: ir.Here(0)}
	if c.add(arm) {
		c.ended = true
		c.m.inside(arm.Body, then)
	}
}

// add adds an arm, unless the Else is there already.
func (c *IfChain) add(arm *ir.Arm) bool {
	if c.ended {
		c.m.reportAt(check.Misuse, arm.Pos.AtUser(), "an arm behind the Else of its If")
		return false
	}
	c.stmt.Arms = append(c.stmt.Arms, arm)
	return true
}

func (c *IfChain) arm(cond Bits, then func()) *IfChain {
	arm := &ir.Arm{Body: &ir.Block{}, Pos: ir.Here(1)}
	if c.m.admit("If", cond) && c.m.condition(cond) {
		arm.Cond = cond.n
	} else {
		arm.Cond = poison(1, cond).n
	}
	if c.add(arm) {
		c.m.inside(arm.Body, then)
	}
	return c
}

// inside runs f with its statements going to block.
func (m *Module) inside(block *ir.Block, f func()) {
	if f == nil {
		m.reportf(check.Misuse, "an arm without a function: what it does is missing")
		return
	}
	outer := m.block
	m.block = block
	m.nested++
	defer func() {
		m.block = outer
		m.nested--
	}()
	f()
}

// Arm is one arm of a Switch.
type Arm struct {
	values []uint64
	body   func()
	pos    ir.Pos
}

// Case is the arm for one value.
func Case(value uint64, body func()) Arm {
	return Arm{values: []uint64{value}, body: body, pos: ir.Here(0)}
}

// Cases is the arm for any of several values; for none, it is left out.
func Cases(values []uint64, body func()) Arm {
	return Arm{values: append([]uint64{}, values...), body: body, pos: ir.Here(0)}
}

// Default is the arm for every value that no other arm lists; it stands last.
func Default(body func()) Arm { return Arm{body: body, pos: ir.Here(0)} }

// Switch runs the statements of the arm that lists the value of subject.
func (m *Module) Switch(subject Bits, arms ...Arm) {
	stmt := &ir.Switch{Pos: ir.Here(0)}
	m.open("a Switch", stmt.Pos)
	if m.admit("Switch", subject) {
		stmt.Subject = subject.n
	} else {
		stmt.Subject = poison(max(subject.w, 1), subject).n
	}
	m.block.Stmts = append(m.block.Stmts, stmt)
	for i, a := range arms {
		arm := &ir.CaseArm{Body: &ir.Block{}, Pos: a.pos}
		if a.values == nil && i != len(arms)-1 {
			m.reportAt(check.Misuse, a.pos, "Default is not the last arm of its Switch")
		}
		for _, v := range a.values {
			c, ok := ir.NewConst(subject.w, v)
			if !ok {
				m.reportAt(check.Constant, a.pos, "case %#x does not fit in the %s of %s", v, plural(subject.w, "bit"), subject.describe())
				continue
			}
			arm.Values = append(arm.Values, c)
		}
		if a.values == nil || len(arm.Values) > 0 {
			stmt.Arms = append(stmt.Arms, arm)
		}
		m.inside(arm.Body, a.body)
	}
}
