package verilog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gornic/hdl/ir"
)

// Trace is an event that a simulation with GORNIC_TRACE printed.
type Trace struct {
	Time   uint64 // in the unit of the simulation
	Path   string // of the instance, as the simulator's %m says it, such as "tb.dut.u_fifo"
	Name   string // of the event
	Fields []TraceField
}

// TraceField is a field of a printed event.
type TraceField struct {
	Name    string
	Value   uint64
	Unknown bool // the simulator had no value for some of its bits; Value is 0
}

// ParseTrace reads a line of a simulator's output. Events of one instant are in
// no particular order.
func ParseTrace(line string) (Trace, bool) {
	words := strings.Fields(line)
	if len(words) < 4 || words[0] != "TRACE" {
		return Trace{}, false
	}
	time, err := strconv.ParseUint(words[1], 10, 64)
	if err != nil {
		return Trace{}, false
	}
	t := Trace{Time: time, Path: words[2], Name: words[3]}
	for _, word := range words[4:] {
		f, ok := parseField(word)
		if !ok {
			return Trace{}, false
		}
		t.Fields = append(t.Fields, f)
	}
	return t, true
}

// parseField reads "name=1f".
func parseField(word string) (TraceField, bool) {
	name, digits, found := strings.Cut(word, "=")
	if !found {
		return TraceField{}, false
	}
	if strings.ContainsAny(digits, "xXzZ") {
		return TraceField{Name: name, Unknown: true}, true
	}
	v, err := strconv.ParseUint(digits, 16, ir.MaxEventField)
	return TraceField{Name: name, Value: v}, err == nil
}

// EventNets are the names of the wires that have an event, with GORNIC_TRACE.
// They are marked as public for Verilator.
type EventNets struct {
	When   string
	Fields []string // in the order of ir.Event.Fields
}

// public keeps Verilator from taking a wire out.
const public = " /* verilator public_flat_rd */"

// eventRoots returns the expressions of the events.
func (e *module) eventRoots() []root {
	var list []root
	for _, ev := range e.ir.Events {
		list = append(list, root{node: e.low.lower(ev.When), base: "event_" + ev.Name, breakable: true})
		for _, f := range ev.Fields {
			list = append(list, root{node: e.low.lower(f.Value), base: "event_" + ev.Name + "_" + f.Name, breakable: true})
		}
	}
	return list
}

// eventsShareState reports whether an event reads state or wires of the
// properties. It is asked when those have their names.
func (e *module) eventsShareState() bool {
	seen := map[*ir.Node]bool{}
	var shares func(*ir.Node) bool
	shares = func(n *ir.Node) bool {
		switch {
		case seen[n]:
			return false
		case n.Op == ir.OpSignal:
			return n.Signal.Ghost
		case e.names[n] != "":
			return e.usage[n].layer == &e.checks
		case n.Op == ir.OpMemRead && n.Memory.Ghost:
			return true
		}
		seen[n] = true
		for _, a := range n.Args {
			if shares(a) {
				return true
			}
		}
		return false
	}
	for _, r := range e.eventRoots() {
		if shares(r.node) {
			return true
		}
	}
	return false
}

// stateLayer is the part of the properties that their state needs.
func (e *module) stateLayer() *layer {
	l := &layer{kind: ofProperties, roots: e.stateRoots()}
	mine := map[*ir.Node]bool{}
	for _, n := range e.checks.visited {
		mine[n] = true
	}
	needed := map[*ir.Node]bool{}
	var walk func(*ir.Node)
	walk = func(n *ir.Node) {
		if !mine[n] || needed[n] {
			return
		}
		needed[n] = true
		for _, a := range n.Args {
			walk(a)
		}
		l.visited = append(l.visited, n)
	}
	for _, r := range l.roots {
		walk(r.node)
	}
	return l
}

// printEvents writes a wire for each condition and field, and the reports;
// shared says that the state of the properties is there.
func (e *module) printEvents(shared bool) {
	e.planEvents()
	e.out.blank()
	e.out.plain("`ifdef GORNIC_TRACE")
	for _, w := range e.needed(e.events.roots) {
		e.printWire(w)
	}
	for _, ev := range e.ir.Events {
		e.printEventWires(ev)
	}
	if shared {
		e.printUnusedByEvents()
	}
	e.out.blank()
	e.out.plain("`ifndef GORNIC_TRACE_QUIET")
	for _, clock := range e.ir.Clocks {
		e.printReports(clock)
	}
	e.out.plain("`endif")
	e.out.plain("`endif")
}

// printEventWires writes the wires of an event.
func (e *module) printEventWires(ev *ir.Event) {
	e.out.blank()
	e.sayInside(e.over(ev.Pos))
	nets := EventNets{When: e.scope.take("event_" + ev.Name)}
	rows := [][]string{e.eventWire(nets.When, ev.When, mode{condition: true})}
	for _, f := range ev.Fields {
		net := e.scope.take("event_" + ev.Name + "_" + f.Name)
		rows = append(rows, e.eventWire(net, f.Value, mode{}))
		nets.Fields = append(nets.Fields, net)
	}
	for i, l := range columns(rows) {
		e.out.add([]ir.Pos{ev.Pos, {}}[min(i, 1)], l)
	}
	e.eventNets = append(e.eventNets, nets)
}

// eventWire returns the columns of a wire with its value.
func (e *module) eventWire(name string, value *ir.Node, m mode) []string {
	return []string{"wire", span(value.Width), e.wrapped(name+public+" = ", e.low.lower(value), m, ";", false)}
}

// printReports writes what prints the events of one clock.
func (e *module) printReports(clock *ir.Clock) {
	if !slices.ContainsFunc(e.ir.Events, func(ev *ir.Event) bool { return ev.Clock == clock }) {
		return
	}
	e.out.blank()
	e.out.plain("always @(posedge " + clock.Clk + ") begin")
	e.nested(func() {
		e.out.plain("if (!" + clock.Rst + ") begin")
		e.nested(func() {
			for i, ev := range e.ir.Events {
				if ev.Clock == clock {
					e.printEventReport(ev, e.eventNets[i])
				}
			}
		})
		e.out.plain("end")
	})
	e.out.plain("end")
}

func (e *module) printEventReport(ev *ir.Event, nets EventNets) {
	format := fmt.Sprintf(`"TRACE %%0d %%m %s`, ev.Name)
	for _, f := range ev.Fields {
		format += " " + f.Name + "=%0h"
	}
	args := append([]string{format + `"`, "$time"}, nets.Fields...)
	e.out.plain("if (" + nets.When + ") begin")
	e.nested(func() { e.printDisplay(args) })
	e.out.plain("end")
}

// printDisplay writes a call of $display, in several lines where it is long.
func (e *module) printDisplay(args []string) {
	if line := "$display(" + strings.Join(args, ", ") + ");"; len(line)+4*e.out.depth <= widest {
		e.out.plain(line)
		return
	}
	e.out.plain("$display(")
	e.nested(func() {
		e.out.plain(args[0] + ",")
		for _, l := range wrap(strings.Join(args[1:], ", "), widest-4*e.out.depth) {
			e.out.plain(l)
		}
	})
	e.out.plain(");")
}
