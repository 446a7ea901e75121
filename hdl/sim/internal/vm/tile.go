package vm

import (
	"gornic/hdl/sim/internal/netlist"
	"gornic/hdl/sim/internal/plan"
)

// A tile is one instruction and the values that it computes on the way, which
// nobody else reads.
type tile struct {
	in       instr
	a, b, c  netlist.Val
	absorbed [2]netlist.Val
}

// absorbAll marks the values that are computed on the way. Users are looked
// at before what they use, so what is absorbed absorbs nothing itself.
func (c *compiler) absorbAll(body []plan.Stmt) {
	for i := len(body) - 1; i >= 0; i-- {
		switch s := body[i]; s.Kind {
		case plan.Calc:
			if c.absorbed[s.Val] {
				continue
			}
			for _, v := range c.tile(s.Val).absorbed {
				if v != netlist.None {
					c.absorbed[v] = true
				}
			}
		case plan.Branch:
			c.absorbAll(s.Else)
			c.absorbAll(s.Then)
			if op := c.g.Nodes[s.Val].Op; c.alone(s.Val) && (op == netlist.Eq || op == netlist.Ne) {
				c.absorbed[s.Val] = true
			}
		}
	}
}

// alone reports whether a computed value has one reader.
func (c *compiler) alone(v netlist.Val) bool {
	return v != netlist.None && !c.p.IsState(v) && c.p.Uses[v] == 1 && c.p.Same[v] == v && c.p.Slot[v] < 0
}

// operand returns the node of an operand that may be absorbed if it has the
// operation op.
func (c *compiler) operand(v netlist.Val, op netlist.Op) (netlist.Node, bool) {
	if !c.alone(v) {
		return netlist.Node{}, false
	}
	n := c.g.Nodes[v]
	return n, n.Op == op
}

func (c *compiler) calc(v netlist.Val) {
	t := c.tile(v)
	if t.in.op == opMove {
		c.move(c.at(v), c.at(t.a))
		return
	}
	t.in.dst = c.at(v)
	for _, o := range [3]struct {
		v  netlist.Val
		to *uint32
	}{{t.a, &t.in.a}, {t.b, &t.in.b}, {t.c, &t.in.c}} {
		if o.v != netlist.None {
			*o.to = c.at(o.v)
		}
	}
	c.emit(t.in)
}

var direct = map[netlist.Op]opcode{
	netlist.And: opAnd, netlist.Or: opOr, netlist.Xor: opXor, netlist.Add: opAdd, netlist.Sub: opSub,
	netlist.Mul: opMul, netlist.MulHi: opMulHi, netlist.Eq: opEq, netlist.Ne: opNe, netlist.Lt: opLt,
	netlist.Le: opLe, netlist.Shl: opShl, netlist.Shr: opShr, netlist.Sar: opSar, netlist.ShlK: opShlK,
	netlist.Extract: opExtract, netlist.Mux: opMux, netlist.Parity: opParity, netlist.Reverse: opReverse,
	netlist.Linear: opLinear, netlist.MemRead: opMemRead,
}

// tile chooses the instruction for a value.
func (c *compiler) tile(v netlist.Val) tile {
	n := c.g.Nodes[v]
	t := tile{
		in: instr{op: direct[n.Op], imm: n.Mask()}, a: n.A, b: n.B, c: n.C,
		absorbed: [2]netlist.Val{netlist.None, netlist.None},
	}
	switch n.Op {
	case netlist.Mux:
		if n.B == netlist.None || n.C == netlist.None {
			t.in.op, t.a = opMove, max(n.B, n.C) // the other one may be anything
		}
	case netlist.Linear:
		t.in.imm = n.Imm
	case netlist.Extract:
		t.in.lo = uint8(n.Imm)
	case netlist.ShlK:
		c.tileShlK(&t, n)
	case netlist.MemRead:
		m := c.n.Mems[n.Imm>>8]
		t.in.imm = uint64(m.Memory.Depth)
		t.in.b, t.in.c = uint32(m.Slot)+uint32(n.Imm&0xff), uint32(m.Parts)
	case netlist.And:
		c.tileAnd(&t, n)
	case netlist.Or:
		_ = c.tileOr(&t, n.A, n.B) || c.tileOr(&t, n.B, n.A)
	case netlist.Xor:
		_ = c.tileXor(&t, n.A, n.B) || c.tileXor(&t, n.B, n.A)
	}
	return t
}

func (c *compiler) tileShlK(t *tile, n netlist.Node) {
	t.in.lo = uint8(n.Imm)
	if e, ok := c.operand(n.A, netlist.Extract); ok {
		t.in = instr{op: opPlace, lo: uint8(e.Imm), hi: uint8(n.Imm), imm: e.Mask()}
		t.a, t.absorbed[0] = e.A, n.A
	}
}

// tileAnd finds a & ^b.
func (c *compiler) tileAnd(t *tile, n netlist.Node) {
	for _, o := range [2][2]netlist.Val{{n.A, n.B}, {n.B, n.A}} {
		inv, ok := c.operand(o[1], netlist.Xor)
		if !ok {
			continue
		}
		ones, isConst := c.g.IsConst(inv.B)
		if need := c.g.Nodes[o[0]].Mask(); isConst && ones&need == need {
			t.in.op = opAndNot
			t.a, t.b, t.absorbed[0] = o[0], inv.A, o[1]
			return
		}
	}
}

// tileOr finds a | (b >> lo & mask) << hi.
func (c *compiler) tileOr(t *tile, a, b netlist.Val) bool {
	s, ok := c.operand(b, netlist.ShlK)
	if !ok {
		return false
	}
	t.in = instr{op: opInsert, hi: uint8(s.Imm), imm: ^uint64(0)}
	t.a, t.b, t.absorbed[0] = a, s.A, b
	if e, ok := c.operand(s.A, netlist.Extract); ok {
		t.in.lo, t.in.imm = uint8(e.Imm), e.Mask()
		t.b, t.absorbed[1] = e.A, s.A
	}
	return true
}

// tileXor finds a ^ b & c.
func (c *compiler) tileXor(t *tile, a, b netlist.Val) bool {
	n, ok := c.operand(b, netlist.And)
	if !ok {
		return false
	}
	t.in.op = opXorAnd
	t.a, t.b, t.c, t.absorbed[0] = a, n.A, n.B, b
	return true
}
