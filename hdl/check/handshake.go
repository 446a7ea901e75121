package check

import (
	"strings"

	"gornic/hdl/ir"
)

// checkHandshakes finds outgoing streams whose valid waits for their ready.
// Children are looked at first, so that a path is reported in the innermost
// module that has it.
func checkHandshakes(c *checker) {
	g := c.combGraph()
	reported := make(map[int]bool)
	for i := len(c.design.All) - 1; i >= 0; i-- {
		m := c.design.All[i]
		for _, valid := range m.Signals {
			if ready := readyOf(m, valid); ready != nil {
				c.handshake(g, valid, ready, reported)
			}
		}
	}
}

// readyOf returns the ready that comes back to an outgoing stream's valid, or
// nil.
func readyOf(m *ir.Module, valid *ir.Signal) *ir.Signal {
	if valid.Kind != ir.Output || !isValid(valid.Name) {
		return nil
	}
	name := strings.TrimSuffix(valid.Name, "valid") + "ready"
	for _, s := range m.Signals {
		if s.Kind == ir.Input && s.Name == name {
			return s
		}
	}
	return nil
}

// handshake reports a path from ready to valid inside their module.
func (c *checker) handshake(g *graph, valid, ready *ir.Signal, reported map[int]bool) {
	from, to := g.signals[valid], g.signals[ready]
	cone := g.cone(from, func(v int) bool {
		s := g.vertices[v].signal
		return reported[v] || s != nil && s.Kind == ir.Input && s.Module == valid.Module
	})
	if !cone[to] {
		return
	}
	var vertices []int
	for v := range cone {
		vertices = append(vertices, v)
	}
	b := newBitGraph(g, vertices)
	var path []bit
	for _, n := range shortestPath(b.first[from], b.first[to], b.out) {
		path = append(path, b.bits[n])
	}
	if path == nil {
		return
	}
	reported[from] = true
	hops := hopsOf(g, append(path, bit{to, 0}))
	c.report(hops[0].pos, valid.Module, "%s depends on its own ready: a source does not wait for ready%s",
		valid.Name, hopLines(valid.Module, append(hops, hop{signal: ready})))
}

// cone returns the vertices that v depends on, and v. Those for which stop
// holds are part of it, and what they depend on is not.
func (g *graph) cone(v int, stop func(v int) bool) map[int]bool {
	cone := map[int]bool{v: true}
	stack := []int{v}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if stop(v) {
			continue
		}
		for _, e := range g.vertices[v].out {
			if !cone[e.to] {
				cone[e.to] = true
				stack = append(stack, e.to)
			}
		}
	}
	return cone
}
