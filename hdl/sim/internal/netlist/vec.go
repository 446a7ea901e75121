package netlist

import "gornic/hdl/ir"

// Vec is a value of any width in 64-bit parts, least significant first. The
// last part holds what is left over.
type Vec []Val

// partWidth is the width of part i of a value of width bits.
func partWidth(width, i int) int { return min(64, width-64*i) }

func (g *Graph) constVec(c ir.Const) Vec {
	v := make(Vec, len(c.Words))
	for i, w := range c.Words {
		v[i] = g.Const(w)
	}
	return v
}

// zero returns zeros of a width.
func (g *Graph) zero(width int) Vec {
	v := make(Vec, ir.WordCount(width))
	for i := range v {
		v[i] = g.Const(0)
	}
	return v
}

// leafVec returns the words of the store from slot on.
func (g *Graph) leafVec(width, slot int) Vec {
	v := make(Vec, ir.WordCount(width))
	for i := range v {
		v[i] = g.Leaf(partWidth(width, i), slot+i)
	}
	return v
}

// each applies f to every part of one or more values of equal width.
func each(width int, f func(i, w int) Val) Vec {
	v := make(Vec, ir.WordCount(width))
	for i := range v {
		v[i] = f(i, partWidth(width, i))
	}
	return v
}

// A piece is some bits of a value.
type piece struct {
	v     Val
	lo, w int
}

// pieces cuts the bits lo .. lo+w-1 of a value.
func pieces(v Vec, lo, w int) []piece {
	var out []piece
	for w > 0 {
		n := min(w, 64-lo%64)
		out = append(out, piece{v[lo/64], lo % 64, n})
		lo += n
		w -= n
	}
	return out
}

// join puts pieces side by side, the first one least significant.
func (g *Graph) join(ps []piece) Vec {
	var out Vec
	var part []piece
	room := 64
	for _, p := range ps {
		for p.w > 0 {
			n := min(p.w, room)
			part = appendPiece(part, piece{p.v, p.lo, n})
			p.lo, p.w, room = p.lo+n, p.w-n, room-n
			if room == 0 {
				out = append(out, g.part(part))
				part, room = nil, 64
			}
		}
	}
	if len(part) > 0 {
		out = append(out, g.part(part))
	}
	return out
}

// appendPiece adds a piece, as one with the last where they were one.
func appendPiece(ps []piece, p piece) []piece {
	if n := len(ps); n > 0 {
		if last := &ps[n-1]; last.v == p.v && last.lo+last.w == p.lo {
			last.w += p.w
			return ps
		}
	}
	return append(ps, p)
}

// slice returns w bits of a value from bit lo.
func (g *Graph) slice(v Vec, lo, w int) Vec { return g.join(pieces(v, lo, w)) }

// any returns one bit: some bit of the value is one.
func (g *Graph) any(v Vec) Val {
	all := v[0]
	for _, p := range v[1:] {
		all = g.binary(Or, 64, all, p)
	}
	return g.Bool(all)
}

// equal returns one bit: both values are the same.
func (g *Graph) equal(a, b Vec) Val {
	if len(a) == 1 {
		return g.binary(Eq, 1, a[0], b[0])
	}
	differ := g.Const(0)
	for i := range a {
		differ = g.binary(Or, 64, differ, g.binary(Xor, 64, a[i], b[i]))
	}
	return g.binary(Eq, 1, differ, g.Const(0))
}

// less returns one bit: a < b, or a <= b with orEqual.
func (g *Graph) less(a, b Vec, orEqual bool) Val {
	op := Lt
	if orEqual {
		op = Le
	}
	v := g.binary(op, 1, a[0], b[0])
	for i := 1; i < len(a); i++ {
		same := g.binary(Eq, 1, a[i], b[i])
		v = g.binary(Or, 1, g.binary(Lt, 1, a[i], b[i]), g.binary(And, 1, same, v))
	}
	return v
}

// flipSign inverts the top bit, which maps the order of two's complement to
// that of unsigned numbers.
func (g *Graph) flipSign(v Vec, width int) Vec {
	out := append(Vec(nil), v...)
	i := len(v) - 1
	out[i] = g.binary(Xor, 64, v[i], g.Const(1<<(partWidth(width, i)-1)))
	return out
}

// parity returns one bit: the number of ones is odd.
func (g *Graph) parity(v Vec) Val {
	all := v[0]
	for _, p := range v[1:] {
		all = g.binary(Xor, 64, all, p)
	}
	if g.width(all) == 1 {
		return all
	}
	return g.unary(Parity, 1, all, 0)
}

// full returns one bit: every bit is one.
func (g *Graph) full(v Vec, width int) Val {
	ones := make(Vec, len(v))
	for i := range v {
		ones[i] = g.Const(mask(partWidth(width, i)))
	}
	return g.equal(v, ones)
}
