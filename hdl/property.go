package hdl

import (
	"strconv"

	"gornic/hdl/check"
	"gornic/hdl/ir"
)

// Assert states that cond, one bit, is one in each cycle outside reset. It is
// checked in both simulators and by proofs, and costs nothing in hardware.
func (m *Module) Assert(name string, cond Bits) { m.property(ir.Assert, name, cond) }

// Assume states what the module takes for granted of its surroundings. Proofs
// rely on it; simulation checks it.
func (m *Module) Assume(name string, cond Bits) { m.property(ir.Assume, name, cond) }

// Cover states that cond can be one: proofs find a way, simulation counts.
func (m *Module) Cover(name string, cond Bits) { m.property(ir.Cover, name, cond) }

func (m *Module) property(kind ir.CheckKind, name string, cond Bits) {
	pos := ir.Here(1)
	if !m.open("property "+name, pos) || !m.admit(kind.String(), cond) || !m.condition(cond) {
		return
	}
	m.check(kind, name, cond, m.domain(), pos)
}

func (m *Module) check(kind ir.CheckKind, name string, cond Bits, clock *ir.Clock, pos ir.Pos) {
	cond.use()
	if m.nested > 0 {
		m.reportAt(check.Misuse, pos, "property %s inside If or Switch: make the condition part of it", name)
	}
	for _, c := range m.ir.Checks {
		if c.Name == name {
			m.reportAt(check.Clash, pos, "the property name %s is taken (%s)", name, c.Pos)
			return
		}
	}
	m.ir.Checks = append(m.ir.Checks, &ir.Check{Kind: kind, Name: name, Cond: cond.n, Clock: clock, Pos: pos})
}

// Ghost runs f with its registers, wires and statements belonging to the
// properties alone: they are simulated and proved, and left out of the
// hardware. They may read everything; only properties and other ghosts read them.
func (m *Module) Ghost(f func()) {
	block, ghost := m.block, m.ghost
	m.block, m.ghost = m.ir.Ghost, true
	defer func() { m.block, m.ghost = block, ghost }()
	f()
}

// Past returns the value that x had in the cycle before: a ghost register. In
// the first cycle after reset that is its value in the last cycle of reset.
func (m *Module) Past(name string, x Bits) Bits {
	var p Bits
	m.Ghost(func() {
		p = NewReg(m, name, Proto(x))
		p.Set(x)
	})
	return p
}

// PastReset is [Module.Past] with a known value under reset.
func (m *Module) PastReset(name string, x Bits, reset uint64) Bits {
	var p Bits
	m.Ghost(func() {
		p = m.Reg(name, x.w, reset)
		p.Set(x)
	})
	return p
}

// AnyConst returns a ghost value that nobody knows and that never changes,
// reset or not: what is proved is proved for each of its 2^width values, and
// each run of a simulation draws one from its seed. It follows one address, one
// queue pair or one payload in place of all.
func (m *Module) AnyConst(name string, width int) Bits {
	var v Bits
	m.Ghost(func() {
		v = m.RegN(name, width)
		v.n.Signal.Free = true
	})
	return v
}

func itoa(i int) string { return strconv.Itoa(i) }
