package hdl

import (
	"math/bits"

	"gornic/hdl/check"
	"gornic/hdl/ir"
)

// State is the type of an FSM's states: a Go enumeration with names.
type State interface {
	~int
	String() string
}

// FSM is a register whose values are states with names.
type FSM[S State] struct {
	// Reg is the register.
	Reg Bits
	m   *Module
}

// NewFSM returns a state register with the given states; the first one is the
// state after reset.
func NewFSM[S State](m *Module, name string, states ...S) *FSM[S] {
	if len(states) == 0 {
		m.reportf(check.Misuse, "FSM %s has no states", name)
		states = make([]S, 1)
	}
	enum := &ir.Enum{Name: name}
	highest := S(0)
	for _, s := range states {
		if s < 0 {
			m.reportf(check.Constant, "FSM %s: state %s is %d, below zero", name, s, int(s))
			s = 0
		}
		enum.Values = append(enum.Values, ir.EnumValue{Value: uint64(s), Name: s.String()})
		highest = max(highest, s)
	}
	reg := m.Reg(name, max(1, bits.Len(uint(highest))), uint64(max(states[0], 0)))
	reg.n.Signal.Enum, reg.n.Signal.FSM = enum, true
	return &FSM[S]{Reg: reg, m: m}
}

// Goto makes s the state of the next cycle.
func (f *FSM[S]) Goto(s S) { f.Reg.Set(f.value(s)) }

// Is returns one bit: the state is s.
func (f *FSM[S]) Is(s S) Bits { return f.Reg.Eq(f.value(s)) }

func (f *FSM[S]) value(s S) Bits {
	for _, v := range f.Reg.n.Signal.Enum.Values {
		if v.Value == uint64(s) {
			return f.Reg.K(uint64(s))
		}
	}
	f.m.reportf(check.Constant, "%s is not a state of FSM %s (%s)", s, f.Reg.describe(), f.Reg.site())
	return poison(f.Reg.w, f.Reg)
}

// On is the arm of [FSM.Switch] for one state.
func On[S State](s S, body func()) Arm {
	return Arm{values: []uint64{uint64(s)}, body: body, pos: ir.Here(0)}
}

// Switch runs the statements of the arm for the present state.
func (f *FSM[S]) Switch(arms ...Arm) { f.m.Switch(f.Reg, arms...) }
