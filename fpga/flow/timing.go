package flow

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"gornic/fpga/netlist"
)

// A routed is nextpnr's report.
type routed struct {
	Used map[string]Used `json:"utilization"`
	Fmax map[string]struct {
		Achieved   float64 `json:"achieved"`   // MHz
		Constraint float64 `json:"constraint"` // MHz
	} `json:"fmax"`
	Paths []routedPath `json:"critical_paths"`
}

// A routedPath is the longest path from an edge of one clock to one of another, or the same.
type routedPath struct {
	From string    `json:"from"` // "posedge NET"
	To   string    `json:"to"`
	Path []segment `json:"path"`
}

type segment struct {
	Delay float64 `json:"delay"` // ns
	Type  string  `json:"type"`  // "routing": along Net; others: in a cell
	Net   string  `json:"net"`
	To    struct {
		Cell string `json:"cell"`
	} `json:"to"`
}

// readTiming completes the report with what nextpnr found.
func (r *Report) readTiming(path string, clocks []Clock) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var found routed
	if err := json.Unmarshal(text, &found); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	r.Used, r.Clocks = found.Used, nil
	for _, c := range clocks {
		report := ClockReport{Name: c.Name, Runs: float64(c.Hz) / 1e6, Needs: c.MHz()}
		bit, ok := r.bit(c.Name)
		if !ok {
			return fmt.Errorf("clock %s: the netlist has no such net", c.Name)
		}
		for _, name := range slices.Sorted(maps.Keys(found.Fmax)) {
			f := found.Fmax[name]
			if b, ok := r.bit(name); ok && b == bit {
				if math.Abs(f.Constraint-report.Needs) > 0.01*report.Needs {
					return fmt.Errorf("clock %s: nextpnr was asked for %.2f MHz in place of %.2f", c.Name, f.Constraint, report.Needs)
				}
				report.Reaches = f.Achieved
				report.Path = r.hops(found.longest(name))
			}
		}
		r.Clocks = append(r.Clocks, report)
	}
	return r.unknown(found, clocks)
}

// unknown refuses clocks that the target does not have: nobody asked for their frequency.
func (r *Report) unknown(found routed, clocks []Clock) error {
	known := map[netlist.Bit]bool{}
	for _, c := range clocks {
		bit, _ := r.bit(c.Name)
		known[bit] = true
	}
	for _, name := range slices.Sorted(maps.Keys(found.Fmax)) {
		if bit, ok := r.bit(name); !ok || !known[bit] {
			return fmt.Errorf("clock %s has no frequency in the target", name)
		}
	}
	return nil
}

// bit is the net of a clock, which may have several names.
func (r *Report) bit(name string) (netlist.Bit, bool) {
	name = strings.TrimPrefix(name, "$glbnet$")
	name, _, _ = strings.Cut(name, "$TRELLIS_IO")
	if net, ok := r.netlist.Nets[name]; ok && len(net.Bits) == 1 {
		return net.Bits[0], true
	}
	return 0, false
}

// longest is the longest path from a clock to itself.
func (f *routed) longest(clock string) []segment {
	var longest []segment
	for _, p := range f.Paths {
		if edgeOf(p.From) == clock && edgeOf(p.To) == clock && delay(p.Path) > delay(longest) {
			longest = p.Path
		}
	}
	return longest
}

// edgeOf is the clock of an edge.
func edgeOf(edge string) string {
	_, name, _ := strings.Cut(edge, " ")
	return name
}

func delay(path []segment) float64 {
	sum := 0.0
	for _, s := range path {
		sum += s.Delay
	}
	return sum
}

// hops puts a path in terms of the source.
func (r *Report) hops(path []segment) []Hop {
	var hops []Hop
	add := func(name string, logic, wire float64) {
		place := r.source.Find(name)
		if n := len(hops); n > 0 && hops[n-1].Place == place {
			hops[n-1].Cells++
			hops[n-1].Logic += logic
			hops[n-1].Wire += wire
			return
		}
		hops = append(hops, Hop{Place: place, Cells: 1, Logic: logic, Wire: wire})
	}
	logic := 0.0
	for i, s := range path {
		switch {
		case s.Type == "routing":
			add(s.Net, logic, s.Delay)
			logic = 0
		case i == len(path)-1: // what the register or the memory at the end wants beforehand
			add(s.To.Cell, logic+s.Delay, 0)
		default:
			logic += s.Delay
		}
	}
	return hops
}
