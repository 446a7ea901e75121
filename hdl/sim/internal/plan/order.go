package plan

import (
	"slices"

	"gornic/hdl/sim/internal/netlist"
)

// edges are the items that an item waits for, as linked lists. Items are
// numbered: values first, then groups.
type edges struct {
	first []int32 // by item; -1 ends a list
	next  []int32
	to    []int32
}

func (e *edges) reset(items int) {
	e.first = slices.Grow(e.first[:0], items)[:items]
	for i := range e.first {
		e.first[i] = -1
	}
	e.next, e.to = e.next[:0], e.to[:0]
}

func (e *edges) add(from, to int32) {
	if at := e.first[from]; at >= 0 && e.to[at] == to {
		return
	}
	e.next = append(e.next, e.first[from])
	e.to = append(e.to, to)
	e.first[from] = int32(len(e.to) - 1)
}

// itemOf is the number of the item that computes v.
func (p *planner) itemOf(v netlist.Val) int32 {
	if g := p.group[v]; g != none {
		return p.groupItem(g)
	}
	return int32(v)
}

func (p *planner) groupItem(g groupID) int32 { return int32(len(p.g.Nodes)) + int32(g) }

// linkItems says for each item which items of its context it waits for. A
// branch waits for all that its sides use.
func (p *planner) linkItems() {
	p.edges.reset(len(p.g.Nodes) + len(p.groups))
	for v := range netlist.Val(len(p.g.Nodes)) {
		if !p.computed(v) {
			continue
		}
		n := p.g.Nodes[v]
		at := p.context[v]
		b, c := at, at
		if g := p.group[v]; g != none {
			b, c = p.groups[g].side[1], p.groups[g].side[0]
		}
		p.link(v, n.A, at)
		p.link(v, n.B, b)
		p.link(v, n.C, c)
	}
}

func (p *planner) computed(v netlist.Val) bool {
	return v != netlist.None && p.context[v] != nowhere && !isState(p.g, v)
}

// link makes the item of operand u's context that v is in wait for u.
func (p *planner) link(v, u netlist.Val, use contextID) {
	if !p.computed(u) {
		return
	}
	item := p.itemOf(v)
	for home := p.context[u]; use != home; use = p.contexts[use].parent {
		item = p.groupItem(p.contexts[use].group)
	}
	p.edges.add(item, p.itemOf(u))
}

// order lists the items of each context so that each comes after those it
// waits for. It reports false, and the groups in the way in p.stuck, if some
// wait for each other.
func (p *planner) order() bool {
	w := walker{p: p, state: make([]uint8, len(p.edges.first))}
	p.stuck = p.stuck[:0]
	for v := range netlist.Val(len(p.g.Nodes)) {
		if p.computed(v) {
			w.visit(p.itemOf(v))
		}
	}
	slices.Sort(p.stuck)
	p.stuck = slices.Compact(p.stuck)
	return len(p.stuck) == 0
}

type walker struct {
	p     *planner
	state []uint8 // 1 on the path, 2 done
	path  []int32
}

func (w *walker) visit(i int32) {
	switch w.state[i] {
	case 2:
		return
	case 1:
		w.cycle(i)
		return
	}
	w.state[i] = 1
	w.path = append(w.path, i)
	e := &w.p.edges
	for at := e.first[i]; at >= 0; at = e.next[at] {
		w.visit(e.to[at])
	}
	w.path = w.path[:len(w.path)-1]
	w.state[i] = 2
	w.done(i)
}

func (w *walker) cycle(from int32) {
	for k := len(w.path) - 1; k >= 0; k-- {
		if g := w.path[k] - int32(len(w.p.g.Nodes)); g >= 0 {
			w.p.stuck = append(w.p.stuck, groupID(g))
		}
		if w.path[k] == from {
			return
		}
	}
}

func (w *walker) done(i int32) {
	p := w.p
	it, at := item{v: netlist.Val(i), g: none}, contextID(0)
	if g := groupID(i) - groupID(len(p.g.Nodes)); g >= 0 {
		it, at = item{v: netlist.None, g: g}, p.groups[g].context
	} else {
		at = p.context[i]
	}
	p.contexts[at].items = append(p.contexts[at].items, it)
}

// splitStuck tells the members of the stuck groups apart: at first by how
// often one of the same group comes before them, then, where groups wait for each
// other in turn, by how many choices come before them, which always helps.
func (p *planner) splitStuck(round int) {
	depth := make([]int32, len(p.g.Nodes))
	if round > 0 {
		p.rank(depth, 0, func(v netlist.Val) bool { return p.g.Nodes[v].Op == netlist.Mux })
		for _, g := range p.stuck {
			for _, v := range p.groups[g].members {
				p.split[v] = depth[v] + 1
			}
		}
		return
	}
	for _, g := range p.stuck {
		members := p.groups[g].members // largest first
		p.rank(depth, members[len(members)-1], func(v netlist.Val) bool { return p.group[v] == g })
		for _, v := range members {
			p.split[v] = -depth[v]
		}
		clear(depth)
	}
}

// rank counts for each value from number lo on how many counted values, itself
// not included, are on the longest way to it.
func (p *planner) rank(depth []int32, lo netlist.Val, counted func(netlist.Val) bool) {
	for v := lo; v < netlist.Val(len(p.g.Nodes)); v++ {
		if !p.computed(v) {
			continue
		}
		n := p.g.Nodes[v]
		for _, u := range [3]netlist.Val{n.A, n.B, n.C} {
			if u < lo {
				continue
			}
			d := depth[u]
			if counted(u) {
				d++
			}
			depth[v] = max(depth[v], d)
		}
	}
}
