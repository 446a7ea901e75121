package netlist

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// flipFlops prints a block for all flip-flops with one clock, reset and enable.
func (w *writer) flipFlops() {
	groups := slices.SortedFunc(maps.Keys(w.groups), func(a, b flipFlop) int {
		return cmp.Or(cmp.Compare(a.clock, b.clock), cmp.Compare(a.reset, b.reset), cmp.Compare(a.enable, b.enable))
	})
	for _, f := range groups {
		w.block(f, w.groups[f])
	}
}

func (w *writer) block(f flipFlop, states []state) {
	fmt.Fprintf(&w.body, "always @(posedge %s) begin\n", f.clock)
	if f.reset != constant(false) {
		fmt.Fprintf(&w.body, "if (%s) begin\n", f.reset)
		for _, s := range states {
			fmt.Fprintf(&w.body, "n%d <= %s;\n", s.q, s.preset)
		}
		fmt.Fprint(&w.body, "end else ")
	}
	fmt.Fprintf(&w.body, "if (%s) begin\n", f.enable)
	for _, s := range states {
		fmt.Fprintf(&w.body, "n%d <= %s;\n", s.q, s.next)
	}
	fmt.Fprint(&w.body, "end\nend\n")
}
