package resend

import (
	"encoding/binary"

	"gornic/format"
)

// Reference sends the packets of one queue pair again, in plain Go and without time. It cuts whole messages into packets
// (protocol section 4.2) and takes the one that an entry names by its PSN.
type Reference struct {
	MTU     int // bytes
	Entries int // replay entries of a queue pair
}

// Kind is what an entry is of.
type Kind int

// Kinds.
const (
	Request Kind = iota // SEND or WRITE
	Read
	Atomic
	Local // no packet
)

// Entry is an entry of the replay ring.
type Entry struct {
	Index  uint16 // free-running
	Kind   Kind
	Failed bool   // it was not sent
	PSN    uint32 // of its packet
	Begin  uint32 // PSN of the first packet of its message
	WQE    []byte // a slot
	Slot   uint64 // bus address of the WQE
}

// Packet is a packet that is sent again.
type Packet struct {
	Opcode     format.Opcode
	PSN        uint32
	SE, AckReq bool
	Length     int
	VA         uint64 // of a packet with RETH or AtomicETH; RKey as well
	RKey       uint32
	DMALen     uint32  // of one with RETH
	Imm        uint32  // of one with immediate or invalidate, as a number of the wire
	Operands   []byte  // of an atomic
	Pieces     []Piece // of payload
}

// Piece is a piece of payload.
type Piece struct {
	VA     uint64
	Length int
	LKey   uint32
	Bus    bool // VA is a bus address
}

// Packet is what is sent again of an entry, and false if nothing is. Due is the first PSN that is owed; newest says that no entry
// is behind this one.
func (r Reference) Packet(e Entry, due uint32, newest bool) (Packet, bool) {
	if e.Kind == Local || e.Failed {
		return Packet{}, false
	}
	c, _ := format.DecodeHost[format.SendControl[uint64]](e.WQE) // a slot has 64 bytes
	p := Packet{PSN: e.PSN, VA: c.RemoteAddr, RKey: uint32(c.RKey), AckReq: true}
	switch e.Kind {
	case Atomic:
		p.Opcode = map[format.WROpcode]format.Opcode{format.WRCompSwap: format.OpCmpSwap, format.WRFetchAdd: format.OpFetchAdd}[format.WROpcode(c.Opcode)]
		p.Operands = e.WQE[32:48]
	case Read:
		p.Opcode = format.OpReadRequest
		total := bytesOf(list(e, c))
		if n := int((due - e.PSN) & 0xFFFFFF); n < max(1, (total+r.MTU-1)/r.MTU) { // protocol section 4.5
			p.PSN = due
			p.VA += uint64(n * r.MTU)
			total -= n * r.MTU
		}
		p.DMALen = uint32(total)
	default:
		r.request(&p, e, c)
		half := max(1, r.Entries/2)
		p.AckReq = p.AckReq || newest || int(e.Index)%half == half-1
	}
	return p, true
}

// request makes the packet of a SEND or WRITE.
func (r Reference) request(p *Packet, e Entry, c format.SendControl[uint64]) {
	pieces := list(e, c)
	total := bytesOf(pieces)
	n := int((e.PSN - e.Begin) & 0xFFFFFF)
	offset := n * r.MTU
	p.Length = min(r.MTU, total-offset)
	first, last := n == 0, offset+p.Length == total
	op := format.WROpcode(c.Opcode)
	write, imm, inv := op == format.WRWrite || op == format.WRWriteImm, op == format.WRSendImm || op == format.WRWriteImm, op == format.WRSendInv
	p.Opcode = opcodes[shape{write, first, last, last && imm, last && inv}]
	p.SE = last && c.Flags&format.WRFlagSolicited != 0 && op != format.WRWrite
	p.AckReq = last
	p.DMALen = uint32(total)
	p.Imm = binary.BigEndian.Uint32(e.WQE[4:])
	if inv {
		p.Imm = uint32(c.Imm)
	}
	for _, piece := range pieces {
		skip := min(offset, piece.Length)
		offset -= skip
		take := min(piece.Length-skip, p.Length-bytesOf(p.Pieces))
		if take > 0 {
			p.Pieces = append(p.Pieces, Piece{VA: piece.VA + uint64(skip), Length: take, LKey: piece.LKey, Bus: piece.Bus})
		}
	}
}

// shape is a packet in its message.
type shape struct{ write, first, last, imm, inv bool }

// opcodes are those of protocol section 1.5.
var opcodes = map[shape]format.Opcode{
	{first: true}:                          format.OpSendFirst,
	{}:                                     format.OpSendMiddle,
	{last: true}:                           format.OpSendLast,
	{last: true, imm: true}:                format.OpSendLastImm,
	{last: true, inv: true}:                format.OpSendLastInv,
	{first: true, last: true}:              format.OpSendOnly,
	{first: true, last: true, imm: true}:   format.OpSendOnlyImm,
	{first: true, last: true, inv: true}:   format.OpSendOnlyInv,
	{write: true, first: true}:             format.OpWriteFirst,
	{write: true}:                          format.OpWriteMiddle,
	{write: true, last: true}:              format.OpWriteLast,
	{write: true, last: true, imm: true}:   format.OpWriteLastImm,
	{write: true, first: true, last: true}: format.OpWriteOnly,
	{write: true, first: true, last: true, imm: true}: format.OpWriteOnlyImm,
}

// list is where the bytes of a message are.
func list(e Entry, c format.SendControl[uint64]) []Piece {
	if c.Flags&format.WRFlagInline != 0 {
		return []Piece{{VA: e.Slot + 32, Length: int(c.InlineLen), Bus: true}}
	}
	var pieces []Piece
	for i := range int(c.NumSGE) {
		s, _ := format.DecodeHost[format.SGE[uint64]](e.WQE[32+16*i:]) // the slot has them
		pieces = append(pieces, Piece{VA: s.Addr, Length: int(s.Length), LKey: uint32(s.LKey)})
	}
	return pieces
}

func bytesOf(pieces []Piece) int {
	n := 0
	for _, p := range pieces {
		n += p.Length
	}
	return n
}
