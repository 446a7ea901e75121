package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gornic/hdl/ir"
)

// checkLoops finds signals that depend on themselves within the cycle. Cycles
// over whole signals are found first; only inside them bits are looked at one
// by one, so that vectors whose bits feed each other in order are no loops.
func checkLoops(c *checker) {
	g := c.combGraph()
	whole := components(len(g.vertices), func(v int, visit func(int)) {
		for _, e := range g.vertices[v].out {
			visit(e.to)
		}
	})
	reported := make(map[string]bool)
	for _, vertices := range whole {
		for _, path := range newBitGraph(g, vertices).cycles() {
			c.reportLoop(g, path, reported)
		}
	}
}

// bitGraph is a part of the graph, bit by bit, with its bits numbered.
type bitGraph struct {
	*graph
	bits  []bit
	first map[int]int // number of bit 0 of each vertex
}

func newBitGraph(g *graph, vertices []int) *bitGraph {
	slices.Sort(vertices)
	b := &bitGraph{graph: g, first: make(map[int]int)}
	for _, v := range vertices {
		b.first[v] = len(b.bits)
		g.every(v, func(x bit) { b.bits = append(b.bits, x) })
	}
	return b
}

func (b *bitGraph) out(n int, visit func(int)) {
	b.graph.bits(b.bits[n], func(x bit) {
		if first, inside := b.first[x.v]; inside {
			visit(first + x.i)
		}
	})
}

// cycles returns a shortest cycle of each set of bits that depend on each
// other, from its first signal.
func (b *bitGraph) cycles() [][]bit {
	var found [][]bit
	for _, c := range components(len(b.bits), b.out) {
		start := -1
		for _, n := range c {
			if s := b.vertices[b.bits[n].v].signal; s != nil && (start < 0 || n < start) && !isLink(s) {
				start = n
			}
		}
		var path []bit
		for _, n := range shortestPath(start, start, b.out) {
			path = append(path, b.bits[n])
		}
		found = append(found, path)
	}
	slices.SortFunc(found, func(x, y []bit) int {
		return cmp.Or(cmp.Compare(x[0].v, y[0].v), cmp.Compare(x[0].i, y[0].i))
	})
	return found
}

// isLink reports whether a signal is the far side of a port and has no
// assignment of its own.
func isLink(s *ir.Signal) bool { return s.Kind == ir.Input || s.Kind == ir.ChildOutput }

// hop is one step of a loop: a bit of a signal, the next one it depends on,
// and the assignment between them.
type hop struct {
	signal *ir.Signal
	i      int
	pos    ir.Pos
}

// reportLoop reports a loop, once for all bits of the same signals.
func (c *checker) reportLoop(g *graph, path []bit, reported map[string]bool) {
	hops := hopsOf(g, path)
	m := hops[0].signal.Module
	for _, h := range hops {
		m = ancestor(m, h.signal.Module)
	}
	names := make([]string, len(hops))
	for i, h := range hops {
		names[i] = within(m, h.signal)
	}
	key := m.Path + " " + strings.Join(names, " ")
	if reported[key] {
		return
	}
	reported[key] = true
	c.report(hops[0].pos, m, "combinational loop: %s depends on itself%s", names[0], hopLines(m, append(hops, hops[0])))
}

// hopLines returns a line for each step between the hops, as seen from m.
func hopLines(m *ir.Module, hops []hop) string {
	var b strings.Builder
	for i, h := range hops[:len(hops)-1] {
		next := hops[i+1]
		fmt.Fprintf(&b, "\n%s depends on %s (%v)", h.name(m), next.name(m), h.pos)
	}
	return b.String()
}

// hopsOf returns the signals of a path, without expressions, guards and the
// far sides of ports.
func hopsOf(g *graph, path []bit) []hop {
	var hops []hop
	for k, b := range path {
		v := g.vertices[b.v]
		if v.signal == nil || isLink(v.signal) {
			continue
		}
		next := path[(k+1)%len(path)]
		h := hop{signal: v.signal, i: b.i}
		for _, e := range v.out {
			if e.to == next.v {
				h.pos = e.pos
				break
			}
		}
		hops = append(hops, h)
	}
	return hops
}

// ancestor returns the innermost module that holds both a and b.
func ancestor(a, b *ir.Module) *ir.Module {
	above := make(map[*ir.Module]bool)
	for m := a; m != nil; m = m.Parent {
		above[m] = true
	}
	for !above[b] {
		b = b.Parent
	}
	return b
}

// within names a signal as seen from module m, which holds it.
func within(m *ir.Module, s *ir.Signal) string {
	path := strings.TrimPrefix(strings.TrimPrefix(s.Module.Path, m.Path), ".")
	if path == "" {
		return s.Name
	}
	return path + "." + s.Name
}

// name names the bit of a hop as seen from m.
func (h hop) name(m *ir.Module) string {
	if h.signal.Width == 1 {
		return within(m, h.signal)
	}
	return fmt.Sprintf("%s[%d]", within(m, h.signal), h.i)
}
