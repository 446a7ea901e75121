package netlist

import (
	"math/bits"

	"gornic/hdl/ir"
)

// add returns a + b of width bits. Only the carries between parts are made.
func (g *Graph) add(a, b Vec, width int) Vec {
	carry := g.Const(0)
	return each(width, func(i, w int) Val {
		sum := g.binary(Add, w, a[i], b[i])
		out := g.binary(Add, w, sum, carry)
		if 64*i+w < width {
			carry = g.binary(Or, 1, g.binary(Lt, 1, sum, a[i]), g.binary(Lt, 1, out, sum))
		}
		return out
	})
}

// sub returns a - b of width bits.
func (g *Graph) sub(a, b Vec, width int) Vec {
	borrow := g.Const(0)
	return each(width, func(i, w int) Val {
		diff := g.binary(Sub, w, a[i], b[i])
		out := g.binary(Sub, w, diff, borrow)
		if 64*i+w < width {
			borrow = g.binary(Or, 1, g.binary(Lt, 1, a[i], b[i]), g.binary(Lt, 1, diff, borrow))
		}
		return out
	})
}

// mul returns a * b of width bits, the sum of their widths, row by row.
func (g *Graph) mul(a, b Vec, width int) Vec {
	if width <= 64 {
		return Vec{g.binary(Mul, width, a[0], b[0])}
	}
	total := g.zero(width)
	for i, x := range a {
		for j, y := range b {
			product := g.zero(width)
			product[i+j] = g.binary(Mul, 64, x, y)
			if i+j+1 < len(product) {
				product[i+j+1] = g.binary(MulHi, 64, x, y)
			}
			total = g.add(total, product, width)
		}
	}
	return total
}

// shl returns a << n of width bits.
func (g *Graph) shl(a, n Vec, width int) Vec {
	if len(a) == 1 {
		return Vec{g.tooFar(n, 64, g.binary(Shl, width, a[0], n[0]), g.Const(0))}
	}
	at := func(v Vec, i int) Val {
		if i < 0 {
			return g.Const(0)
		}
		return v[i]
	}
	moved := g.moveParts(a, n, func(v Vec, i, by int) Val { return at(v, i-by) })
	small := g.Extract(n[0], 0, 6)
	rest := g.binary(Sub, 64, g.Const(64), small)
	v := each(width, func(i, w int) Val {
		low := g.binary(Shr, 64, at(moved, i-1), rest)
		return g.binary(Or, w, g.binary(Shl, w, moved[i], small), g.Extract(low, 0, w))
	})
	return g.beyond(v, n, g.zero(width))
}

// shr returns a >> n of width bits; sign, all ones or all zeros, comes in.
func (g *Graph) shr(a, n Vec, width int, sign Val) Vec {
	if len(a) == 1 {
		return Vec{g.shrPart(a[0], n, width, sign)}
	}
	a = g.extendTop(a, width, sign)
	at := func(v Vec, i int) Val {
		if i >= len(v) {
			return sign
		}
		return v[i]
	}
	moved := g.moveParts(a, n, func(v Vec, i, by int) Val { return at(v, i+by) })
	small := g.Extract(n[0], 0, 6)
	rest := g.binary(Sub, 64, g.Const(64), small)
	v := each(width, func(i, w int) Val {
		high := g.binary(Shl, 64, at(moved, i+1), rest)
		return g.Extract(g.binary(Or, 64, g.binary(Shr, 64, moved[i], small), high), 0, w)
	})
	fill := each(width, func(_, w int) Val { return g.Extract(sign, 0, w) })
	return g.beyond(v, n, fill)
}

// shrPart is shr of at most 64 bits.
func (g *Graph) shrPart(a Val, n Vec, width int, sign Val) Val {
	op := Shr
	if k, known := g.IsConst(sign); !known || k != 0 {
		op = Sar
		a = g.extendTop(Vec{a}, width, sign)[0]
	}
	v := g.Extract(g.binary(op, 64, a, n[0]), 0, width)
	return g.tooFar(n, 64, v, g.Extract(sign, 0, width))
}

// extendTop fills the bits of the top part above width with the sign.
func (g *Graph) extendTop(a Vec, width int, sign Val) Vec {
	out := append(Vec(nil), a...)
	if r := width % 64; r != 0 {
		top := len(a) - 1
		out[top] = g.binary(Or, 64, a[top], g.binary(And, 64, sign, g.Const(^mask(r))))
	}
	return out
}

// signOf returns 64 copies of the top bit.
func (g *Graph) signOf(a Vec, width int) Val {
	bit := g.slice(a, width-1, 1)[0]
	return g.binary(Sub, 64, g.Const(0), bit)
}

// moveParts shifts by whole parts, as bits 6 and up of n say, as far as the
// value has parts.
func (g *Graph) moveParts(a, n Vec, from func(v Vec, i, by int) Val) Vec {
	for k := 0; 1<<k < len(a); k++ {
		if 6+k >= 64 {
			break
		}
		bit := g.Extract(n[0], 6+k, 1)
		moved := make(Vec, len(a))
		for i := range a {
			moved[i] = g.Mux(bit, from(a, i, 1<<k), a[i])
		}
		a = moved
	}
	return a
}

// beyond replaces v where n is larger than moveParts has looked at.
func (g *Graph) beyond(v, n Vec, fill Vec) Vec {
	reach := 64 << bits.Len(uint(len(v)-1))
	out := make(Vec, len(v))
	for i := range v {
		out[i] = g.tooFar(n, reach, v[i], fill[i])
	}
	return out
}

// tooFar returns fill where n >= reach, a power of two of 64 or more, and v
// elsewhere. A shift of one part by 64 or more needs no help within n's first part.
func (g *Graph) tooFar(n Vec, reach int, v, fill Val) Val {
	far := g.any(append(Vec{g.Const(0)}, n[1:]...))
	if reach > 64 && uint64(reach) <= mask(g.width(n[0])) {
		far = g.binary(Or, 1, far, g.binary(Le, 1, g.Const(uint64(reach)), n[0]))
	}
	return g.Mux(far, fill, v)
}

// apply computes a node from the values of its operands.
func (b *Builder) apply(n *ir.Node, a []Vec) Vec {
	g := b.g
	switch n.Op {
	case ir.OpConst:
		return g.constVec(n.Const)
	case ir.OpNot:
		return each(n.Width, func(i, w int) Val { return g.Not(w, a[0][i]) })
	case ir.OpAnd, ir.OpOr, ir.OpXor:
		op := And + Op(n.Op-ir.OpAnd)
		return each(n.Width, func(i, w int) Val { return g.binary(op, w, a[0][i], a[1][i]) })
	case ir.OpAdd:
		return g.add(a[0], a[1], n.Width)
	case ir.OpSub:
		return g.sub(a[0], a[1], n.Width)
	case ir.OpMul:
		return g.mul(a[0], a[1], n.Width)
	case ir.OpEq:
		return Vec{g.equal(a[0], a[1])}
	case ir.OpNe:
		return Vec{g.Not(1, g.equal(a[0], a[1]))}
	case ir.OpLt, ir.OpLe:
		return Vec{g.less(a[0], a[1], n.Op == ir.OpLe)}
	case ir.OpSLt, ir.OpSLe:
		w := n.Args[0].Width
		return Vec{g.less(g.flipSign(a[0], w), g.flipSign(a[1], w), n.Op == ir.OpSLe)}
	case ir.OpShl:
		return g.shl(a[0], a[1], n.Width)
	case ir.OpShr:
		return g.shr(a[0], a[1], n.Width, g.Const(0))
	case ir.OpSar:
		return g.shr(a[0], a[1], n.Width, g.signOf(a[0], n.Width))
	}
	return b.applyOther(n, a)
}

// applyOther is apply for the operations that move or reduce bits.
func (b *Builder) applyOther(n *ir.Node, a []Vec) Vec {
	g := b.g
	switch n.Op {
	case ir.OpSlice:
		return g.slice(a[0], n.Lo, n.Width)
	case ir.OpCat:
		var ps []piece
		for i := len(a) - 1; i >= 0; i-- {
			ps = append(ps, pieces(a[i], 0, n.Args[i].Width)...)
		}
		return g.join(ps)
	case ir.OpRepeat:
		return g.repeat(a[0], n.Args[0].Width, n.Lo)
	case ir.OpMux:
		return each(n.Width, func(i, _ int) Val { return g.Mux(a[0][0], a[1][i], a[2][i]) })
	case ir.OpRedOr:
		return Vec{g.any(a[0])}
	case ir.OpRedAnd:
		return Vec{g.full(a[0], n.Args[0].Width)}
	case ir.OpRedXor:
		return Vec{g.parity(a[0])}
	case ir.OpMemRead:
		return b.memRead(n, a[0])
	}
	b.failf("%s: operation %s cannot be simulated", n.Pos, n.Op)
	return g.zero(max(n.Width, 1))
}

// repeat puts count copies of a side by side; copies of one bit are a mask.
func (g *Graph) repeat(a Vec, width, count int) Vec {
	if width == 1 {
		all := g.binary(Sub, 64, g.Const(0), a[0])
		return each(count, func(_, w int) Val { return g.Extract(all, 0, w) })
	}
	var ps []piece
	for range count {
		ps = append(ps, pieces(a, 0, width)...)
	}
	return g.join(ps)
}
