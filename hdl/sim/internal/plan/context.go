package plan

import (
	"gornic/hdl/sim/internal/netlist"
)

// A context is the whole program or one side of a branch.
type contextID int32

const (
	top     contextID = 0
	nowhere contextID = -1 // of a value that nobody needs
)

type context struct {
	parent contextID
	depth  int32
	group  groupID // whose side it is; none for top
	cost   int     // of all that is computed in it, further contexts included
	items  []item  // what is computed in it, in order
}

type groupID int32

const none groupID = -1

// A group is the choices that become one branch: those with one condition in
// one context. Split tells apart groups that would wait for each other.
type groupKey struct {
	cond    netlist.Val
	context contextID
	split   int32
}

type group struct {
	groupKey
	members []netlist.Val
	side    [2]contextID // by the value of the condition; nowhere until needed
}

// An item is a value or, if v is None, a group: what a context is a list of.
type item struct {
	v netlist.Val
	g groupID
}

type planner struct {
	g         *netlist.Graph
	roots     []Root
	threshold int

	plain []bool  // choices that are no branch
	split []int32 // see groupKey

	context  []contextID // of each value
	group    []groupID   // of each choice that is part of a branch
	contexts []context
	groups   []group
	index    map[groupKey]groupID

	edges edges
	stuck []groupID // groups of a cycle, found by order

	slot   []int
	same   []netlist.Val
	uses   []int
	hold   []netlist.Val // what the place of a value holds before the value is computed
	copies []Copy
}

func newPlanner(g *netlist.Graph, roots []Root, threshold int) *planner {
	n := len(g.Nodes)
	p := &planner{
		g: g, roots: roots, threshold: threshold,
		plain: make([]bool, n), split: make([]int32, n),
		context: make([]contextID, n), group: make([]groupID, n),
	}
	return p
}

// findContexts gives each value the innermost context that contains all its
// uses. Users have larger numbers than their operands.
func (p *planner) findContexts() {
	p.contexts = append(p.contexts[:0], context{parent: nowhere, group: none})
	p.groups = p.groups[:0]
	p.index = map[groupKey]groupID{}
	for v := range p.context {
		p.context[v], p.group[v] = nowhere, none
	}
	for _, r := range p.roots {
		p.use(r.Val, top)
	}
	for v := netlist.Val(len(p.context) - 1); v >= 0; v-- {
		at := p.context[v]
		if at == nowhere || isState(p.g, v) {
			continue
		}
		p.contexts[at].cost++
		n := p.g.Nodes[v]
		if n.Op == netlist.Mux && !p.plain[v] {
			p.use(n.A, at)
			g := p.join(v, n.A, at)
			p.useSide(n.B, g, 1)
			p.useSide(n.C, g, 0)
			continue
		}
		p.use(n.A, at)
		p.use(n.B, at)
		p.use(n.C, at)
	}
}

func (p *planner) use(v netlist.Val, at contextID) {
	if v == netlist.None {
		return
	}
	if p.context[v] == nowhere {
		p.context[v] = at
	} else {
		p.context[v] = p.common(p.context[v], at)
	}
}

func (p *planner) common(a, b contextID) contextID {
	for a != b {
		if p.contexts[a].depth < p.contexts[b].depth {
			a, b = b, a
		}
		a = p.contexts[a].parent
	}
	return a
}

// join puts the choice v into its group.
func (p *planner) join(v, cond netlist.Val, at contextID) groupID {
	key := groupKey{cond, at, p.split[v]}
	g, ok := p.index[key]
	if !ok {
		g = groupID(len(p.groups))
		p.index[key] = g
		p.groups = append(p.groups, group{groupKey: key, side: [2]contextID{nowhere, nowhere}})
	}
	p.groups[g].members = append(p.groups[g].members, v)
	p.group[v] = g
	return g
}

func (p *planner) useSide(v netlist.Val, g groupID, side int) {
	if v == netlist.None || isState(p.g, v) {
		return
	}
	gr := &p.groups[g]
	if gr.side[side] == nowhere {
		gr.side[side] = contextID(len(p.contexts))
		parent := gr.context
		p.contexts = append(p.contexts, context{parent: parent, depth: p.contexts[parent].depth + 1, group: g})
	}
	p.use(v, gr.side[side])
}

// dissolveCheap finds the branches that are not worth it and makes their
// choices plain. It reports whether there were any.
func (p *planner) dissolveCheap() bool {
	for c := len(p.contexts) - 1; c > 0; c-- {
		p.contexts[p.contexts[c].parent].cost += p.contexts[c].cost
	}
	changed := false
	for _, g := range p.groups {
		gain := 2 * len(g.members)
		for _, side := range g.side {
			if side != nowhere {
				gain += p.contexts[side].cost
			}
		}
		if gain < p.threshold {
			changed = true
			for _, v := range g.members {
				p.plain[v] = true
			}
		}
	}
	return changed
}
