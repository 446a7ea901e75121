// Package probe looks into a core: it declares trace events (hdl's Module.Event) at the ports of a design and at the streams
// between its blocks, from outside and after it was elaborated. They cost no hardware and leave the Verilog in rtl/
// as it is.
//
// Start with [Ports] and [Streams].
package probe

import (
	"slices"
	"strings"

	"gornic/hdl/ir"
)

// Suffix is what the events of [Streams] have behind the name of their stream.
const Suffix = "_fires"

// Streams declares a trace event for each stream of the ports of the design's top and of the
// instances in it, which is seen in each cycle in which a payload moves. Call it before
// the design is first simulated.
func Streams(d *ir.Design) {
	names := map[string]bool{}
	for _, m := range d.All {
		if !strings.Contains(m.Path, ".") {
			names[m.Name] = true
		}
	}
	for _, m := range d.All {
		if names[m.Name] {
			watch(m)
		}
	}
}

// watch declares the events of one module.
func watch(m *ir.Module) {
	ports := map[string]*ir.Signal{}
	var valids []string
	for _, s := range m.Signals {
		if s.Kind != ir.Input && s.Kind != ir.Output {
			continue
		}
		ports[s.Name] = s
		if s.Width == 1 && strings.HasSuffix(s.Name, "valid") {
			valids = append(valids, s.Name)
		}
	}
	for _, name := range valids {
		prefix := strings.TrimSuffix(name, "valid")
		ready, ok := ports[prefix+"ready"]
		if !ok || len(m.Clocks) == 0 {
			continue
		}
		e := &ir.Event{Name: strings.TrimSuffix(prefix, "_") + Suffix, Clock: m.Clocks[0], Pos: m.Pos, When: and(read(ports[name]), read(ready))}
		for _, f := range fields {
			if s := ports[prefix+f]; s != nil && s.Width <= ir.MaxEventField {
				e.Fields = append(e.Fields, ir.EventField{Name: f, Value: read(s)})
			}
		}
		if slices.ContainsFunc(m.Events, func(o *ir.Event) bool { return o.Name == e.Name }) {
			continue
		}
		m.Events = append(m.Events, e)
	}
}

// fields are what is shown of a payload, where it has it.
var fields = []string{"qp", "psn", "last", "tlast", "wlast", "rlast", "arid", "araddr", "arlen", "awid", "awaddr", "awlen", "rid", "bid", "len", "id", "addr", "index", "opcode", "kind", "skip", "awaddr", "araddr"}

func read(s *ir.Signal) *ir.Node {
	return &ir.Node{Op: ir.OpSignal, Width: s.Width, Signal: s, Module: s.Module, Pos: s.Pos}
}

func and(a, b *ir.Node) *ir.Node {
	return &ir.Node{Op: ir.OpAnd, Width: 1, Args: []*ir.Node{a, b}, Module: a.Module, Pos: a.Pos}
}
