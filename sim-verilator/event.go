package verilator

import (
	"gornic/hdl/ir"
	"gornic/hdl/sim"
	"gornic/hdl/verilog"
)

// Events are read before each edge, from wires that the design has with GORNIC_TRACE: the shim notes those whose condition
// is one, in order, and Go takes them in one piece.

// eventNames is an event of an instance: the number of its clock, and the paths of its wires in Verilog.
type eventNames struct {
	clock  int
	when   string
	fields []eventField
}

type eventField struct {
	wire  string
	width int
}

// eventsOf finds the wires of the events of a design, in the order of sim.Events.
func eventsOf(d *ir.Design, files []verilog.File) []eventNames {
	nets := map[string][]verilog.EventNets{} // by the name of the module
	for _, f := range files {
		nets[f.Module.Name] = f.Events
	}
	numbers := map[*ir.Clock]int{}
	for i, c := range d.Top.Clocks {
		numbers[c] = i
	}
	var all []eventNames
	for _, m := range d.All {
		for i, e := range m.Events {
			net := nets[m.Name][i]
			names := eventNames{clock: numbers[sim.RootClock(m, e.Clock)], when: joined(m.Path, net.When)}
			for k, f := range e.Fields {
				names.fields = append(names.fields, eventField{joined(m.Path, net.Fields[k]), f.Value.Width})
			}
			all = append(all, names)
		}
	}
	return all
}

// Events implements sim.Backend.
func (b *backend) Events() []sim.Event {
	if len(b.events) == 0 || b.handle == 0 {
		return nil
	}
	records := make([]uint64, call(b.countEvents, b.handle))
	call(b.takeEvents, b.handle, uintptr(at(records)))
	return sim.DecodeEvents(b.events, records)
}
