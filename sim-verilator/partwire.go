package verilator

import (
	"fmt"
	"slices"

	"gornic/hdl/ir"
	"gornic/hdl/verilog"
)

// What the shim looks at besides registers are values of expressions: the inputs of parts, and the enables of writes. Wires
// for them come as those of events do, which are the one thing of a design that Verilator keeps as they are.

// withPartWires returns a copy of a design with more events, after its own: for each module of writes to memories, and for
// the top of the inputs of parts. Its own are left out where nobody wants events, and then properties too, unless there
// are checks: what is left reads hardware alone.
func withPartWires(d *ir.Design, parts []*ir.Instance, events, checks bool) *ir.Design {
	copies := map[*ir.Module]*ir.Module{}
	printed := &ir.Design{}
	for _, m := range d.All {
		c := *m
		if c.Events = slices.Clone(m.Events); !events {
			c.Events = nil
			if !checks {
				c.Checks, c.Ghost = nil, nil
			}
		}
		c.Events = append(c.Events, writeEvents(m, checks)...)
		copies[m] = &c
		printed.All = append(printed.All, &c)
	}
	printed.Top = copies[d.Top]
	for _, inst := range parts {
		printed.Top.Events = append(printed.Top.Events, inputEvent(d, inst))
	}
	for _, m := range d.Modules {
		printed.Modules = append(printed.Modules, copies[m])
	}
	return printed
}

// writeEvents has an event for each write port of the memories of a module.
func writeEvents(m *ir.Module, checks bool) []*ir.Event {
	var all []*ir.Event
	for _, memory := range m.Memories {
		if memory.Ghost && !checks {
			continue
		}
		for _, w := range memory.Writes {
			all = append(all, &ir.Event{Name: fmt.Sprintf("write_%d", len(all)), When: w.En, Clock: w.Clock, Pos: w.Pos})
		}
	}
	return all
}

// inputEvent has a field for each input of an instance of the top.
func inputEvent(d *ir.Design, inst *ir.Instance) *ir.Event {
	e := &ir.Event{Name: "part_" + inst.Name, When: orTrue(nil), Clock: d.Top.Clocks[0], Pos: inst.Pos}
	for _, s := range inst.Ports {
		if s.Kind == ir.ChildInput {
			value := &ir.Node{Op: ir.OpSignal, Width: s.Width, Signal: s, Module: d.Top, Pos: inst.Pos}
			e.Fields = append(e.Fields, ir.EventField{Name: s.Port.Name, Value: value})
		}
	}
	return e
}

// partWires finds the wires in a design that was printed withPartWires.
type partWires struct {
	inputs []verilog.EventNets            // of each part
	writes map[string][]verilog.EventNets // by the name of the module
}

func findPartWires(d *ir.Design, parts []*ir.Instance, files []verilog.File, events bool) partWires {
	added := map[string][]verilog.EventNets{}
	for _, f := range files {
		added[f.Module.Name] = f.Events
	}
	if events {
		for _, m := range d.Modules {
			added[m.Name] = added[m.Name][len(m.Events):]
		}
	}
	atTop := added[d.Top.Name]
	return partWires{inputs: atTop[len(atTop)-len(parts):], writes: added}
}

// inputsOf lists the wires of a part's inputs; i is its number.
func (w partWires) inputsOf(i int, inst *ir.Instance) []partValue {
	var all []partValue
	for _, s := range inst.Ports {
		if s.Kind == ir.ChildInput {
			all = append(all, partValue{w.inputs[i].Fields[len(all)], s.Width})
		}
	}
	return all
}

// writesOf lists the wires that are one where a memory of a module in a part is written.
func (w partWires) writesOf(m *ir.Module, checks bool) []partValue {
	var all []partValue
	for i := range writeEvents(m, checks) {
		all = append(all, partValue{joined(m.Path, w.writes[m.Name][i].When), 1})
	}
	return all
}
