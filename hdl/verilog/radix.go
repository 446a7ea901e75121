package verilog

import (
	"fmt"

	"gornic/hdl/ir"
)

// quantities are the signals and expressions whose values are amounts, so that
// their constants read best in decimal: sums, what is compared by order, addresses
// of memories, shift amounts, and everything that takes or meets such a value. All
// others are patterns of bits.
type quantities struct {
	e      *module
	parent map[any]any // *ir.Signal or *ir.Node -> another one of the same class, or itself
	amount map[any]bool
	follow []follow
}

// A follow says that to is an amount if from is.
type follow struct{ from, to any }

// findQuantities looks at every expression and assignment of layers.
func (e *module) findQuantities(layers ...*layer) {
	q := &quantities{e: e, parent: map[any]any{}, amount: map[any]bool{}}
	for _, l := range layers {
		for _, n := range l.visited {
			q.expression(n)
		}
		switch l.kind {
		case ofHardware:
			q.items(e.items)
			q.memories(false)
		case ofProperties:
			q.items(e.ghosts)
			q.memories(true)
		}
	}
	q.settle()
	e.quantities = q
}

// items says that a signal is what its values are.
func (q *quantities) items(list []*item) {
	for _, it := range list {
		eachNode(it.body, func(n *ir.Node, as role, target *ir.Signal) {
			if as == roleValue {
				q.join(n, q.e.readOf(q.e.canonical(target)))
			}
		})
	}
}

// memories says that addresses are amounts.
func (q *quantities) memories(ghost bool) {
	for _, r := range q.e.ir.Memories {
		if r.Ghost != ghost {
			continue
		}
		for _, p := range r.Reads {
			q.mark(q.e.low.lower(p.Addr))
		}
		for _, p := range r.Writes {
			q.mark(q.e.low.lower(p.Addr))
		}
	}
}

// expression notes what an operation says about its operands and result.
func (q *quantities) expression(n *ir.Node) {
	switch n.Op {
	case ir.OpAdd, ir.OpSub:
		q.join(n, n.Args[0])
		q.join(n, n.Args[1])
		q.mark(n)
	case ir.OpMul:
		q.mark(n)
		q.mark(n.Args[0])
		q.mark(n.Args[1])
	case ir.OpLt, ir.OpLe:
		q.join(n.Args[0], n.Args[1])
		q.mark(n.Args[0])
		q.mark(n.Args[1])
	case ir.OpEq, ir.OpNe:
		q.join(n.Args[0], n.Args[1])
	case ir.OpMux:
		q.join(n, n.Args[1])
		q.join(n, n.Args[2])
	case ir.OpShl, ir.OpShr, ir.OpSar:
		q.mark(n.Args[1])
	case ir.OpMemRead:
		q.mark(n.Args[0])
	case ir.OpSlice:
		if n.Lo == 0 {
			q.implies(n.Args[0], n)
		}
	case ir.OpCat:
		if x := extended(n); x != nil {
			q.implies(x, n)
			q.implies(n, x)
		}
	}
}

// key is what stands for an expression; nil for constants and single bits.
func (q *quantities) key(n *ir.Node) any {
	switch {
	case n.Width == 1 || isConst(n):
		return nil
	case n.Op == ir.OpSignal:
		return q.e.canonical(n.Signal)
	}
	return n
}

// root is the representative of a class.
func (q *quantities) root(k any) any {
	for {
		p, ok := q.parent[k]
		if !ok || p == k {
			return k
		}
		if pp, ok := q.parent[p]; ok {
			q.parent[k] = pp
		}
		k = p
	}
}

func (q *quantities) join(a, b *ir.Node) {
	x, y := q.key(a), q.key(b)
	if x == nil || y == nil {
		return
	}
	x, y = q.root(x), q.root(y)
	q.parent[x] = y
	q.amount[y] = q.amount[x] || q.amount[y]
}

func (q *quantities) mark(n *ir.Node) {
	if k := q.key(n); k != nil {
		q.amount[q.root(k)] = true
	}
}

func (q *quantities) implies(from, to *ir.Node) {
	if x, y := q.key(from), q.key(to); x != nil && y != nil {
		q.follow = append(q.follow, follow{x, y})
	}
}

// settle applies the implications until nothing changes.
func (q *quantities) settle() {
	for changed := true; changed; {
		changed = false
		for _, f := range q.follow {
			if to := q.root(f.to); q.amount[q.root(f.from)] && !q.amount[to] {
				q.amount[to] = true
				changed = true
			}
		}
	}
}

// counts reports whether the values of n are amounts.
func (e *module) counts(n *ir.Node) bool {
	k := e.quantities.key(n)
	return k != nil && e.quantities.amount[e.quantities.root(k)]
}

func (e *module) signalCounts(s *ir.Signal) bool { return e.counts(e.readOf(s)) }

// decimal prints an amount. Large ones and the largest of its width are hard to
// recognise in decimal.
func decimal(c ir.Const) string {
	const wide, large = 8, 1 << 16
	if c.Width == 1 || c.Width > 64 || c.Uint64() >= large || c.Width > wide && isOnes(c) {
		return literal(c)
	}
	return fmt.Sprintf("%d'd%d", c.Width, c.Uint64())
}
