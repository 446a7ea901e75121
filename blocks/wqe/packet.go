package wqe

import (
	"gornic/format"
	"gornic/hdl"
)

// lengthBits holds the bytes of the largest path MTU.
const lengthBits = 13

// Opcode returns 8 bits: that of a packet of the WQE (protocol section 1.5). First and last say
// of a SEND or WRITE which one of its message the packet is.
func (t Task) Opcode(first, last hdl.Bits) hdl.Bits {
	code := func(op format.Opcode) hdl.Bits { return hdl.K(8, uint64(op)) }
	begins := hdl.Mux(last, code(format.OpSendOnly), code(format.OpSendFirst))
	goesOn := hdl.Mux(last, code(format.OpSendLast), code(format.OpSendMiddle))
	plain := hdl.Mux(first, begins, goesOn).Add(last.And(t.HasImm).ZExt(8))
	write := plain.AddK(uint64(format.OpWriteFirst - format.OpSendFirst))
	invalidates := hdl.Mux(first, code(format.OpSendOnlyInv), code(format.OpSendLastInv))
	atomic := hdl.Mux(t.FetchAdd, code(format.OpFetchAdd), code(format.OpCmpSwap))
	op := hdl.Mux(t.Send, hdl.Mux(t.HasInv.And(last), invalidates, plain), write)
	return hdl.Mux(t.Read, code(format.OpReadRequest), hdl.Mux(t.Atomic, atomic, op))
}

// Imm returns 32 bits: the immediate or the key to invalidate, as a number of the wire.
func (t Task) Imm(c Control) hdl.Bits { return hdl.Mux(t.HasInv, c.Imm, hdl.SwapBytes(c.Imm)) }

// Solicits returns one bit: the SE of a packet. Only what consumes a receive WQE may have it, and of
// that the last packet does.
func (t Task) Solicits(c Control, last hdl.Bits) hdl.Bits {
	return hdl.AndAll(Flag(c, format.WRFlagSolicited), last, t.Send.Or(t.HasImm))
}

// MTU returns 13 bits: the bytes of the path MTU of a code of 3 bits, format.MTU256 and others.
func MTU(code hdl.Bits) hdl.Bits {
	var sizes []hdl.Bits
	for c := range 8 {
		sizes = append(sizes, hdl.K(lengthBits, 1<<MTUShift(c)))
	}
	return hdl.Select(code, sizes...)
}

// MTUShift is the log2 of the bytes of the path MTU of a code.
func MTUShift(code int) int { return 7 + min(max(code, format.MTU256), format.MTU4096) }
