package netlist

// What authors write bit by bit and byte by byte is often one operation on
// words. The places to see that are where the bits come together.

// part makes one part of at most 64 bits from its pieces.
func (g *Graph) part(ps []piece) Val {
	ps = g.reversed(g.resolve(ps))
	ps = g.bitRuns(ps)
	if v, ok := g.lift(ps); ok {
		return v
	}
	return g.sideBySide(ps)
}

func (g *Graph) sideBySide(ps []piece) Val {
	v, at := g.Const(0), 0
	for _, p := range ps {
		v = g.binary(Or, 64, v, g.ShlK(g.Extract(p.v, p.lo, p.w), at))
		at += p.w
	}
	return v
}

// resolve looks through extracts, and joins pieces that were neighbours.
func (g *Graph) resolve(ps []piece) []piece {
	out := make([]piece, 0, len(ps))
	for _, p := range ps {
		out = appendPiece(out, g.through(p))
	}
	return out
}

func (g *Graph) through(p piece) piece {
	for {
		n := g.Nodes[p.v]
		if n.Op != Extract || p.lo+p.w > int(n.W) {
			return p
		}
		p = piece{n.A, p.lo + int(n.Imm), p.w}
	}
}

// reversed finds runs of bytes of one value in falling order.
func (g *Graph) reversed(ps []piece) []piece {
	out := make([]piece, 0, len(ps))
	for i := 0; i < len(ps); {
		n := 1
		for i+n < len(ps) && isByte(ps[i]) && isByte(ps[i+n]) && ps[i+n].v == ps[i].v && ps[i+n].lo == ps[i].lo-8*n {
			n++
		}
		if n > 1 {
			swapped := g.unary(Reverse, 64, ps[i].v, 0)
			out = appendPiece(out, piece{swapped, 56 - ps[i].lo, 8 * n})
		} else {
			out = appendPiece(out, ps[i])
		}
		i += n
	}
	return out
}

func isByte(p piece) bool { return p.w == 8 && p.lo%8 == 0 }

// minRun is from how many bits on a run of single bits is looked at.
const minRun = 4

// bitRuns replaces runs of single bits that are one operation.
func (g *Graph) bitRuns(ps []piece) []piece {
	out := make([]piece, 0, len(ps))
	for i := 0; i < len(ps); {
		n := 0
		for i+n < len(ps) && ps[i+n].w == 1 {
			n++
		}
		if n < minRun {
			n = max(n, 1)
			out = append(out, ps[i:i+n]...)
		} else {
			out = append(out, g.bitRun(ps[i:i+n])...)
		}
		i += n
	}
	return out
}

func (g *Graph) bitRun(bits []piece) []piece {
	if v, ok := g.linear(bits); ok {
		return []piece{{v, 0, len(bits)}}
	}
	var out []piece
	for len(bits) > 0 {
		v, n := g.comparisons(bits)
		if n < minRun {
			out = append(out, bits[0])
			bits = bits[1:]
			continue
		}
		out = append(out, piece{v, 0, n})
		bits = bits[n:]
	}
	return out
}

// comparisons recognises a value compared with one number after the other, as
// in a decoder or a mask of the bits below a number. It returns how many bits it covers.
func (g *Graph) comparisons(bits []piece) (Val, int) {
	x, first, op, flipped, ok := g.comparison(bits[0])
	if !ok {
		return None, 0
	}
	n := 1
	for n < len(bits) {
		y, k, op2, flipped2, ok := g.comparison(bits[n])
		if !ok || y != x || op2 != op || flipped2 != flipped || k != first+uint64(n) {
			break
		}
		n++
	}
	if n < minRun || first+uint64(n) > 64 {
		return None, 0
	}
	var v Val
	switch {
	case op == Eq || op == Ne:
		v = g.binary(Shl, 64, g.Const(1), x)
	case (op == Le) != flipped: // k <= x, or its opposite x < k
		v = g.binary(Sub, 64, g.binary(Shl, 64, g.Const(2), x), g.Const(1))
	default: // k < x, or its opposite x <= k
		v = g.binary(Sub, 64, g.binary(Shl, 64, g.Const(1), x), g.Const(1))
	}
	v = g.Extract(v, int(first), n)
	if flipped || op == Ne {
		v = g.Not(n, v)
	}
	return v, n
}

// comparison splits a bit that compares x with a constant; flipped says that
// x is on the left of a less.
func (g *Graph) comparison(p piece) (x Val, k uint64, op Op, flipped, ok bool) {
	n := g.Nodes[p.v]
	if p.lo != 0 {
		return None, 0, 0, false, false
	}
	switch n.Op {
	case Eq, Ne:
		k, ok = g.IsConst(n.B)
		return n.A, k, n.Op, false, ok
	case Lt, Le:
		if k, ok = g.IsConst(n.A); ok {
			return n.B, k, n.Op, false, true
		}
		k, ok = g.IsConst(n.B)
		return n.A, k, n.Op, true, ok
	}
	return None, 0, 0, false, false
}
