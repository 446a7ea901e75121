package netlist

import "math/bits"

// A tree of choices between bits of one value is a shift by what chooses.

// selectBits turns a choice between two extracts of one value into an extract
// at a place that depends on the condition.
func (g *Graph) selectBits(cond, a, b Val) (Val, bool) {
	if a == None || b == None {
		return None, false
	}
	x, y := g.extractAt(a), g.extractAt(b)
	if x.w != y.w || x.w == 0 {
		return None, false
	}
	if x.fixed == y.fixed && x.amount == y.amount && x.amount != None && x.v != y.v {
		return g.extractFrom(g.Mux(cond, x.v, y.v), x), true
	}
	if x.v != y.v || x.amount != y.amount {
		return None, false
	}
	if x.fixed < y.fixed {
		x, y, cond = y, x, g.Not(1, cond)
	}
	d := x.fixed - y.fixed
	if bits.OnesCount64(d) != 1 || y.fixed&d != 0 || y.amount != None && g.mayOverlap(y.amount, d) {
		return None, false
	}
	step := g.ShlK(cond, bits.TrailingZeros64(d))
	if y.amount != None {
		step = g.binary(Or, 64, y.amount, step)
	}
	y.amount = step
	return g.extractFrom(y.v, y), true
}

// mayOverlap reports whether an amount may have the bit d set already. Amounts
// are made of bits that are shifted to their places, lowest first.
func (g *Graph) mayOverlap(amount Val, d uint64) bool { return g.Nodes[amount].Mask()&d != 0 }

// dynamicExtract is w bits of v from bit amount + fixed on; the two have no
// bits in common. A None amount is zero. A w of 0 is none.
type dynamicExtract struct {
	v      Val
	amount Val
	fixed  uint64
	w      int
}

func (g *Graph) extractAt(v Val) dynamicExtract {
	n := g.Nodes[v]
	if n.Op != Extract {
		return dynamicExtract{}
	}
	inner := g.Nodes[n.A]
	if n.Imm == 0 && inner.Op == Shr {
		e := dynamicExtract{v: inner.A, amount: inner.B, w: int(n.W)}
		if at := g.Nodes[inner.B]; at.Op == Or {
			if k, ok := g.IsConst(at.B); ok {
				e.amount, e.fixed = at.A, k
			}
		}
		return e
	}
	return dynamicExtract{v: n.A, amount: None, fixed: n.Imm, w: int(n.W)}
}

func (g *Graph) extractFrom(v Val, e dynamicExtract) Val {
	at := e.amount
	if e.fixed != 0 {
		at = g.binary(Or, 64, at, g.Const(e.fixed))
	}
	return g.unary(Extract, e.w, g.binary(Shr, 64, v, at), 0)
}

// together joins two neighbouring extracts of one value that an Or puts side
// by side, as the bits of an amount are.
func (g *Graph) together(n Node) (Val, bool) {
	if n.Op != Or {
		return None, false
	}
	for _, o := range [2][2]Val{{n.A, n.B}, {n.B, n.A}} {
		high := g.Nodes[o[1]]
		if high.Op != ShlK {
			continue
		}
		low := g.asPiece(o[0])
		up := g.asPiece(high.A)
		if low.v == up.v && low.w == int(high.Imm) && up.lo == low.lo+low.w {
			return g.Extract(low.v, low.lo, low.w+up.w), true
		}
	}
	return None, false
}

// asPiece sees a value as bits of another one, or of itself.
func (g *Graph) asPiece(v Val) piece {
	n := g.Nodes[v]
	if n.Op == Extract {
		return piece{n.A, int(n.Imm), int(n.W)}
	}
	return piece{v, 0, int(n.W)}
}
