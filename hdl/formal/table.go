package formal

import (
	"fmt"
	"strings"
)

const (
	tableCycles  = 6  // at most so many columns,
	tableSignals = 14 // rows,
	tableWidth   = 110
)

// Table shows the last cycles of what decides over the given properties: what they read, the ports and registers behind
// it, then what decides over those, nearest first.
func (t *Trace) Table(about ...Property) string {
	rows := t.relevant(about, tableSignals)
	first := max(0, t.Cycles-tableCycles)
	for first < t.Cycles-2 && t.tableWidth(rows, first) > tableWidth {
		first++
	}
	var text strings.Builder
	fmt.Fprintf(&text, "the last %d of %d cycles %s:\n", t.Cycles-first, t.Cycles, t.origin())
	for _, line := range t.cells(rows, first).lines() {
		text.WriteString("    " + line + "\n")
	}
	return text.String()
}

func (t *Trace) tableWidth(rows []int, first int) int {
	width := 0
	for _, w := range t.cells(rows, first).widths() {
		width += w + 2
	}
	return width
}

func (t *Trace) cells(rows []int, first int) grid {
	head := []string{"cycle"}
	for c := first; c < t.Cycles; c++ {
		head = append(head, fmt.Sprint(c))
	}
	g := grid{head}
	for _, i := range rows {
		line := []string{t.Signals[i].Path}
		for c := first; c < t.Cycles; c++ {
			line = append(line, t.Signals[i].Text(c))
		}
		g = append(g, line)
	}
	return g
}

// A grid is text in rows and columns.
type grid [][]string

func (g grid) widths() []int {
	widths := make([]int, len(g[0]))
	for _, row := range g {
		for i, cell := range row {
			widths[i] = max(widths[i], len(cell))
		}
	}
	return widths
}

// lines aligns the first column to the left, the others to the right.
func (g grid) lines() []string {
	widths := g.widths()
	var lines []string
	for _, row := range g {
		line := fmt.Sprintf("%-*s", widths[0], row[0])
		for i, cell := range row[1:] {
			line += fmt.Sprintf("  %*s", widths[i+1], cell)
		}
		lines = append(lines, line)
	}
	return lines
}
