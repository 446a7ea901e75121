// Package vm runs a planned program as bytecode: ready in milliseconds, at a
// few nanoseconds an operation. [Compile] is the way in.
package vm

import (
	"math/bits"

	"gornic/hdl/sim/internal/netlist"
)

type opcode uint8

// Operands a, b, c are words of the store; imm is a number of the instruction.
const (
	opMove    opcode = iota // a
	opCopy                  // imm words from a on
	opAnd                   // a & b
	opAndNot                // a &^ b
	opOr                    // a | b
	opXor                   // a ^ b
	opXorAnd                // a ^ b & c
	opAdd                   // (a + b) & imm
	opSub                   // (a - b) & imm
	opMul                   // a * b & imm
	opMulHi                 // high word of a * b
	opEq                    // a == b
	opNe                    // a != b
	opLt                    // a < b
	opLe                    // a <= b
	opShl                   // a << b & imm
	opShr                   // a >> b
	opSar                   // a >> b, signed
	opShlK                  // a << lo
	opExtract               // a >> lo & imm
	opInsert                // a | (b >> lo & imm) << hi
	opPlace                 // (a >> lo & imm) << hi
	opMux                   // a != 0 ? b : c
	opParity                // of a
	opReverse               // bytes of a
	opLinear                // matrix imm times a
	opMemRead               // word a of the memory of imm words at b, c parts each
	opJump                  // to c
	opJumpEq                // to c if a == b
	opJumpNe                // to c if a != b
)

// instr is one instruction. Jumps go to c.
type instr struct {
	op           opcode
	lo, hi       uint8
	dst, a, b, c uint32
	imm          uint64
}

// Program is bytecode for one store layout.
type Program struct {
	code   []instr
	consts []constant
	tables [][]table // by matrix
	slots  int
	place  func(netlist.Val) int
}

type constant struct {
	slot  int
	value uint64
}

// table is what four bits of an input of a matrix add to the result.
type table struct {
	at    uint8 // lowest of the bits
	value [16]uint64
}

func newTables(m *netlist.Matrix) []table {
	var out []table
	for _, k := range m.Groups() {
		t := table{at: uint8(4 * k)}
		for x := range t.value {
			t.value[x] = m.Times(uint64(x) << t.at)
		}
		out = append(out, t)
	}
	return out
}

// Slots is how many words the store has in all.
func (p *Program) Slots() int { return p.slots }

// Slot returns the word that holds a value after a run; the value is one of the
// plan's roots.
func (p *Program) Slot(v netlist.Val) int { return p.place(v) }

// Len is how many instructions the program has.
func (p *Program) Len() int { return len(p.code) }

// Init puts the program's constants into a store.
func (p *Program) Init(store []uint64) {
	for _, c := range p.consts {
		store[c.slot] = c.value
	}
}

// Run evaluates the program once.
func (p *Program) Run(s []uint64) {
	code := p.code
	for pc := 0; pc < len(code); pc++ {
		in := &code[pc]
		switch in.op {
		case opMove:
			s[in.dst] = s[in.a]
		case opCopy:
			copy(s[in.dst:uint64(in.dst)+in.imm], s[in.a:uint64(in.a)+in.imm])
		case opAnd:
			s[in.dst] = s[in.a] & s[in.b]
		case opAndNot:
			s[in.dst] = s[in.a] &^ s[in.b]
		case opOr:
			s[in.dst] = s[in.a] | s[in.b]
		case opXor:
			s[in.dst] = s[in.a] ^ s[in.b]
		case opXorAnd:
			s[in.dst] = s[in.a] ^ s[in.b]&s[in.c]
		case opAdd:
			s[in.dst] = (s[in.a] + s[in.b]) & in.imm
		case opSub:
			s[in.dst] = (s[in.a] - s[in.b]) & in.imm
		case opMul:
			s[in.dst] = s[in.a] * s[in.b] & in.imm
		case opMulHi:
			s[in.dst], _ = bits.Mul64(s[in.a], s[in.b])
		case opEq:
			s[in.dst] = b2u(s[in.a] == s[in.b])
		case opNe:
			s[in.dst] = b2u(s[in.a] != s[in.b])
		case opLt:
			s[in.dst] = b2u(s[in.a] < s[in.b])
		case opLe:
			s[in.dst] = b2u(s[in.a] <= s[in.b])
		case opShl:
			s[in.dst] = s[in.a] << s[in.b] & in.imm
		case opShr:
			s[in.dst] = s[in.a] >> s[in.b]
		case opSar:
			s[in.dst] = uint64(int64(s[in.a]) >> s[in.b])
		case opShlK:
			s[in.dst] = s[in.a] << (in.lo & 63)
		case opExtract:
			s[in.dst] = s[in.a] >> (in.lo & 63) & in.imm
		case opInsert:
			s[in.dst] = s[in.a] | s[in.b]>>(in.lo&63)&in.imm<<(in.hi&63)
		case opPlace:
			s[in.dst] = s[in.a] >> (in.lo & 63) & in.imm << (in.hi & 63)
		case opMux:
			v := s[in.c]
			if s[in.a] != 0 {
				v = s[in.b]
			}
			s[in.dst] = v
		case opParity:
			s[in.dst] = uint64(bits.OnesCount64(s[in.a]) & 1)
		case opReverse:
			s[in.dst] = bits.ReverseBytes64(s[in.a])
		case opLinear:
			x, y := s[in.a], uint64(0)
			for i := range p.tables[in.imm] {
				t := &p.tables[in.imm][i]
				y ^= t.value[x>>t.at&15]
			}
			s[in.dst] = y
		case opMemRead:
			v := uint64(0)
			if at := s[in.a]; at < in.imm {
				v = s[uint64(in.b)+at*uint64(in.c)]
			}
			s[in.dst] = v
		case opJump:
			pc = int(in.c) - 1
		case opJumpEq:
			if s[in.a] == s[in.b] {
				pc = int(in.c) - 1
			}
		case opJumpNe:
			if s[in.a] != s[in.b] {
				pc = int(in.c) - 1
			}
		}
	}
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
