package check

import (
	"slices"

	"gornic/hdl/ir"
)

// checkDomains finds state that is set from state of another clock domain.
func checkDomains(c *checker) {
	d := newDomains(c.design)
	if len(d.ids) < 2 {
		return
	}
	d.checker, d.graph = c, c.combGraph()
	d.memo = make(map[int]uint64)
	for _, m := range c.design.All {
		for _, s := range m.Signals {
			d.signal(m, s)
		}
		for _, mem := range m.Memories {
			if !mem.Ghost {
				d.memory(m, mem)
			}
		}
	}
}

// domains knows which clocks of a hierarchy are one. A set of domains has a
// bit for each clock of the top, up to 64.
type domains struct {
	*checker
	*graph
	instances map[*ir.Module]*ir.Instance
	ids       map[*ir.Clock]int // of the clocks of the top
	memo      map[int]uint64    // by vertex: the domains that its value depends on
}

func newDomains(design *ir.Design) *domains {
	d := &domains{instances: make(map[*ir.Module]*ir.Instance), ids: make(map[*ir.Clock]int)}
	for _, m := range design.All {
		for _, i := range m.Instances {
			d.instances[i.Module] = i
		}
	}
	for _, m := range design.All {
		for _, clk := range slices.Concat(m.Clocks, m.Made) {
			if root := d.root(clk); root != nil {
				if _, known := d.ids[root]; !known {
					d.ids[root] = len(d.ids)
				}
			}
		}
	}
	return d
}

// root returns the clock of the top that drives a clock, nil where it is not
// connected.
func (d *domains) root(clk *ir.Clock) *ir.Clock {
	for clk != nil && d.instances[clk.Module] != nil {
		i := d.instances[clk.Module]
		if clk = i.Clocks[clk]; clk != nil && clk.Module != i.Parent {
			return nil // reported as a clock of another module
		}
	}
	return clk
}

// set returns the domain of a clock as a set.
func (d *domains) set(clk *ir.Clock) uint64 {
	if root := d.root(clk); root != nil {
		return 1 << d.ids[root]
	}
	return 0
}

// declared returns the clock that a signal's value is known to belong to
// without looking at what it depends on, and false where it follows others. A
// clock of nil is none that is known: such values may go anywhere.
func declared(s *ir.Signal) (clk *ir.Clock, ok bool) {
	switch s.Kind {
	case ir.Reg:
		if s.Cross {
			return nil, true
		}
		return s.Clock, true
	case ir.ReadData:
		return s.Clock, true
	case ir.Input:
		return s.Clock, s.Clock != nil || s.Module.Parent == nil
	case ir.ChildOutput:
		return s.Port.Clock, s.Port.Clock != nil
	}
	return nil, false
}

// of returns the domains that the value of a vertex depends on.
func (d *domains) of(v int) uint64 {
	if set, ok := d.memo[v]; ok {
		return set
	}
	d.memo[v] = 0 // for loops, which are reported elsewhere
	x := d.vertices[v]
	set := uint64(0)
	if x.signal != nil {
		if clk, ok := declared(x.signal); ok {
			set = d.set(clk)
			d.memo[v] = set
			return set
		}
	}
	for _, e := range x.out {
		set |= d.of(e.to)
	}
	d.memo[v] = set
	return set
}

// signal verifies what sets a register, an output with a declared domain, or
// an instance's input with one.
func (d *domains) signal(m *ir.Module, s *ir.Signal) {
	switch {
	case s.Ghost:
	case s.Kind == ir.Reg:
		d.all(m, "register "+s.Name, s.Clock, d.next[s])
	case s.Kind == ir.Output && s.Clock != nil:
		d.all(m, "output "+s.Name, s.Clock, d.vertices[d.signals[s]].out)
	case s.Kind == ir.ChildInput && s.Port.Clock != nil:
		d.all(m, portOf(s), s.Port.Clock, d.vertices[d.signals[s]].out)
	}
}

// memory verifies what the ports of a memory take.
func (d *domains) memory(m *ir.Module, mem *ir.Memory) {
	inputs := func(pos ir.Pos, list ...*ir.Node) []edge {
		var edges []edge
		for _, n := range list {
			if n != nil {
				edges = append(edges, edge{d.expression(n), pos})
			}
		}
		return edges
	}
	for _, p := range mem.Reads {
		d.all(m, "read port of memory "+mem.Name, p.Clock, inputs(p.Pos, p.Addr, p.En))
	}
	for _, p := range mem.Writes {
		d.all(m, "write port of memory "+mem.Name, p.Clock, inputs(p.Pos, p.Addr, p.En, p.Data, p.Lanes))
	}
}

// all reports the first of some edges that leads out of the domain of clk.
func (d *domains) all(m *ir.Module, sink string, clk *ir.Clock, edges []edge) {
	allowed := d.set(clk)
	if allowed == 0 {
		return
	}
	for _, e := range edges {
		if d.of(e.to)&^allowed == 0 {
			continue
		}
		source, sourceClock := d.source(e.to, allowed)
		d.report(e.pos, m, "%s of domain %s depends on %s (%v) of domain %s: synchronise it, or mark it with CrossSafe",
			sink, d.root(clk).Clk, within(ancestor(m, source.Module), source), source.Pos, d.root(sourceClock).Clk)
		return
	}
}

// source returns the first signal that v depends on of a domain that is not
// allowed.
func (d *domains) source(v int, allowed uint64) (*ir.Signal, *ir.Clock) {
	seen := make(map[int]bool)
	var find func(v int) (*ir.Signal, *ir.Clock)
	find = func(v int) (*ir.Signal, *ir.Clock) {
		if seen[v] || d.of(v)&^allowed == 0 {
			return nil, nil
		}
		seen[v] = true
		x := d.vertices[v]
		if x.signal != nil {
			if clk, ok := declared(x.signal); ok {
				return x.signal, clk
			}
		}
		for _, e := range x.out {
			if s, clk := find(e.to); s != nil {
				return s, clk
			}
		}
		return nil, nil
	}
	return find(v)
}
