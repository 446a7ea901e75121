package verilog

import (
	"slices"

	"gornic/hdl/ir"
)

// connect decides which ports of instances need no wire of their own: outputs
// that do nothing but drive an output or wire of this module, and inputs that
// are assigned once.
func (e *module) connect() {
	set := unconditional(e.ir.Body)
	taken := map[*ir.Signal]bool{}
	for _, s := range e.ir.Signals {
		a := set[s]
		if a == nil || s.Kind != ir.Output && s.Kind != ir.Wire || a.Value.Op != ir.OpSignal {
			continue
		}
		if from := a.Value.Signal; from.Kind == ir.ChildOutput && e.joined[from] == nil && !taken[s] {
			e.joined[from] = s
			taken[s] = true
		}
	}
	e.foldAliases(set, taken)
	read := readSignals(e.ir)
	for _, s := range e.ir.Signals {
		a := set[s]
		if a == nil || s.Kind != ir.ChildInput {
			continue
		}
		if read[s] && !simple(a.Value) {
			continue
		}
		e.low.alias[s], e.direct[s] = a.Value, a.Value
	}
}

// foldAliases takes out the wires of bundles that do nothing but pass a signal
// on, as a stream does that goes by another name between two parts. Wires that the
// author named one by one stay.
func (e *module) foldAliases(set map[*ir.Signal]*ir.Assign, taken map[*ir.Signal]bool) {
	for _, s := range e.ir.Signals {
		a := set[s]
		if a == nil || !s.Field || s.Ghost || taken[s] || a.Value.Op != ir.OpSignal || s.Enum != a.Value.Signal.Enum {
			continue
		}
		if !e.dependsOn(a.Value, s) {
			e.low.alias[s] = a.Value
			e.folded[s] = true
		}
	}
}

// dependsOn reports whether a read of a signal stands for a read of s: in a
// loop of wires, which package check reports, one has to stay.
func (e *module) dependsOn(n *ir.Node, s *ir.Signal) bool {
	for n != nil && n.Op == ir.OpSignal {
		if n.Signal == s {
			return true
		}
		n = e.low.alias[n.Signal]
	}
	return false
}

// simple reports whether a value can stand for a pin wherever that is read:
// a constant, a signal or a slice of one.
func simple(n *ir.Node) bool {
	switch n.Op {
	case ir.OpConst:
		return true
	case ir.OpSignal:
		return n.Signal.Kind != ir.ChildInput
	case ir.OpSlice:
		return n.Args[0].Op == ir.OpSignal && simple(n.Args[0])
	}
	return false
}

// unconditional returns the targets that one assignment decides.
func unconditional(b *ir.Block) map[*ir.Signal]*ir.Assign {
	set := map[*ir.Signal]*ir.Assign{}
	for _, s := range b.Stmts {
		a, plain := s.(*ir.Assign)
		for _, t := range targetsOf(s, nil) {
			if plain {
				set[t] = a
			} else {
				set[t] = nil
			}
		}
	}
	return set
}

// pinRoots returns the expressions at the inputs of an instance.
func (e *module) pinRoots(inst *ir.Instance) []root {
	var list []root
	for _, s := range inst.Ports {
		if n := e.pin(s); n != nil {
			// Yosys takes $unsigned at a pin for an inconsistency.
			list = append(list, root{node: n, base: Name(s), indexed: n.Op == ir.OpSar})
		}
	}
	return list
}

// pin returns what an input of an instance is connected to; nil for an output.
func (e *module) pin(s *ir.Signal) *ir.Node {
	if s.Kind != ir.ChildInput {
		return nil
	}
	if n := e.direct[s]; n != nil {
		return e.low.lower(n)
	}
	return e.readOf(s)
}

// readOf returns a read of a signal, always the same node.
func (e *module) readOf(s *ir.Signal) *ir.Node {
	if e.pins[s] == nil {
		e.pins[s] = &ir.Node{Op: ir.OpSignal, Width: s.Width, Signal: s, Module: e.ir}
	}
	return e.pins[s]
}

// ClockOf is the name of the clock port of the top for an instance of
// [Options].Clocked.
func ClockOf(inst *ir.Instance) string { return "clk_" + inst.Name }

// clockInto is what is connected to a clock of a child.
func (e *module) clockInto(inst *ir.Instance, c *ir.Clock) string {
	if slices.Contains(e.opts.Clocked, inst) {
		return ClockOf(inst)
	}
	return inst.Clocks[c].Clk
}

func (e *module) printInstance(inst *ir.Instance) {
	e.out.blank()
	var pins []*ir.Node
	for _, s := range inst.Ports {
		if n := e.pin(s); n != nil {
			pins = append(pins, n)
		}
	}
	e.say(e.over(inst.Pos, pins...))
	child := inst.Module
	var rows [][]string
	for _, c := range child.Clocks {
		rows = append(rows, []string{"." + c.Clk, "(" + e.clockInto(inst, c) + ")"})
		if c.Rst != "" {
			rows = append(rows, []string{"." + c.Rst, "(" + inst.Clocks[c].Rst + ")"})
		}
	}
	for _, s := range inst.Ports {
		value := e.net(s)
		if n := e.pin(s); n != nil {
			value = e.text(n, mode{enum: e.enumOfSignal(s)})
		}
		rows = append(rows, []string{"." + Name(s.Port), "(" + value + ")"})
	}
	for _, a := range child.Attrs {
		e.out.plain("(* " + a.Name + " = " + a.Value + " *)")
	}
	name := legal(e.ir, inst.Name)
	if child.External && len(child.Params) > 0 {
		e.out.add(inst.Pos, child.Name+" #(")
		e.nested(func() { e.printParams(child.Params) })
		e.out.plain(") " + name + " (")
	} else {
		e.out.add(inst.Pos, child.Name+" "+name+" (")
	}
	e.nested(func() {
		for i, l := range columns(rows) {
			e.out.plain(l + comma(i, len(rows)))
		}
	})
	e.out.plain(");")
	e.out.blank()
}

func (e *module) printParams(params []ir.Param) {
	rows := make([][]string, len(params))
	for i, p := range params {
		rows[i] = []string{"." + p.Name, "(" + p.Value + ")"}
	}
	for i, l := range columns(rows) {
		e.out.plain(l + comma(i, len(rows)))
	}
}
