package netlist

import "math/bits"

// Val is the number of a value in a Graph. Operands have smaller numbers than
// their users, so counting up is an order of evaluation.
type Val int32

// None is no value: an operand that is not there, or one that may be anything.
const None Val = -1

// Op is the operation of a node. All values are unsigned, of at most 64 bits.
type Op uint8

// The operations on operands a, b, c.
const (
	Leaf    Op = iota // word Imm of the store: an input or state
	Const             // Imm
	And               // a & b
	Or                // a | b
	Xor               // a ^ b
	Add               // a + b, modulo 2^W
	Sub               // a - b, modulo 2^W
	Mul               // a * b, modulo 2^W
	MulHi             // the high 64 bits of a * b
	Eq                // a == b
	Ne                // a != b
	Lt                // a < b
	Le                // a <= b
	Shl               // a << b, modulo 2^W; 0 where b >= 64
	Shr               // a >> b; 0 where b >= 64
	Sar               // a >> b of two's complement over 64 bits
	ShlK              // a << Imm; nothing is lost
	Extract           // W bits of a from bit Imm
	Mux               // a != 0 ? b : c; b or c may be None where the result is not used then
	Parity            // of a
	Reverse           // the 8 bytes of a in reverse order
	Linear            // the exclusive or of the columns of matrix Imm where a has ones
	MemRead           // word a of memory Imm>>8, its 64-bit part Imm&0xff
)

var opNames = [...]string{"leaf", "const", "and", "or", "xor", "add", "sub", "mul", "mulhi", "eq", "ne", "lt", "le",
	"shl", "shr", "sar", "shlk", "extract", "mux", "parity", "reverse", "linear", "memread"}

// String returns the name of the operation.
func (op Op) String() string { return opNames[op] }

// Node is one operation. It is its own key: equal nodes are the same value.
type Node struct {
	Op      Op
	W       uint8 // the result is less than 2^W; 1..64
	A, B, C Val
	Imm     uint64
}

// Mask is the largest value that the node may have.
func (n Node) Mask() uint64 { return mask(int(n.W)) }

// Operands returns the operands that are there.
func (n Node) Operands() []Val {
	all := [3]Val{n.A, n.B, n.C}
	out := make([]Val, 0, 3)
	for _, v := range all {
		if v != None {
			out = append(out, v)
		}
	}
	return out
}

// Graph holds nodes, each once.
type Graph struct {
	Nodes    []Node
	Matrices []Matrix
	index    map[Node]Val
	matrices map[Matrix]int
}

// NewGraph returns an empty graph.
func NewGraph() *Graph { return &Graph{index: map[Node]Val{}, matrices: map[Matrix]int{}} }

func mask(w int) uint64 {
	if w >= 64 {
		return ^uint64(0)
	}
	return 1<<w - 1
}

// Const returns a constant.
func (g *Graph) Const(v uint64) Val {
	return g.intern(Node{Op: Const, W: uint8(max(1, bits.Len64(v))), A: None, B: None, C: None, Imm: v})
}

// Leaf returns a word of the store, w bits of which are used.
func (g *Graph) Leaf(w, slot int) Val {
	return g.intern(Node{Op: Leaf, W: uint8(w), A: None, B: None, C: None, Imm: uint64(slot)})
}

func (g *Graph) width(v Val) int { return int(g.Nodes[v].W) }

// IsConst reports whether v is a constant, and which.
func (g *Graph) IsConst(v Val) (uint64, bool) {
	if v == None || g.Nodes[v].Op != Const {
		return 0, false
	}
	return g.Nodes[v].Imm, true
}

func (g *Graph) intern(n Node) Val {
	if v, ok := g.index[n]; ok {
		return v
	}
	v := Val(len(g.Nodes))
	g.Nodes = append(g.Nodes, n)
	g.index[n] = v
	return v
}

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
	case Xor, Add, Sub, Shl, Shr, Sar:
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

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// Eval computes a node from its operands. It is the meaning of every
// operation but Leaf, MemRead and Linear, which need more.
func (n Node) Eval(a, b, c uint64) uint64 {
	switch n.Op {
	case Const:
		return n.Imm
	case And:
		return a & b
	case Or:
		return a | b
	case Xor:
		return a ^ b
	case Add:
		return (a + b) & n.Mask()
	case Sub:
		return (a - b) & n.Mask()
	case Mul:
		return a * b & n.Mask()
	case MulHi:
		hi, _ := bits.Mul64(a, b)
		return hi
	case Shl:
		return a << b & n.Mask()
	case Shr:
		return a >> b
	case Sar:
		return uint64(int64(a) >> b)
	case ShlK:
		return a << n.Imm
	case Extract:
		return a >> n.Imm & n.Mask()
	case Mux:
		if a != 0 {
			return b
		}
		return c
	case Parity:
		return uint64(bits.OnesCount64(a) & 1)
	case Reverse:
		return bits.ReverseBytes64(a)
	}
	return b2u(n.compare(a, b))
}

func (n Node) compare(a, b uint64) bool {
	switch n.Op {
	case Eq:
		return a == b
	case Ne:
		return a != b
	case Lt:
		return a < b
	case Le:
		return a <= b
	}
	panic("netlist: no value for " + n.Op.String())
}
