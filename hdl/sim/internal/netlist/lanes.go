package netlist

// lift turns an operation that is done lane by lane, such as a mask of each
// byte, into one on the whole word. Lanes are pieces of one width.
func (g *Graph) lift(ps []piece) (Val, bool) {
	lanes := g.lanes(ps)
	if len(lanes) < minRun {
		return None, false
	}
	direct, work := 0, 0
	for _, p := range ps {
		direct += 2 + g.laneCost(p, 5)
	}
	for _, p := range lanes {
		if _, isOp := g.laneOp(p); isOp {
			work++
		}
	}
	if 2*work < len(lanes) {
		return None, false
	}
	v, cost := g.liftLanes(lanes, 6)
	return v, cost < direct
}

// lanes cuts pieces to the width of the narrowest; nil if that does not work out.
func (g *Graph) lanes(ps []piece) []piece {
	w := 64
	for _, p := range ps {
		w = min(w, p.w)
	}
	if w > 16 {
		return nil
	}
	var out []piece
	for _, p := range ps {
		if p.w%w != 0 {
			return nil
		}
		for ; p.w > 0; p.lo, p.w = p.lo+w, p.w-w {
			out = append(out, piece{p.v, p.lo, w})
		}
	}
	return out
}

// laneOp returns the operation of a lane that is a whole value.
func (g *Graph) laneOp(p piece) (Node, bool) {
	n := g.Nodes[p.v]
	return n, p.lo == 0 && int(n.W) <= p.w && (n.Op == And || n.Op == Or || n.Op == Xor)
}

// isRep reports whether a lane is copies of one bit, and of which.
func (g *Graph) isRep(p piece) (Val, bool) {
	n := g.Nodes[p.v]
	if k, ok := g.IsConst(n.A); n.Op == Sub && ok && k == 0 && p.lo == 0 && int(n.W) == p.w && g.width(n.B) == 1 {
		return n.B, true
	}
	return None, false
}

// laneCost counts the operations of a lane.
func (g *Graph) laneCost(p piece, depth int) int {
	if n, ok := g.laneOp(p); ok && depth > 0 {
		return 1 + g.laneCost(piece{n.A, 0, p.w}, depth-1) + g.laneCost(piece{n.B, 0, p.w}, depth-1)
	}
	if bit, ok := g.isRep(p); ok {
		return 2 + g.laneCost(g.through(piece{bit, 0, 1}), depth-1)
	}
	if g.Nodes[p.v].Op == Extract {
		return 2
	}
	return 0
}

// liftLanes returns the word of all lanes, and what it costs.
func (g *Graph) liftLanes(lanes []piece, depth int) (Val, int) {
	if v, cost, ok := g.simpleLanes(lanes); ok {
		return v, cost
	}
	if bits, ok := g.repLanes(lanes); ok {
		v, cost := g.liftLanes(bits, depth-1)
		return g.spread(v, len(lanes), lanes[0].w), cost + 8
	}
	if depth > 0 {
		if op, ok := g.commonOp(lanes); ok {
			main, other := g.splitLanes(lanes, op)
			a, costA := g.liftLanes(main, depth-1)
			b, costB := g.liftLanes(other, depth-1)
			return g.binary(op, 64, a, b), costA + costB + 1
		}
	}
	ps := g.resolve(lanes)
	cost := 0
	for _, p := range ps {
		if _, ok := g.IsConst(p.v); !ok {
			cost += 2 + g.laneCost(p, 5)
		}
	}
	return g.sideBySide(ps), cost
}

// simpleLanes handles lanes that are constants, one value's neighbours, or all
// the same.
func (g *Graph) simpleLanes(lanes []piece) (Val, int, bool) {
	if ps := g.reversed(g.resolve(lanes)); len(ps) == 1 {
		return g.Extract(ps[0].v, ps[0].lo, ps[0].w), 2, true
	}
	same, constant := true, true
	for _, p := range lanes {
		same = same && p == lanes[0]
		constant = constant && g.Nodes[p.v].Op == Const
	}
	switch {
	case constant:
		return g.sideBySide(lanes), 0, true
	case same:
		w := lanes[0].w
		v, ones := g.Extract(lanes[0].v, lanes[0].lo, w), uint64(0)
		for i := range lanes {
			ones |= 1 << (i * w)
		}
		if w == 1 {
			return g.Extract(g.binary(Sub, 64, g.Const(0), v), 0, len(lanes)), 2, true
		}
		return g.binary(Mul, 64, v, g.Const(ones)), 2, true
	}
	return None, 0, false
}

// repLanes returns the bits of which lanes are copies, if all are.
func (g *Graph) repLanes(lanes []piece) ([]piece, bool) {
	if lanes[0].w == 1 {
		return nil, false
	}
	bits := make([]piece, len(lanes))
	for i, p := range lanes {
		full := mask(p.w)
		bit, ok := g.isRep(p)
		if k, isConst := g.IsConst(p.v); isConst && (k>>p.lo&full == 0 || k>>p.lo&full == full) {
			bit, ok = g.Const(k>>p.lo&1), true
		}
		if !ok {
			return nil, false
		}
		bits[i] = g.through(piece{bit, 0, 1})
	}
	return bits, true
}

// spread copies each of n bits to a lane of w bits.
func (g *Graph) spread(v Val, n, w int) Val {
	var m Matrix
	for i := range n {
		m[i] = mask(w) << (i * w)
	}
	return g.times(&m, v)
}

// commonOp returns the operation of the lane with the most work: it is the
// outermost one where others have fewer.
func (g *Graph) commonOp(lanes []piece) (Op, bool) {
	best, most := And, 0
	for _, p := range lanes {
		if n, ok := g.laneOp(p); ok {
			if cost := g.laneCost(p, 5); cost > most {
				best, most = n.Op, cost
			}
		}
	}
	return best, most > 0
}

// splitLanes takes the operation off the lanes. Lanes without it get a second
// operand that changes nothing. Operands of one kind come to one side.
func (g *Graph) splitLanes(lanes []piece, op Op) (main, other []piece) {
	kinds := map[laneKind]int{}
	for i, p := range lanes {
		if n, ok := g.laneOp(p); ok && n.Op == op {
			kinds[g.kind(n.A, i*p.w)]++
			kinds[g.kind(n.B, i*p.w)]++
		} else {
			kinds[g.kindOf(p, i*p.w)]++
		}
	}
	for i, p := range lanes {
		a, b := p, piece{g.Const(0), 0, p.w}
		if op == And {
			b.v = g.Const(mask(p.w))
		}
		if n, ok := g.laneOp(p); ok && n.Op == op {
			u, v := n.A, n.B
			if kinds[g.kind(v, i*p.w)] > kinds[g.kind(u, i*p.w)] {
				u, v = v, u
			}
			a, b = g.through(piece{u, 0, p.w}), g.through(piece{v, 0, p.w})
		}
		main, other = append(main, a), append(other, b)
	}
	return main, other
}

// laneKind tells operands apart: by operation, and for bits of a value that
// stand in its order also by which value.
type laneKind struct {
	op    Op
	v     Val
	shift int
}

func (g *Graph) kind(v Val, at int) laneKind { return g.kindOf(g.through(piece{v, 0, 64}), at) }

func (g *Graph) kindOf(p piece, at int) laneKind {
	n := g.Nodes[p.v]
	switch {
	case n.Op == Extract:
		return laneKind{Extract, n.A, int(n.Imm) - at}
	case n.Op == Leaf:
		return laneKind{Extract, p.v, p.lo - at}
	case n.Op == Sub || n.Op == And || n.Op == Or || n.Op == Xor || n.Op == Const:
		return laneKind{n.Op, None, 0}
	}
	return laneKind{n.Op, p.v, 0}
}
