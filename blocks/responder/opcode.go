package responder

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
)

// operations are the request opcodes that the block executes, by the kind of
// their message; it refuses all others as invalid. What else has to be known of
// an opcode is in format.Opcodes.
var operations = map[uint64][]format.Opcode{
	kindSend: {
		format.OpSendFirst, format.OpSendMiddle, format.OpSendLast, format.OpSendLastImm, format.OpSendOnly, format.OpSendOnlyImm,
		format.OpSendLastInv, format.OpSendOnlyInv,
	},
	kindWrite: {
		format.OpWriteFirst, format.OpWriteMiddle, format.OpWriteLast, format.OpWriteLastImm, format.OpWriteOnly, format.OpWriteOnlyImm,
	},
	kindRead:   {format.OpReadRequest},
	kindAtomic: {format.OpCmpSwap, format.OpFetchAdd},
}

// resources are the kinds of the resources that READs and atomics take.
var resources = map[format.Opcode]uint64{
	format.OpReadRequest: link.ResourceRead, format.OpCmpSwap: link.ResourceCompareSwap, format.OpFetchAdd: link.ResourceFetchAdd,
}

// decoded is what an opcode says.
type decoded struct {
	Kind     hdl.Bits `w:"3"` // kindSend and others; kindNone: the block does not execute it
	Resource hdl.Bits `w:"2"` // link.ResourceNone and others
	Start    hdl.Bits `w:"1"` // begins a message
	End      hdl.Bits `w:"1"` // ends a message
	Imm      hdl.Bits `w:"1"` // has an immediate
	Inv      hdl.Bits `w:"1"` // has a key to invalidate
	Full     hdl.Bits `w:"1"` // its payload is the path MTU
	Some     hdl.Bits `w:"1"` // its payload is not empty
	Empty    hdl.Bits `w:"1"` // it has no payload
}

// opcodeBits covers the opcodes of the reliable connection.
const opcodeBits = 5

// decode looks an opcode of the reliable connection up.
func (b *block) decode(opcode hdl.Bits) decoded {
	m := b.m
	m.Unused(opcode.Slice(7, opcodeBits))
	var table [1 << opcodeBits]uint64
	for kind, list := range operations {
		if kind == kindAtomic && !b.p.Sizes.Has(link.Atomics) {
			continue
		}
		for _, op := range list {
			table[op] = encode(kind, op)
		}
	}
	return hdl.Unpack(decoded{}, m.Table("opcode", opcode.Trunc(opcodeBits), hdl.WidthOf(decoded{}), table[:]...))
}

// isAtomic returns one bit: an opcode is one of an atomic, which the core has.
func (b *block) isAtomic(op decoded) hdl.Bits {
	if !b.p.Sizes.Has(link.Atomics) {
		return hdl.K(1, 0)
	}
	return op.Kind.Is(kindAtomic)
}

// takesWord returns one bit: a resource is one of an atomic, likewise.
func (b *block) takesWord(resource hdl.Bits) hdl.Bits {
	if !b.p.Sizes.Has(link.Atomics) {
		return hdl.K(1, 0)
	}
	return resource.Bit(1)
}

// encode is the row of an opcode: decoded, packed.
func encode(kind uint64, op format.Opcode) uint64 {
	info, _ := format.Lookup(op) // all of operations are there
	_, imm := info.ExtOffset(format.ExtImmDt)
	_, inv := info.ExtOffset(format.ExtIETH)
	rule := info.Payload
	word := kind<<2 | resources[op]
	for _, is := range []bool{
		info.Start, info.End, imm, inv, rule == format.PayloadFull, rule == format.PayloadSome, rule == format.PayloadNone,
	} {
		word <<= 1
		if is {
			word |= 1
		}
	}
	return word
}
