package ir

// Op is the operation of a Node.
type Op int

// The operations. "w" is the node's width. Operands are a, b, c in order.
const (
	OpInvalid Op = iota // a poison value: the result of a faulty operation, already reported
	OpConst             // Node.Const
	OpSignal            // the final value of Node.Signal in this cycle
	OpNot               // ~a
	OpAnd               // a & b
	OpOr                // a | b
	OpXor               // a ^ b
	OpAdd               // a + b, modulo 2^w
	OpSub               // a - b, modulo 2^w
	OpMul               // a * b; w is the sum of the operands' widths
	OpEq                // a == b; one bit
	OpNe                // a != b; one bit
	OpLt                // a < b, unsigned; one bit
	OpLe                // a <= b, unsigned; one bit
	OpSLt               // a < b, two's complement; one bit
	OpSLe               // a <= b, two's complement; one bit
	OpShl               // a << b; zeros come in; b has any width
	OpShr               // a >> b; zeros come in
	OpSar               // a >> b; the sign comes in
	OpSlice             // bits Lo .. Lo+w-1 of a
	OpCat               // operands side by side, the first one most significant
	OpRepeat            // a, Lo times side by side
	OpMux               // a (one bit) ? b : c
	OpRedOr             // any bit of a is one; one bit
	OpRedAnd            // every bit of a is one; one bit
	OpRedXor            // parity of a; one bit
	OpMemRead           // word a of Node.Memory in this cycle (asynchronous memories)
)

var opNames = [...]string{
	"invalid", "const", "signal", "not", "and", "or", "xor", "add", "sub", "mul", "eq", "ne", "lt", "le",
	"slt", "sle", "shl", "shr", "sar", "slice", "cat", "repeat", "mux", "redor", "redand", "redxor", "memread",
}

// String returns the operation's name, such as "redxor".
func (op Op) String() string { return opNames[op] }

// Node is one expression. Nodes are shared: a value that the author kept in a
// Go variable and used twice is one node.
type Node struct {
	Op     Op
	Width  int // in bits, at least 1 except for OpInvalid
	Args   []*Node
	Const  Const   // OpConst
	Signal *Signal // OpSignal
	Memory *Memory // OpMemRead
	Lo     int     // OpSlice: lowest bit; OpRepeat: count
	Module *Module // whose signals it reads; nil for a constant
	Seq    int     // for readable names: nodes are numbered as they are made; 0 where it is not known
	Field  string  // for a readable name: the field that it is of the bundle made at Pos; may be empty
	Pos    Pos
}
