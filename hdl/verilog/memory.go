package verilog

import (
	"fmt"

	"gornic/hdl/ir"
)

// declareMemories declares the arrays, with what they are to be made of. A
// memory whose collisions are undefined, or that forwards what is written, says
// no_rw_check, so that Yosys adds no logic for them.
func (e *module) declareMemories(t *text, ghost bool) {
	for _, r := range e.ir.Memories {
		if r.Ghost != ghost {
			continue
		}
		t.blank()
		crossing := severalWriters(r)
		if crossing {
			t.plain("/* verilator lint_off MULTIDRIVEN */ // two ports")
		}
		if !ghost {
			t.plain("(* " + memoryAttributes(r) + " *)")
		}
		width := span(r.Width)
		if width != "" {
			width += " "
		}
		e.declareOne(t, r.Pos, fmt.Sprintf("reg %s%s [0:%d];", width, e.memory(r), r.Depth-1), true)
		if crossing {
			t.plain("/* verilator lint_on MULTIDRIVEN */")
		}
	}
}

// memoryAttributes says what a memory is to be made of.
func memoryAttributes(r *ir.Memory) string {
	switch {
	case r.Async:
		return `ram_style = "distributed"`
	case r.Collide == ir.ReadOld:
		return `ram_style = "block"`
	}
	return `no_rw_check, ram_style = "block"`
}

// severalWriters reports whether more than one always block writes a memory.
func severalWriters(r *ir.Memory) bool {
	for _, w := range r.Writes {
		if w.Clock != r.Writes[0].Clock {
			return true
		}
	}
	return dualPort(r) && len(r.Writes) > 1
}

// dualPort reports whether a memory has a port that both reads and writes.
func dualPort(r *ir.Memory) bool {
	for _, p := range r.Reads {
		if p.Shared != nil {
			return true
		}
	}
	return false
}

// A memory's ports with lowered inputs.
type writePort struct {
	*ir.WritePort
	addr, en, data, lanes *ir.Node
	loop                  string // variable of the loop over lanes
}

type readPort struct {
	*ir.ReadPort
	addr, en *ir.Node
}

func (e *module) writePort(w *ir.WritePort) *writePort {
	p := &writePort{WritePort: w, addr: e.low.lower(w.Addr), en: e.low.lower(w.En), data: e.low.lower(w.Data)}
	if w.Lanes != nil {
		p.lanes = e.low.lower(w.Lanes)
	}
	return p
}

func (e *module) readPort(r *ir.ReadPort) *readPort {
	return &readPort{ReadPort: r, addr: e.low.lower(r.Addr), en: e.low.lower(r.En)}
}

func (e *module) memoryRoots(r *ir.Memory) []root {
	var list []root
	add := func(n *ir.Node, what string, breakable bool) *root {
		list = append(list, root{node: n, base: r.Name + "_" + what, breakable: breakable})
		return &list[len(list)-1]
	}
	for _, w := range r.Writes {
		p := e.writePort(w)
		add(p.en, "write", true)
		add(p.addr, "write_addr", false).indexed = !indexes(p.addr)
		indexed := p.lanes != nil && r.Lane < r.Width
		add(p.data, "write_data", true).indexed = indexed
		if p.lanes != nil {
			add(p.lanes, "write_lanes", false).indexed = indexed
		}
	}
	for _, rd := range r.Reads {
		p := e.readPort(rd)
		add(p.en, "read", true)
		add(p.addr, "read_addr", false).indexed = !indexes(p.addr)
	}
	return list
}

// printMemory writes the ports of a memory in the shape that synthesis tools
// know: one block for the writes of a clock, one for each read; a true dual-port
// memory has one block for each port.
func (e *module) printMemory(r *ir.Memory) {
	e.out.blank()
	if dualPort(r) {
		e.printDualPort(r)
		return
	}
	for i, w := range r.Writes {
		if firstOfClock(r.Writes, i) {
			var writes []*ir.WritePort
			for _, other := range r.Writes {
				if other.Clock == w.Clock {
					writes = append(writes, other)
				}
			}
			e.printPort(r, w.Clock, writes, nil)
		}
	}
	for _, p := range r.Reads {
		e.printPort(r, p.Clock, nil, p)
	}
}

func firstOfClock(writes []*ir.WritePort, i int) bool {
	for _, w := range writes[:i] {
		if w.Clock == writes[i].Clock {
			return false
		}
	}
	return true
}

func (e *module) printDualPort(r *ir.Memory) {
	shared := map[*ir.WritePort]bool{}
	for _, p := range r.Reads {
		if p.Shared == nil {
			e.printPort(r, p.Clock, nil, p)
			continue
		}
		shared[p.Shared] = true
		e.printPort(r, p.Clock, []*ir.WritePort{p.Shared}, p)
	}
	for _, w := range r.Writes {
		if !shared[w] {
			e.printPort(r, w.Clock, []*ir.WritePort{w}, nil)
		}
	}
}

// printPort writes one always block.
func (e *module) printPort(r *ir.Memory, clock *ir.Clock, writes []*ir.WritePort, read *ir.ReadPort) {
	e.out.blank()
	ports := make([]*writePort, len(writes))
	for i, w := range writes {
		ports[i] = e.writePort(w)
		ports[i].loop = e.laneLoop(r, ports[i])
	}
	var f *forwarding
	if read != nil && r.Collide == ir.ReadNew {
		f = e.forward(r, read)
	}
	for _, p := range ports {
		e.say(e.over(p.Pos, p.en, p.addr, p.data))
	}
	if read != nil {
		e.say(e.src.over(read.Pos, true))
	}
	e.out.plain("always @(posedge " + clock.Clk + ") begin")
	e.nested(func() {
		for _, p := range ports {
			e.printWrite(r, p)
		}
		if read != nil {
			e.printRead(r, e.readPort(read), f)
		}
	})
	e.out.plain("end")
	if f != nil {
		e.printForwarded(r, read, f)
	}
}

// laneLoop declares the variable of a loop over the lanes of a port.
func (e *module) laneLoop(r *ir.Memory, p *writePort) string {
	if p.lanes == nil || r.Width == r.Lane {
		return ""
	}
	name := e.scope.take("lane")
	e.out.plain("integer " + name + ";")
	return name
}

// when prints body under a condition; a condition that is always one is left
// out.
func (e *module) when(cond *ir.Node, pos ir.Pos, body func()) {
	if isConst(cond) && !cond.Const.IsZero() {
		body()
		return
	}
	e.out.add(pos, e.wrapped("if (", cond, mode{condition: true}, ") begin", false))
	e.nested(body)
	e.out.plain("end")
}

func (e *module) printWrite(r *ir.Memory, p *writePort) {
	word := e.memory(r) + "[" + e.text(p.addr, mode{}) + "]"
	e.when(p.en, p.Pos, func() { e.printLanes(r, p, word) })
}

// printLanes assigns the written lanes of a port's data to a word.
func (e *module) printLanes(r *ir.Memory, p *writePort, word string) {
	switch {
	case p.lanes == nil:
		e.out.add(p.Pos, e.wrapped(word+" <= ", p.data, mode{}, ";", false))
	case p.loop == "":
		e.when(p.lanes, p.Pos, func() { e.out.add(p.Pos, e.wrapped(word+" <= ", p.data, mode{}, ";", false)) })
	default:
		part := lanePart(r, p.loop)
		e.printLoop(p.loop, p.lanes.Width, func() {
			e.out.plain("if (" + e.text(p.lanes, mode{}) + "[" + p.loop + "]) begin")
			e.nested(func() { e.out.add(p.Pos, word+part+" <= "+e.text(p.data, mode{})+part+";") })
			e.out.plain("end")
		})
	}
}

func (e *module) printRead(r *ir.Memory, p *readPort, f *forwarding) {
	data := Name(p.Data)
	if f != nil {
		data = f.stored
	}
	e.when(p.en, p.Pos, func() {
		e.out.add(p.Pos, data+" <= "+e.memory(r)+"["+e.text(p.addr, mode{})+"];")
		if f != nil {
			e.printHits(r, p, f)
		}
	})
}
