package sim

import (
	"fmt"
	"strconv"
	"strings"

	"gornic/hdl/ir"
)

// Event is one trace event: what a module declared with hdl's Module.Event, as
// it was at one rising edge of its clock.
type Event struct {
	Cycle  uint64 // edges of the event's clock, as the top has it, before the one that saw it
	Time   uint64 // of that edge, in picoseconds
	Path   string // of the instance, such as "u_sq.u_fetch"; empty for the top
	Name   string
	Fields []EventValue // in order of declaration
	Pos    ir.Pos       // of the declaration
}

// EventValue is one field of an event.
type EventValue struct {
	Name  string
	Value uint64
	Text  string // the name of the value, such as a state of an FSM; empty where it has none
}

// Get returns the field of that name; false if the event has none.
func (e Event) Get(name string) (uint64, bool) {
	for _, f := range e.Fields {
		if f.Name == name {
			return f.Value, true
		}
	}
	return 0, false
}

// String is the event in a line, in columns: the cycle, the path with the name,
// and the fields. Values without names are decimal below 10 and hexadecimal from
// there on:
//
//	1042  u_sq.u_fetch.fetched              qp=3 wqes=0x10 state=WAIT
func (e Event) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%8d  %-32s", e.Cycle, join(e.Path, e.Name))
	for _, f := range e.Fields {
		b.WriteString(" " + f.Name + "=" + f.text())
	}
	return strings.TrimRight(b.String(), " ")
}

func (v EventValue) text() string {
	switch {
	case v.Text != "":
		return v.Text
	case v.Value < 10:
		return strconv.FormatUint(v.Value, 10)
	}
	return "0x" + strconv.FormatUint(v.Value, 16)
}

// InstanceEvent is one declared event of one instance.
type InstanceEvent struct {
	*ir.Event
	Module *ir.Module // the instance that holds it
}

// Events lists the declared events of every instance, parents first, in the
// order that both backends number them.
func Events(d *ir.Design) []InstanceEvent {
	var all []InstanceEvent
	for _, m := range d.All {
		for _, e := range m.Events {
			all = append(all, InstanceEvent{Event: e, Module: m})
		}
	}
	return all
}

// eventHead is how many words of a record come before the fields.
const eventHead = 3

// DecodeEvents returns the events of a run from the records of a backend, one
// after the other: the number of the event in declared, its cycle, its time, and
// a word for each field.
func DecodeEvents(declared []InstanceEvent, records []uint64) []Event {
	var list []Event
	for len(records) > 0 {
		d := declared[records[0]]
		size := eventHead + len(d.Fields)
		list = append(list, d.at(records[1], records[2], records[eventHead:size]))
		records = records[size:]
	}
	return list
}

// at is the event at one edge.
func (d InstanceEvent) at(cycle, time uint64, values []uint64) Event {
	e := Event{
		Cycle: cycle, Time: time, Path: d.Module.Path, Name: d.Name, Pos: d.Pos,
		Fields: make([]EventValue, len(values)),
	}
	for i, v := range values {
		f := d.Fields[i]
		e.Fields[i] = EventValue{Name: f.Name, Value: v, Text: nameOfValue(f.Enum, v)}
	}
	return e
}

// nameOfValue returns the name that an enum gives a value; empty for none.
func nameOfValue(enum *ir.Enum, v uint64) string {
	if enum == nil {
		return ""
	}
	for _, named := range enum.Values {
		if named.Value == v {
			return named.Name
		}
	}
	return ""
}
