package check

import "gornic/hdl/ir"

// graph is what depends on what within a cycle, over the whole design: its
// vertices are signals, expressions, and guards (what decides whether an arm
// of an If or Switch runs). A register depends on nothing; what its next
// value depends on is kept apart.
//
// A signal depends on the guards of its own assignments only, not on those of
// others in the same If: an If is not a block that is computed as one.
type graph struct {
	vertices []vertex
	signals  map[*ir.Signal]int
	nodes    map[*ir.Node]int
	next     map[*ir.Signal][]edge // of registers
}

// vertex is a signal, an expression or, with neither, a guard.
type vertex struct {
	signal *ir.Signal
	node   *ir.Node
	out    []edge // for an expression: its operands in order, or its signal
}

// edge leads to what a vertex depends on; pos is the assignment that makes it
// so, for edges out of signals.
type edge struct {
	to  int
	pos ir.Pos
}

// combGraph returns the graph of the design, which the first pass that asks
// for it builds.
func (c *checker) combGraph() *graph {
	if c.graph == nil {
		c.graph = newGraph(c.design)
	}
	return c.graph
}

func newGraph(d *ir.Design) *graph {
	g := &graph{signals: make(map[*ir.Signal]int), nodes: make(map[*ir.Node]int), next: make(map[*ir.Signal][]edge)}
	for _, m := range d.All {
		for _, s := range m.Signals {
			g.signals[s] = g.add(vertex{signal: s})
		}
	}
	for _, m := range d.All {
		for _, b := range blocks(m) {
			g.block(b, -1)
		}
		for _, i := range m.Instances {
			g.instance(i)
		}
	}
	return g
}

func (g *graph) add(v vertex) int {
	g.vertices = append(g.vertices, v)
	return len(g.vertices) - 1
}

// instance joins the two sides of each port.
func (g *graph) instance(i *ir.Instance) {
	for _, s := range i.Ports {
		from, to := s, s.Port
		if s.Kind == ir.ChildInput {
			from, to = s.Port, s
		}
		g.depend(from, edge{g.signals[to], i.Pos})
	}
}

// depend adds an edge out of a signal.
func (g *graph) depend(s *ir.Signal, e edge) {
	if !combinational(s) {
		g.next[s] = append(g.next[s], e)
		return
	}
	v := &g.vertices[g.signals[s]]
	v.out = append(v.out, e)
}

// block adds the statements of a block that runs under a guard, -1 for none.
func (g *graph) block(b *ir.Block, guard int) {
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *ir.Assign:
			g.depend(s.Target, edge{g.expression(s.Value), s.Pos})
			if guard >= 0 {
				g.depend(s.Target, edge{guard, s.Pos})
			}
		case *ir.If:
			under := guard
			for _, arm := range s.Arms {
				if arm.Cond != nil {
					under = g.guard(under, arm.Cond)
				}
				g.block(arm.Body, under)
			}
		case *ir.Switch:
			under := g.guard(guard, s.Subject)
			for _, arm := range s.Arms {
				g.block(arm.Body, under)
			}
		}
	}
}

// guard adds a guard that depends on an outer or earlier one and a condition.
func (g *graph) guard(outer int, cond *ir.Node) int {
	v := vertex{out: []edge{{to: g.expression(cond)}}}
	if outer >= 0 {
		v.out = append(v.out, edge{to: outer})
	}
	return g.add(v)
}

// expression returns the vertex of an expression, and adds it with all that
// it reads.
func (g *graph) expression(n *ir.Node) int {
	if v, ok := g.nodes[n]; ok {
		return v
	}
	v := g.add(vertex{node: n})
	g.nodes[n] = v
	var out []edge
	switch {
	case poisoned(n):
	case n.Op == ir.OpSignal:
		out = []edge{{to: g.signals[n.Signal]}}
	default:
		for _, a := range n.Args {
			out = append(out, edge{to: g.expression(a)})
		}
	}
	g.vertices[v].out = out
	return v
}

// width returns the number of bits of a vertex; a guard has one.
func (g *graph) width(v int) int {
	switch x := g.vertices[v]; {
	case x.signal != nil:
		return x.signal.Width
	case x.node != nil:
		return x.node.Width
	}
	return 1
}

// bit is one bit of a vertex.
type bit struct{ v, i int }

// bits calls visit for the bits that one bit of a vertex depends on.
func (g *graph) bits(b bit, visit func(bit)) {
	x := g.vertices[b.v]
	switch {
	case x.node != nil:
		if len(x.out) > 0 {
			g.nodeBits(x, b, visit)
		}
	case x.signal != nil:
		for _, e := range x.out {
			if g.isGuard(e.to) {
				visit(bit{e.to, 0})
			} else {
				visit(bit{e.to, b.i})
			}
		}
	default:
		for _, e := range x.out {
			g.every(e.to, visit)
		}
	}
}

func (g *graph) isGuard(v int) bool { return g.vertices[v].node == nil && g.vertices[v].signal == nil }

// every visits all bits of a vertex.
func (g *graph) every(v int, visit func(bit)) {
	for i := range g.width(v) {
		visit(bit{v, i})
	}
}

// nodeBits visits what bit b of an expression depends on. A bit of a sum is
// said to depend on the operands' bits of its place and on the next lower bit
// of the sum: that is the same as all lower bits, in fewer steps.
func (g *graph) nodeBits(x vertex, b bit, visit func(bit)) {
	n := x.node
	arg := func(k, i int) { visit(bit{x.out[k].to, i}) }
	switch n.Op {
	case ir.OpSignal, ir.OpNot:
		arg(0, b.i)
	case ir.OpAnd, ir.OpOr:
		if !masked(n, b.i) {
			arg(0, b.i)
			arg(1, b.i)
		}
	case ir.OpXor:
		arg(0, b.i)
		arg(1, b.i)
	case ir.OpMux:
		arg(0, 0)
		arg(1, b.i)
		arg(2, b.i)
	case ir.OpSlice:
		arg(0, n.Lo+b.i)
	case ir.OpRepeat:
		arg(0, b.i%n.Args[0].Width)
	case ir.OpCat:
		at := n.Width
		for k, a := range n.Args {
			if at -= a.Width; b.i >= at {
				arg(k, b.i-at)
				return
			}
		}
	case ir.OpAdd, ir.OpSub, ir.OpMul:
		for k, a := range n.Args {
			if b.i < a.Width {
				arg(k, b.i)
			}
		}
		if b.i > 0 {
			visit(bit{b.v, b.i - 1})
		}
	case ir.OpShl, ir.OpShr, ir.OpSar:
		g.shiftBits(x, b, visit)
	default:
		for k := range x.out {
			g.every(x.out[k].to, visit)
		}
	}
}

// masked reports whether bit i of an and or or is fixed by a constant operand.
func masked(n *ir.Node, i int) bool {
	fixing := uint64(0)
	if n.Op == ir.OpOr {
		fixing = 1
	}
	for _, a := range n.Args {
		if a.Op == ir.OpConst && a.Const.Bit(i) == fixing {
			return true
		}
	}
	return false
}

// shiftBits is nodeBits for shifts: exact by a constant; otherwise the bit of
// the same place, the neighbour of the result that shifts in, and the amount.
func (g *graph) shiftBits(x vertex, b bit, visit func(bit)) {
	n := x.node
	step := 1 // towards where bits come from
	if n.Op == ir.OpShl {
		step = -1
	}
	if by := n.Args[1]; by.Op == ir.OpConst {
		from := b.i + step*int(min(by.Const.Uint64(), uint64(n.Width)))
		if n.Op == ir.OpSar {
			from = min(from, n.Width-1)
		}
		if from >= 0 && from < n.Width {
			visit(bit{x.out[0].to, from})
		}
		return
	}
	visit(bit{x.out[0].to, b.i})
	if i := b.i + step; i >= 0 && i < n.Width {
		visit(bit{b.v, i})
	}
	g.every(x.out[1].to, visit)
}
