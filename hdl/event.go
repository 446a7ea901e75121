package hdl

import (
	"gornic/hdl/check"
	"gornic/hdl/ir"
)

// EventField is a value that a trace event shows; [Field] makes one.
type EventField struct {
	name  string
	value Bits
}

// Field is a value of 1 to 64 bits that an event shows under a name. A value
// with names for its values, such as the state of an [FSM] or what [Bits.Named]
// returns, is shown with them.
func Field(name string, value Bits) EventField { return EventField{name, value} }

// Event declares a trace event: a line in the record of a run for each cycle
// outside reset in which when, one bit, is one, with the fields as they are in
// that cycle. It may read everything, as properties may, and costs nothing in
// hardware. Simulations with sim.Options.Events collect events, and the printed
// Verilog shows them under GORNIC_TRACE.
func (m *Module) Event(name string, when Bits, fields ...EventField) {
	pos := ir.Here(0)
	ok := m.open("event "+name, pos) && m.admit("Event", when) && m.condition(when)
	e := &ir.Event{Name: name, When: when.n, Clock: m.domain(), Pos: pos}
	for _, f := range fields {
		ok = m.eventField(e, f) && ok
	}
	if m.nested > 0 {
		m.reportAt(check.Misuse, pos, "event %s inside If or Switch: make the condition part of it", name)
	}
	for _, other := range m.ir.Events {
		if other.Name == name {
			m.reportAt(check.Clash, pos, "the event name %s is taken (%s)", name, other.Pos)
			ok = false
		}
	}
	if ok {
		m.ir.Events = append(m.ir.Events, e)
		return
	}
	for _, x := range append([]Bits{when}, valuesOf(fields)...) {
		if x.m == m {
			m.ir.Unused = append(m.ir.Unused, x.n) // what went into a faulty event counts as read
		}
	}
}

func valuesOf(fields []EventField) []Bits {
	var list []Bits
	for _, f := range fields {
		list = append(list, f.value)
	}
	return list
}

// eventField adds a field to an event, unless there is a mistake in it.
func (m *Module) eventField(e *ir.Event, f EventField) bool {
	if !m.admit("Field", f.value) {
		return false
	}
	if f.value.w > ir.MaxEventField {
		m.reportAt(check.Width, e.Pos, "field %s of event %s has %d bits: at most %d, use Slice", f.name, e.Name, f.value.w, ir.MaxEventField)
		return false
	}
	for _, other := range e.Fields {
		if other.Name == f.name {
			m.reportAt(check.Clash, e.Pos, "event %s has two fields %s", e.Name, f.name)
			return false
		}
	}
	e.Fields = append(e.Fields, ir.EventField{Name: f.name, Value: f.value.n, Enum: f.value.namesOfValues()})
	return true
}

// namesOfValues returns the names that a value's values have; nil for none.
func (x Bits) namesOfValues() *ir.Enum {
	if s := x.Signal(); x.enum == nil && s != nil {
		return s.Enum
	}
	return x.enum
}
