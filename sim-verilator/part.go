package verilator

import (
	"fmt"
	"slices"
	"strings"

	"gornic/hdl/ir"
	"gornic/hdl/sim"
	"gornic/hdl/verilog"
)

// Of a large design most parts stand still in most cycles, and evaluating them takes nearly all of the time. So each
// instance of the top has a clock of its own, which the shim holds while the part is at rest.
//
// A part rests at an edge if the edge before it started from the same: since before that one, no register in it has changed,
// nor the data of a read, nor its inputs, nor the reset, and no memory in it was being written. What an edge does follows
// from these alone, so this one would change nothing either, and would count the same covers. The part wakes when an input
// or the reset is not as it was. shim/parts.cpp decides; here is what it needs to know of each part.

// partNames is a part: what the shim looks at, as paths in Verilog.
type partNames struct {
	clk    string      // port of the top
	inputs []partValue // wires with the values of its inputs
	writes []partValue // wires that are one where a memory is written
	state  []partValue // registers, and the data of reads
	covers []int       // numbers of its covers among those of the design
}

type partValue struct {
	path  string
	width int
}

// partsWorth is how many parts a design has at least for which clocks of their own pay: what is busy all the time, as a
// block on its own is in a test, only gets slower by them.
const partsWorth = 16

// partsOf chooses the instances of the top that get a clock of their own: none in small designs.
func partsOf(d *ir.Design) []*ir.Instance {
	if len(d.Top.Clocks) != 1 {
		return nil
	}
	var parts []*ir.Instance
	for _, inst := range d.Top.Instances {
		if canRest(d, inst) {
			parts = append(parts, inst)
		}
	}
	if len(parts) < partsWorth {
		return nil
	}
	return parts
}

// canRest tells that all state of an instance can be looked at, and that it has some. The model of a black box may be
// anything, and instances of properties are not always there.
func canRest(d *ir.Design, inst *ir.Instance) bool {
	if len(inst.Clocks) != 1 || slices.ContainsFunc(inst.Ports, func(s *ir.Signal) bool { return s.Ghost }) {
		return false
	}
	taken := func(s *ir.Signal) bool { return verilog.Name(s) == verilog.ClockOf(inst) }
	if slices.ContainsFunc(d.Top.Signals, taken) {
		return false
	}
	hardware := false
	for _, m := range inside(d, inst) {
		if m.External {
			return false
		}
		hardware = hardware || slices.ContainsFunc(m.Signals, func(s *ir.Signal) bool { return isState(s) && !s.Ghost })
	}
	return hardware
}

func isState(s *ir.Signal) bool { return s.Kind == ir.Reg || s.Kind == ir.ReadData }

// inside lists the modules of an instance of the top.
func inside(d *ir.Design, inst *ir.Instance) []*ir.Module {
	var all []*ir.Module
	for _, m := range d.All {
		if m.Path == inst.Name || strings.HasPrefix(m.Path, inst.Name+".") {
			all = append(all, m)
		}
	}
	return all
}

// describeParts names what the shim looks at, in the Verilog of a design that was printed withPartWires.
func describeParts(d *ir.Design, parts []*ir.Instance, files []verilog.File, events, checks bool) []partNames {
	wires := findPartWires(d, parts, files, events)
	covers := coversOf(d, parts, checks)
	var all []partNames
	for i, inst := range parts {
		p := partNames{clk: verilog.ClockOf(inst), inputs: wires.inputsOf(i, inst), covers: covers[i]}
		for _, m := range inside(d, inst) {
			p.writes = append(p.writes, wires.writesOf(m, checks)...)
			for _, s := range m.Signals {
				if isState(s) && (checks || !s.Ghost) {
					p.state = append(p.state, partValue{joined(m.Path, verilog.Name(s)), s.Width})
				}
			}
		}
		all = append(all, p)
	}
	return all
}

// coversOf lists the numbers of the covers in each part.
func coversOf(d *ir.Design, parts []*ir.Instance, checks bool) [][]int {
	all := make([][]int, len(parts))
	if !checks {
		return all
	}
	number := 0
	for _, c := range sim.Checks(d) {
		if c.Kind != ir.Cover {
			continue
		}
		top, _, _ := strings.Cut(c.Module.Path, ".")
		if i := slices.IndexFunc(parts, func(inst *ir.Instance) bool { return inst.Name == top }); i >= 0 {
			all[i] = append(all[i], number)
		}
		number++
	}
	return all
}

// writeParts writes a line for each part, and lines for what is in it after that.
func (r *recipe) writeParts(table *strings.Builder, kept map[string]int) error {
	for _, p := range r.text.parts {
		fmt.Fprintf(table, "PART(%s)\n", mangle(p.clk))
		for _, list := range []struct {
			kind   string
			values []partValue
		}{{"INPUT", p.inputs}, {"WRITE", p.writes}, {"STATE", p.state}} {
			for _, v := range list.values {
				name := r.text.member(v.path)
				if kept[name] != v.width {
					return fmt.Errorf("%s of a part is not in the C++", name)
				}
				fmt.Fprintf(table, "PART_%s(%s, %d)\n", list.kind, name, v.width)
			}
		}
		for _, n := range p.covers {
			fmt.Fprintf(table, "PART_COVER(%d)\n", n)
		}
	}
	return nil
}

// partActivity is how many edges the parts of a design have had, and how many of these were evaluated.
type partActivity struct{ edges, evaluated uint64 }

func (b *backend) partActivity() partActivity {
	words := make([]uint64, 2)
	call(b.readActivity, b.handle, uintptr(at(words)))
	return partActivity{words[0], words[1]}
}
