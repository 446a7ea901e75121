package talk

import (
	"gornic/format"
	"gornic/tb/frames"
)

// MadeReads makes up a capture of what a responder answers to READs, atomics and SENDs with
// invalidate: whole, again, in parts, and refused for rights and keys. The path MTU is 256.
func MadeReads(ipv6 bool) ([]frames.Frame, error) {
	m := &Maker{QPN: 0x32, Peer: 0x21, IPv6: ipv6}
	const (
		va, number      = 0x7F_0000_2003, 0x7F_0000_2208
		key, psn, again = 0xABCE01, 0xFFFFFE, 0xABCE02
		first, middle   = format.OpReadResponseFirst, format.OpReadResponseMiddle
		last, only      = format.OpReadResponseLast, format.OpReadResponseOnly
	)
	read := func(psn PSN, va, length, key uint64) {
		m.Request(Asked{Op: format.OpReadRequest, PSN: psn, Ask: true, RETH: format.RETH[uint64]{VA: va, RKey: key, DMALen: length}})
	}
	atomic := func(op format.Opcode, psn PSN, swap, compare, was uint64, msn int) {
		m.Request(Asked{Op: op, PSN: psn, Ask: true, Atomic: format.AtomicETH[uint64]{VA: number, RKey: key, SwapAdd: swap, Compare: compare}})
		m.Respond(format.OpAtomicAck, psn, nil, was, msn)
	}
	write := func(psn PSN, key uint64) {
		m.Request(Asked{Op: format.OpWriteOnly, PSN: psn, Payload: pattern(psn, 9), Ask: true, RETH: format.RETH[uint64]{VA: va, RKey: key, DMALen: 9}})
	}
	ends := func(psn PSN, key uint32, n int) {
		m.Request(Asked{Op: format.OpSendOnlyInv, PSN: psn, Payload: pattern(psn, n), Ask: true, Imm: key})
	}

	read(psn, va, 600, key)
	m.Respond(first, psn, pattern(1, 256), 0, 1)
	m.Respond(middle, psn+1, pattern(2, 256), 0, 1)
	m.Respond(last, psn+2, pattern(3, 88), 0, 1)
	read(psn+1, va+256, 344, key) // what was lost on the way
	m.Respond(first, psn+1, pattern(2, 256), 0, 1)
	m.Respond(last, psn+2, pattern(3, 88), 0, 1)
	read(psn+3, 0, 0, 0xFFFFFFFF)
	m.Respond(only, psn+3, nil, 0, 2)
	atomic(format.OpFetchAdd, psn+4, 5, 0, 40, 3)
	atomic(format.OpCmpSwap, psn+5, 7, 45, 45, 4)
	atomic(format.OpCmpSwap, psn+5, 7, 45, 45, 4) // again
	atomic(format.OpCmpSwap, psn+6, 8, 45, 7, 5)
	write(psn+7, key)
	m.Answer(psn+7, format.SyndromeNoCredits, 6)
	ends(psn+8, key, 30)
	m.Answer(psn+8, format.SyndromeNoCredits, 7)
	write(psn+9, again) // the same index
	ends(psn+10, again, 0)
	m.Answer(psn+10, format.SyndromeNoCredits, 9)
	write(psn+11, again)
	m.Answer(psn+11, format.SyndromeNAKAccess, 9)

	m.QPN, m.Peer = 0x33, 0x22
	read(9, va, 8, key)
	m.Answer(9, format.SyndromeNAKInv, 0)

	m.QPN, m.Peer = 0x34, 0x23
	read(9, va, 8, 0xABCE77)
	m.Answer(9, format.SyndromeNAKAccess, 0)

	m.QPN, m.Peer = 0x35, 0x24
	ends(9, 0xABCE78, 20)
	m.Answer(9, format.SyndromeNAKAccess, 0)
	return m.Frames, m.Err
}
