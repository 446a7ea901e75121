package responder

import (
	"gornic/format"
	"gornic/hdl"
)

// operations are the request opcodes that the block executes, by the kind of
// their message; it refuses all others as invalid. What else has to be known of
// an opcode is in format.Opcodes.
var operations = map[uint64][]format.Opcode{
	kindSend: {
		format.OpSendFirst, format.OpSendMiddle, format.OpSendLast, format.OpSendLastImm, format.OpSendOnly, format.OpSendOnlyImm,
	},
	kindWrite: {
		format.OpWriteFirst, format.OpWriteMiddle, format.OpWriteLast, format.OpWriteLastImm, format.OpWriteOnly, format.OpWriteOnlyImm,
	},
}

// decoded is what an opcode says.
type decoded struct {
	Kind  hdl.Bits `w:"2"` // kindSend or kindWrite; kindNone: the block does not execute it
	Start hdl.Bits `w:"1"` // begins a message
	End   hdl.Bits `w:"1"` // ends a message
	Imm   hdl.Bits `w:"1"` // has an immediate
	Full  hdl.Bits `w:"1"` // its payload is the path MTU
	Some  hdl.Bits `w:"1"` // its payload is not empty
}

// opcodeBits covers the opcodes of the reliable connection.
const opcodeBits = 5

// decode looks an opcode of the reliable connection up.
func decode(m *hdl.Module, opcode hdl.Bits) decoded {
	m.Unused(opcode.Slice(7, opcodeBits))
	var table [1 << opcodeBits]uint64
	for kind, list := range operations {
		for _, op := range list {
			table[op] = encode(kind, op)
		}
	}
	return hdl.Unpack(decoded{}, m.Table("opcode", opcode.Trunc(opcodeBits), hdl.WidthOf(decoded{}), table[:]...))
}

// encode is the row of an opcode: decoded, packed.
func encode(kind uint64, op format.Opcode) uint64 {
	info, _ := format.Lookup(op) // all of operations are there
	_, imm := info.ExtOffset(format.ExtImmDt)
	word := kind
	for _, is := range []bool{info.Start, info.End, imm, info.Payload == format.PayloadFull, info.Payload == format.PayloadSome} {
		word <<= 1
		if is {
			word |= 1
		}
	}
	return word
}
