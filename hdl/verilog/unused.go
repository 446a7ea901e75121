package verilog

import (
	"fmt"

	"gornic/hdl/ir"
)

// printUnused gathers every bit that nothing reads in one wire, so that no
// linter wonders about it: bits of the hardware that it does not read, or bits of
// the state of properties.
func (e *module) printUnused(ghost bool) {
	l, r, name := &e.hardware, e.findReads(&e.hardware), "unused"
	var list []string
	if ghost {
		l, r, name = &e.checks, e.findReads(&e.hardware, &e.checks), "unused_by_properties"
	} else {
		list = e.unusedClocks()
	}
	for _, s := range e.ir.Signals {
		switch s.Kind {
		case ir.Output, ir.ChildInput:
			continue
		case ir.Wire:
			if e.folded[s] {
				continue
			}
		case ir.ChildOutput:
			if e.joined[s] != nil {
				continue
			}
		}
		if s.Ghost == ghost {
			list = append(list, unread(Name(s), s.Width, r.signals[s])...)
		}
	}
	for _, n := range l.visited {
		if w := e.wires[n]; w != nil {
			list = append(list, unread(w.name, n.Width, r.wires[n])...)
		}
	}
	if len(list) == 0 {
		return
	}
	e.out.blank()
	lead := "wire " + e.scope.take(name) + " = &{1'b0"
	for i, item := range list {
		list[i] = ", " + item
	}
	line := lead
	for _, item := range list {
		line += item
	}
	if len(line) < widest-8 {
		e.out.plain(line + "};")
		return
	}
	e.out.plain(lead + ",")
	e.nested(func() {
		terms := make([]string, len(list))
		for i, item := range list {
			terms[i] = item[2:] + comma(i, len(list))
		}
		for _, l := range filledLines(terms, "", widest-8) {
			e.out.plain(l)
		}
	})
	e.out.plain("};")
}

// unread returns the unread parts of a name.
func unread(name string, width int, read []bool) []string {
	if read == nil {
		return []string{name}
	}
	var list []string
	for hi := width - 1; hi >= 0; hi-- {
		if read[hi] {
			continue
		}
		lo := hi
		for lo > 0 && !read[lo-1] {
			lo--
		}
		if hi == lo {
			list = append(list, fmt.Sprintf("%s[%d]", name, hi))
		} else {
			list = append(list, fmt.Sprintf("%s[%d:%d]", name, hi, lo))
		}
		hi = lo
	}
	return list
}

// unusedClocks returns the clock and reset ports that no register, memory or
// instance uses.
func (e *module) unusedClocks() []string {
	clocks, resets := map[*ir.Clock]bool{}, map[*ir.Clock]bool{}
	for _, it := range e.items {
		clocks[it.clock] = true
		resets[it.clock] = resets[it.clock] || it.reset
	}
	for _, r := range e.ir.Memories {
		if r.Ghost {
			continue
		}
		for _, p := range r.Reads {
			clocks[p.Clock] = true
		}
		for _, p := range r.Writes {
			clocks[p.Clock] = true
		}
	}
	for _, inst := range e.ir.Instances {
		for c, parent := range inst.Clocks {
			if !ghostInstance(inst) {
				clocks[parent] = true
				resets[parent] = resets[parent] || c.Rst != ""
			}
		}
	}
	var list []string
	for _, c := range e.ir.Clocks {
		if !clocks[c] {
			list = append(list, c.Clk)
		}
		if !resets[c] && c.Rst != "" {
			list = append(list, c.Rst)
		}
	}
	return list
}
