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
