package verilog

import (
	"fmt"
	"slices"

	"gornic/hdl/ir"
)

// printUnused gathers every bit of the hardware that it does not read in one
// wire, so that no linter wonders about it.
func (e *module) printUnused() {
	e.gather("unused", append(e.unusedClocks(), e.unreadOf(&e.hardware, e.findReads(&e.hardware))...))
}

// printUnusedByProperties does the same for the state of properties.
func (e *module) printUnusedByProperties() {
	e.gather("unused_by_properties", e.unreadOf(&e.checks, e.findReads(&e.hardware, &e.checks)))
}

// printUnusedByEvents does it for what only the conditions of properties read,
// which events have no use for.
func (e *module) printUnusedByEvents() {
	r := e.findReads(&e.hardware, e.stateLayer(), &e.events)
	r.unless = e.findReads(&e.hardware, &e.checks) // the others are gathered above
	e.gather("unused_by_events", e.unreadOf(&e.checks, r))
}

// unreadOf lists the bits of the signals and wires of a layer that are not read.
func (e *module) unreadOf(l *layer, r *reads) []string {
	var list []string
	for _, s := range e.ir.Signals {
		if e.isClock(s) {
			continue
		}
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
		if s.Ghost == (l.kind == ofProperties) {
			list = append(list, unread(Name(s), s.Width, r.signal(s))...)
		}
	}
	for _, n := range l.visited {
		if w := e.wires[n]; w != nil {
			list = append(list, unread(w.name, n.Width, r.wire(n))...)
		}
	}
	return list
}

// isClock reports whether a wire is the clock or the reset of a domain.
func (e *module) isClock(s *ir.Signal) bool {
	return s.Kind == ir.Wire && slices.ContainsFunc(e.ir.Made, func(c *ir.Clock) bool { return s.Name == c.Clk || s.Name == c.Rst })
}

// gather prints a wire that reads all in the list.
func (e *module) gather(name string, list []string) {
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
		switch {
		case width == 1: // which has no bits to select
			list = append(list, name)
		case hi == lo:
			list = append(list, fmt.Sprintf("%s[%d]", name, hi))
		default:
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
