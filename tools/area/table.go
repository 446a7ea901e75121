package main

import (
	"fmt"
	"io"
)

// A row is the size of one block at one width in one family.
type row struct {
	Block  string `json:"block"`
	Width  int    `json:"width"` // bits
	Family string `json:"family"`
	Size
	Verdict string `json:"verdict"` // "ok", or what is over budget
}

const rowFormat = "%-34s %5s %7s %7s %6s %7s %7s %6s  %s\n"

func writeHead(w io.Writer, version string) {
	fmt.Fprintf(w, "Yosys %s. Block RAM in DP16KD (ecp5) or RAMB36 (xcup); depth in cells, a carry chain counting as one.\n", version)
	fmt.Fprintf(w, rowFormat, "block", "bits", "LUT", "FF", "carry", "LUTRAM", "RAM", "depth", "")
}

func (r row) write(w io.Writer) {
	fmt.Fprintf(w, rowFormat, r.Block+" "+r.Family, fmt.Sprint(r.Width), fmt.Sprint(r.LUT), fmt.Sprint(r.FF), fmt.Sprint(r.Carry),
		fmt.Sprint(r.LUTRAM), fmt.Sprint(r.RAM), fmt.Sprint(r.Depth), r.Verdict)
}

// writePath prints the longest way, a cell a line.
func (r row) writePath(w io.Writer) {
	for i, at := range r.Path {
		fmt.Fprintf(w, "    %2d  %s\n", i, at)
	}
}

// writePeers prints the peers of some blocks under the table.
func writePeers(w io.Writer, wanted func(block string) bool) {
	fmt.Fprintln(w, "\nOthers, measured for xcup by Yosys 0.23; their depth counts each cell of a carry chain:")
	for _, p := range peers {
		if wanted(p.like) {
			fmt.Fprintf(w, "%-12s %4d  %-52s %6d LUT %6d FF   depth %d\n", p.like, p.width, p.name, p.LUT, p.FF, p.Depth)
		}
	}
}
