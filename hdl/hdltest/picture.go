package hdltest

import (
	"fmt"
	"strings"

	"gornic/hdl"
	"gornic/hdl/sim"
)

// A Row is a line of a [Picture]: a port of at most 64 bits, and what to call it.
type Row struct {
	Name string
	Port hdl.Bits
	When hdl.Bits // a port of one bit: where it is zero, Port means nothing; none: Port always means something
}

// in is the row in the present cycle.
func (r Row) in(s *sim.Sim) string {
	if r.When.Width() > 0 && s.Get(r.When) == 0 {
		return "."
	}
	return fmt.Sprintf("%x", s.Get(r.Port))
}

// Picture runs the simulation for some cycles of its first clock and returns what
// the ports were in each, before its edge, in hexadecimal: a column a cycle, from 0
// on. With an Example's Output, or [Golden], a test then shows its reader what
// happens:
//
//	cycle     0 1 2 3
//	in_valid  1 1 0 0
//	out_data  . . 5 6
func Picture(s *sim.Sim, cycles int, rows ...Row) string {
	lines := make([][]string, 1+len(rows))
	lines[0] = []string{"cycle"}
	for i, r := range rows {
		lines[i+1] = []string{r.Name}
	}
	for c := range cycles {
		lines[0] = append(lines[0], fmt.Sprint(c))
		for i, r := range rows {
			lines[i+1] = append(lines[i+1], r.in(s))
		}
		s.Step()
	}
	return table(lines)
}

// table aligns columns, the first one to the left, the others to the right.
func table(lines [][]string) string {
	widths := make([]int, len(lines[0]))
	for _, l := range lines {
		for i, cell := range l {
			widths[i] = max(widths[i], len(cell))
		}
	}
	var b strings.Builder
	for _, l := range lines {
		fmt.Fprintf(&b, "%-*s ", widths[0], l[0])
		for i, cell := range l[1:] {
			fmt.Fprintf(&b, " %*s", widths[i+1], cell)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
