// Package hops measures how long each block of the core takes, in the RTL: from what is given to it to what it gives to
// the next, in single operations between idle hosts. A block whose latency has changed is named by its hops.
//
// Start with [All], the hops, and [Measure], which finds them in what a run on the RTL
// was seen to do in the streams between blocks (record.Streams).
package hops

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gornic/hdl/sim"

	"gornic/cycle/calibrate/probe"
)

// Hop is the way of something through one block and the wiring behind it.
type Hop struct {
	Block    string // folder of the block, or the instance where there are two
	Name     string
	From, To Point
}

// String is block and name, such as "gather.burst".
func (h Hop) String() string { return h.Block + "." + h.Name }

// Point is a place where something passes, in a cycle: "gather.piece" for a stream of the instance u_gather, "tx_beat" for an event at
// the core's ports; with a condition on a field behind it, as in "rx_beat last=1".
type Point string

// event is the path and the name of the event, and the condition.
func (p Point) event() (path, name, field string, value uint64) {
	where, condition, _ := strings.Cut(string(p), " ")
	if condition != "" {
		field, condition, _ = strings.Cut(condition, "=")
		if _, err := fmt.Sscan(condition, &value); err != nil {
			return "", "", "", 0
		}
	}
	block, stream, inside := strings.Cut(where, ".")
	if !inside {
		return "", where, field, value
	}
	return "u_" + strings.TrimPrefix(block, "u_"), stream + probe.Suffix, field, value
}

// cycles are those in which something passes.
func (p Point) cycles(trace []sim.Event) []uint64 {
	path, name, field, value := p.event()
	var all []uint64
	for _, e := range trace {
		if e.Path != path || e.Name != name {
			continue
		}
		if v, ok := e.Get(field); field == "" || ok && v == value {
			all = append(all, e.Cycle)
		}
	}
	return all
}

// Measured is a hop and the fewest cycles that it took, -1 if it was not seen.
type Measured struct {
	Hop
	Cycles int
}

// Measure measures hops in the streams of the nodes of some runs, from a cycle on in each.
func Measure(all []Hop, traces ...[]sim.Event) []Measured {
	result := make([]Measured, len(all))
	for i, h := range all {
		result[i] = Measured{Hop: h, Cycles: -1}
		for _, t := range traces {
			if least := h.least(t); least >= 0 && (result[i].Cycles < 0 || least < result[i].Cycles) {
				result[i].Cycles = least
			}
		}
	}
	return result
}

// least is the fewest cycles in one trace. Where as many pass one point as the other, each is the other's; else what passes
// belongs to the last that came before it.
func (h Hop) least(trace []sim.Event) int {
	from, to := h.From.cycles(trace), h.To.cycles(trace)
	least := -1
	for i, at := range from {
		j := i
		if len(from) != len(to) {
			j, _ = slices.BinarySearch(to, at)
			if j == len(to) || i+1 < len(from) && from[i+1] <= to[j] {
				continue // nothing came of this one
			}
		}
		if d := int(to[j]) - int(at); d >= 0 && (least < 0 || d < least) {
			least = d
		}
	}
	return least
}

// Moved is a hop that takes another number of cycles than it should.
type Moved struct {
	Hop
	Was, Is int // -1: not seen
}

func (m Moved) String() string {
	return fmt.Sprintf("block %s takes %d cycles, not %d, from %s to %s (%s)", m.Block, m.Is, m.Was, m.From, m.To, m.Name)
}

// Compare returns the hops that differ, by block.
func Compare(was map[string]int, is []Measured) []Moved {
	var all []Moved
	for _, m := range is {
		before, known := was[m.String()]
		if !known {
			before = -1
		}
		if before != m.Cycles {
			all = append(all, Moved{m.Hop, before, m.Cycles})
		}
	}
	slices.SortStableFunc(all, func(a, b Moved) int { return cmp.Compare(a.Block, b.Block) })
	return all
}

// Text is measured hops as text: a line for each, its name and its cycles.
func Text(all []Measured) []byte {
	var b bytes.Buffer
	for _, m := range all {
		fmt.Fprintf(&b, "%s %d\n", m, m.Cycles)
	}
	return b.Bytes()
}

// Parse reads what [Text] writes: cycles by the name of the hop.
func Parse(text []byte) (map[string]int, error) {
	all := map[string]int{}
	for line := range strings.Lines(string(text)) {
		var name string
		var cycles int
		if _, err := fmt.Sscan(line, &name, &cycles); err != nil {
			return nil, fmt.Errorf("hops: %q is no name with its cycles", strings.TrimSpace(line))
		}
		all[name] = cycles
	}
	return all, nil
}
