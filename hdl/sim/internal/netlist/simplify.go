package netlist

// unary and binary make a node of w bits, folded and simplified.
func (g *Graph) unary(op Op, w int, a Val, imm uint64) Val {
	n := Node{Op: op, W: uint8(w), A: a, B: None, C: None, Imm: imm}
	if x, ok := g.IsConst(a); ok && op == Linear {
		return g.Const(g.Matrices[imm].Times(x))
	} else if ok && op != MemRead {
		return g.Const(n.Eval(x, 0, 0))
	}
	return g.intern(n)
}

func (g *Graph) binary(op Op, w int, a, b Val) Val {
	x, constA := g.IsConst(a)
	y, constB := g.IsConst(b)
	n := Node{Op: op, W: uint8(w), A: a, B: b, C: None}
	if constA && constB {
		return g.Const(n.Eval(x, y, 0))
	}
	if op.commutes() && (constA || !constB && a > b) {
		n.A, n.B = b, a
		y, constB = x, constA
	}
	if v, ok := g.simplify(n, y, constB); ok {
		return v
	}
	if v, ok := g.together(n); ok {
		return v
	}
	n.W = uint8(min(w, g.bound(n)))
	return g.intern(n)
}

// bound is how wide the result of a binary node can get.
func (g *Graph) bound(n Node) int {
	a, b := g.width(n.A), g.width(n.B)
	switch n.Op {
	case And:
		return min(a, b)
	case Or, Xor:
		return max(a, b)
	case Add:
		return max(a, b) + 1
	case Mul:
		return a + b
	case Shr:
		return a
	}
	return 64
}

func (op Op) commutes() bool {
	switch op {
	case And, Or, Xor, Add, Mul, MulHi, Eq, Ne:
		return true
	}
	return false
}

// simplify applies the identities of a binary node whose right operand may be
// the constant y. The node's W is still the width that was asked for.
func (g *Graph) simplify(n Node, y uint64, isConst bool) (Val, bool) {
	if !isConst {
		return g.sameOperands(n)
	}
	full := mask(g.width(n.A))
	switch n.Op {
	case And:
		if y == 0 {
			return n.B, true
		}
		return n.A, y&full == full
	case Or:
		if y == n.Mask() {
			return n.B, true
		}
		return n.A, y == 0
	case Shl, Shr:
		return g.shiftConst(n, y), true
	case Xor, Add, Sub, Sar:
		return n.A, y == 0 && g.width(n.A) <= int(n.W)
	case Mul:
		if y == 0 {
			return n.B, true
		}
		return n.A, y == 1 && g.width(n.A) <= int(n.W)
	case Eq, Ne:
		return g.equalsConst(n, y)
	case Lt:
		return g.Const(0), y == 0
	case Le:
		return g.Const(1), y >= full
	}
	return None, false
}

// shiftConst is a shift by a constant: a move of bits.
func (g *Graph) shiftConst(n Node, y uint64) Val {
	switch w := int(n.W); {
	case y >= 64 || n.Op == Shl && int(y) >= w:
		return g.Const(0)
	case n.Op == Shr:
		return g.Extract(n.A, int(y), w)
	default:
		return g.ShlK(g.Extract(n.A, 0, w-int(y)), int(y))
	}
}

// equalsConst simplifies comparisons of one bit with 0 and 1.
func (g *Graph) equalsConst(n Node, y uint64) (Val, bool) {
	if y > mask(g.width(n.A)) {
		return g.Const(b2u(n.Op == Ne)), true
	}
	if g.width(n.A) != 1 {
		return None, false
	}
	if (n.Op == Eq) == (y == 1) {
		return n.A, true
	}
	return g.Not(1, n.A), true
}

func (g *Graph) sameOperands(n Node) (Val, bool) {
	if n.A != n.B {
		return None, false
	}
	switch n.Op {
	case And, Or:
		return n.A, true
	case Xor, Sub, Ne, Lt:
		return g.Const(0), true
	case Eq, Le:
		return g.Const(1), true
	}
	return None, false
}

// Not returns ~a of w bits.
func (g *Graph) Not(w int, a Val) Val {
	n := g.Nodes[a]
	if inner, ok := g.IsConst(n.B); ok && n.Op == Xor && inner == mask(w) {
		return n.A
	}
	if w == 1 && (n.Op == Eq || n.Op == Ne) {
		return g.binary(Eq+Ne-n.Op, 1, n.A, n.B)
	}
	return g.binary(Xor, w, a, g.Const(mask(w)))
}

// Bool returns whether a is not zero.
func (g *Graph) Bool(a Val) Val { return g.binary(Ne, 1, a, g.Const(0)) }

// Mux returns cond ? a : b; cond has one bit.
func (g *Graph) Mux(cond, a, b Val) Val {
	if c, ok := g.IsConst(cond); ok {
		if c != 0 {
			return a
		}
		return b
	}
	if a == b || b == None && g.isState(a) {
		return a
	}
	if inner, ok := g.inverted(cond); ok && a != None && b != None {
		cond, a, b = inner, b, a
	}
	if v, ok := g.muxBit(cond, a, b); ok {
		return v
	}
	if v, ok := g.selectBits(cond, a, b); ok {
		return v
	}
	w := 0
	for _, v := range [2]Val{a, b} {
		if v != None {
			w = max(w, g.width(v))
		}
	}
	return g.intern(Node{Op: Mux, W: uint8(w), A: cond, B: a, C: b})
}

func (g *Graph) isState(v Val) bool { return g.Nodes[v].Op == Leaf || g.Nodes[v].Op == Const }

// inverted returns x where v is ~x, of one bit.
func (g *Graph) inverted(v Val) (Val, bool) {
	n := g.Nodes[v]
	y, ok := g.IsConst(n.B)
	return n.A, n.Op == Xor && n.W == 1 && ok && y == 1
}

// muxBit turns a choice of one bit with a constant into a gate.
func (g *Graph) muxBit(cond, a, b Val) (Val, bool) {
	if a == None || b == None || g.width(a) > 1 || g.width(b) > 1 {
		return None, false
	}
	x, constA := g.IsConst(a)
	y, constB := g.IsConst(b)
	switch {
	case constA && constB: // different, or they would be one value
		if x == 1 {
			return cond, true
		}
		return g.Not(1, cond), true
	case constA && x == 1 || cond == a:
		return g.binary(Or, 1, cond, b), true
	case constA:
		return g.binary(And, 1, g.Not(1, cond), b), true
	case constB && y == 0 || cond == b:
		return g.binary(And, 1, cond, a), true
	case constB:
		return g.binary(Or, 1, g.Not(1, cond), a), true
	}
	return None, false
}

// Extract returns w bits of a from bit lo.
func (g *Graph) Extract(a Val, lo, w int) Val {
	n := g.Nodes[a]
	switch {
	case lo >= int(n.W):
		return g.Const(0)
	case lo == 0 && w >= int(n.W):
		return a
	case n.Op == Extract:
		return g.Extract(n.A, lo+int(n.Imm), min(w, int(n.W)-lo))
	case n.Op == ShlK && lo >= int(n.Imm):
		return g.Extract(n.A, lo-int(n.Imm), w)
	case lo == 0 && (n.Op == Add || n.Op == Sub || n.Op == Mul):
		return g.binary(n.Op, w, n.A, n.B)
	case n.Op == Or:
		if v, ok := g.extractSide(n, lo, w); ok {
			return v
		}
	}
	return g.unary(Extract, min(w, int(n.W)-lo), a, uint64(lo))
}

// extractSide extracts from one operand of an Or where the other one has no
// ones in the range, as in values that were put side by side.
func (g *Graph) extractSide(n Node, lo, w int) (Val, bool) {
	for _, o := range [2][2]Val{{n.A, n.B}, {n.B, n.A}} {
		other := g.Nodes[o[1]]
		if lo >= int(other.W) || other.Op == ShlK && lo+w <= int(other.Imm) {
			return g.Extract(o[0], lo, w), true
		}
	}
	return None, false
}

// ShlK returns a << k, of at most 64 bits.
func (g *Graph) ShlK(a Val, k int) Val {
	if k == 0 {
		return a
	}
	return g.unary(ShlK, g.width(a)+k, a, uint64(k))
}
