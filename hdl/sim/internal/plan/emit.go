package plan

import (
	"gornic/hdl/sim/internal/netlist"
)

// place decides where values go: into the slot of a root, or into the place
// of the choice that they are a side of.
func (p *planner) place() {
	n := len(p.g.Nodes)
	p.slot, p.uses = make([]int, n), make([]int, n)
	p.same, p.hold = make([]netlist.Val, n), make([]netlist.Val, n)
	for v := range n {
		p.slot[v], p.same[v], p.hold[v] = -1, netlist.Val(v), netlist.None
	}
	p.countUses()
	for _, r := range p.roots {
		p.placeRoot(r)
	}
	for v := netlist.Val(n - 1); v >= 0; v-- {
		if g := p.group[v]; g != none && p.computed(v) {
			p.shareSide(v, p.g.Nodes[v].B, p.groups[g].side[1])
			p.shareSide(v, p.g.Nodes[v].C, p.groups[g].side[0])
		}
	}
}

func (p *planner) countUses() {
	use := func(v netlist.Val) {
		if v != netlist.None {
			p.uses[v]++
		}
	}
	for _, r := range p.roots {
		use(r.Val)
		use(r.Val) // a value that is wanted for itself is never part of its only reader
	}
	for v := range netlist.Val(len(p.g.Nodes)) {
		if !p.computed(v) {
			continue
		}
		n := p.g.Nodes[v]
		if p.group[v] == none {
			use(n.A)
		}
		use(n.B)
		use(n.C)
	}
	for _, g := range p.groups {
		use(g.cond)
	}
}

func (p *planner) placeRoot(r Root) {
	switch {
	case r.Slot < 0 || r.Val == netlist.None || r.Val == r.Hold:
	case p.computed(r.Val) && p.slot[r.Val] < 0:
		p.slot[r.Val], p.hold[r.Val] = r.Slot, r.Hold
	default:
		p.copies = append(p.copies, Copy{Slot: r.Slot, Val: r.Val})
	}
}

// shareSide lets a value that only one side of a choice needs be computed in
// the place of the choice.
func (p *planner) shareSide(choice, v netlist.Val, side contextID) {
	if v != netlist.None && p.computed(v) && p.uses[v] == 1 && p.context[v] == side {
		p.same[v] = choice
	}
}

// emit returns the statements of a context.
func (p *planner) emit(at contextID) []Stmt {
	var out []Stmt
	for _, it := range p.contexts[at].items {
		if it.g == none {
			out = append(out, Stmt{Kind: Calc, Val: it.v})
			continue
		}
		g := &p.groups[it.g]
		b := Stmt{Kind: Branch, Val: g.cond, Then: p.emitSide(g, 1), Else: p.emitSide(g, 0)}
		if len(b.Then)+len(b.Else) > 0 {
			out = append(out, b)
		}
	}
	return out
}

func (p *planner) emitSide(g *group, side int) []Stmt {
	var out []Stmt
	if at := g.side[side]; at != nowhere {
		out = p.emit(at)
	}
	for i := len(g.members) - 1; i >= 0; i-- {
		m := g.members[i]
		v := p.g.Nodes[m].B
		if side == 0 {
			v = p.g.Nodes[m].C
		}
		if v != netlist.None && !p.inPlace(m, v) {
			out = append(out, Stmt{Kind: Move, Val: v, Dst: m})
		}
	}
	return out
}

// inPlace reports whether the place of the choice m has the value v already.
func (p *planner) inPlace(m, v netlist.Val) bool {
	for p.same[m] != m {
		m = p.same[m]
	}
	for p.same[v] != v {
		v = p.same[v]
	}
	return m == v || p.slot[m] >= 0 && p.hold[m] == v
}
