package talk

import (
	"gornic/format"
	"gornic/tb/frames"
)

// A tour is a conversation with every opcode in it: message after message, each answered.
type tour struct {
	Maker
	psn PSN
	msn int // messages so far
}

// Places and sizes of a tour.
const (
	tourVA   = 0x7F_0000_3003 // of WRITEs and READs
	tourWord = 0x7F_0000_3608 // of atomics
	tourKey  = 0xABD001
	tourMTU  = 256
	tourMost = 2*tourMTU + 88 // bytes of the longest message: three packets
)

// A form is how messages of a kind begin and end.
type form struct{ first, middle, last, only format.Opcode }

// at is the opcode of the packet at an offset of a message of n bytes.
func (f form) at(offset, n int) format.Opcode {
	begins, ends := offset == 0, offset+tourMTU >= n
	switch {
	case begins && ends:
		return f.only
	case begins:
		return f.first
	case ends:
		return f.last
	}
	return f.middle
}

// tourForms are all that carry payload to the responder.
var tourForms = [...]form{
	{format.OpSendFirst, format.OpSendMiddle, format.OpSendLast, format.OpSendOnly},
	{format.OpSendFirst, format.OpSendMiddle, format.OpSendLastImm, format.OpSendOnlyImm},
	{format.OpSendFirst, format.OpSendMiddle, format.OpSendLastInv, format.OpSendOnlyInv},
	{format.OpWriteFirst, format.OpWriteMiddle, format.OpWriteLast, format.OpWriteOnly},
	{format.OpWriteFirst, format.OpWriteMiddle, format.OpWriteLastImm, format.OpWriteOnlyImm},
}

// MadeOpcodes makes up a capture that has every opcode of the reliable connection in each
// form that the protocol gives it: messages of no bytes, of one packet and of several, solicited
// where they can be, with immediate and with invalidate; and a CNP. The path MTU is 256.
func MadeOpcodes(ipv6 bool) ([]frames.Frame, error) {
	t := &tour{Maker: Maker{QPN: 0x42, Peer: 0x41, IPv6: ipv6}, psn: 0xFFFFF0}
	for _, f := range tourForms {
		for _, n := range []int{0, 5, tourMost} {
			t.carry(f, n, false)
			if f.only != format.OpWriteOnly {
				t.carry(f, n, true)
			}
		}
	}
	for _, n := range []int{0, 5, tourMost} {
		t.read(n)
	}
	t.atomic(format.OpFetchAdd, 5, 0, 40)
	t.atomic(format.OpCmpSwap, 7, 45, 45)
	t.Request(Asked{Op: format.OpCNP, Payload: make([]byte, 16)})
	t.carry(tourForms[0], 1, false)
	return t.Frames, t.Err
}

// carry is a message of n bytes, in a row of packets, and its ACK.
func (t *tour) carry(f form, n int, solicited bool) {
	imm := uint32(tourKey + 0x100*(t.msn+1)) // a key of its own, where it ends one
	for at := 0; at == 0 || at < n; at += tourMTU {
		ends := at+tourMTU >= n
		t.Request(Asked{
			Op: f.at(at, n), PSN: t.psn, Payload: pattern(t.psn, min(tourMTU, n-at)), Ask: ends, Solicited: solicited && ends, Imm: imm,
			RETH: format.RETH[uint64]{VA: tourVA, RKey: tourKey, DMALen: uint64(n)},
		})
		t.psn = t.psn.Plus(1)
	}
	t.msn++
	t.Answer(t.psn.Plus(-1), format.SyndromeNoCredits, t.msn)
}

// read is a READ of n bytes, and its responses.
func (t *tour) read(n int) {
	t.Request(Asked{Op: format.OpReadRequest, PSN: t.psn, Ask: true, RETH: format.RETH[uint64]{VA: tourVA, RKey: tourKey, DMALen: uint64(n)}})
	t.msn++
	f := form{format.OpReadResponseFirst, format.OpReadResponseMiddle, format.OpReadResponseLast, format.OpReadResponseOnly}
	for at := 0; at == 0 || at < n; at += tourMTU {
		t.Respond(f.at(at, n), t.psn, pattern(t.psn, min(tourMTU, n-at)), 0, t.msn)
		t.psn = t.psn.Plus(1)
	}
}

// atomic is an atomic, and what memory had.
func (t *tour) atomic(op format.Opcode, swap, compare, was uint64) {
	t.Request(Asked{Op: op, PSN: t.psn, Ask: true, Atomic: format.AtomicETH[uint64]{VA: tourWord, RKey: tourKey, SwapAdd: swap, Compare: compare}})
	t.msn++
	t.Respond(format.OpAtomicAck, t.psn, nil, was, t.msn)
	t.psn = t.psn.Plus(1)
}
