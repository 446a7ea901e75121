package requester

import (
	"encoding/binary"

	"gornic/format"
)

// Reference is the requester of one queue pair in plain Go, without time.
type Reference struct {
	State   format.QPState
	SigAll  bool
	Stride  int // log2 of a slot's 64 bytes
	MTU     int // bytes
	PSN     uint32
	Entries int // replay entries that it may use
	Used    int // that it uses

	broken bool
	index  uint16
	offset int
	active bool
}

// Packet is what a turn gives: a packet, or the record of a failure.
type Packet struct {
	Opcode   format.Opcode
	PSN      uint32
	SE       bool
	AckReq   bool
	First    bool
	Last     bool
	Signaled bool
	Index    uint16
	Offset   int
	Total    int
	WRID     uint64
	VA       uint64
	RKey     uint32
	Imm      uint32 // as a number of the wire
	Inline   []byte // payload that is in the WQE
	Pieces   []Piece
	Length   int
	Write    bool
	Status   format.Status // not success: a record, and of the rest only Index and WRID mean something
	Vendor   format.VendorCode
}

// Piece is a piece of an SGE.
type Piece struct {
	VA     uint64
	Length int
	LKey   uint32
}

// Turn makes the next packet of the WQE at the head, nil if there is none; fault
// says that it could not be read. The second result says that the WQE is done
// with.
func (r *Reference) Turn(wqe []byte, fault bool) (*Packet, bool) {
	if wqe == nil || r.Used == r.Entries {
		return nil, false
	}
	control, _ := format.DecodeHost[format.SendControl[uint64]](wqe) // a slot has 64 bytes
	if fault {
		control.WRID = 0 // nobody knows it
	}
	p := &Packet{Index: r.index, WRID: control.WRID, Signaled: r.SigAll || control.Flags&format.WRFlagSignaled != 0}
	if r.State == format.QPError || r.broken {
		return r.fail(p, format.StatusFlush, format.VendorNone)
	}
	if r.State != format.QPRTS && (r.State != format.QPSQD || !r.active) {
		return nil, false
	}
	inline := control.Flags&format.WRFlagInline != 0
	if !r.active {
		switch {
		case fault:
			return r.fail(p, format.StatusLocQPOp, format.VendorWQERead)
		case control.Opcode > uint64(format.WRSendImm):
			return r.fail(p, format.StatusLocQPOp, format.VendorBadOpcode)
		case inline && (int(control.InlineLen) > format.InlineMax(r.Stride) || control.NumSGE > 0):
			return r.fail(p, format.StatusLocQPOp, format.VendorBadSGECount)
		case !inline && int(control.NumSGE) > format.SendSGEs(r.Stride):
			return r.fail(p, format.StatusLocQPOp, format.VendorBadSGECount)
		}
	}
	list := pieces(wqe, int(control.NumSGE))
	for _, s := range list {
		p.Total += s.Length
	}
	if inline {
		p.Total = int(control.InlineLen)
	}
	if p.Total > format.MessageMax || p.Total/r.MTU >= 1<<23 {
		return r.fail(p, format.StatusLocLen, format.VendorTooLong)
	}
	p.Length = min(r.MTU, p.Total-r.offset)
	p.First, p.Last = !r.active, r.offset+p.Length == p.Total
	p.PSN, p.Offset = r.PSN, r.offset
	p.VA, p.RKey = control.RemoteAddr, uint32(control.RKey)
	op := format.WROpcode(control.Opcode)
	p.Write = op == format.WRWrite || op == format.WRWriteImm
	imm := op == format.WRWriteImm || op == format.WRSendImm
	p.Opcode = packetOpcode(p.Write, imm, p.First, p.Last)
	p.SE = p.Last && control.Flags&format.WRFlagSolicited != 0 && (imm || !p.Write)
	p.AckReq = p.Last || r.Used == r.Entries-1 || r.Used == r.Entries/2-1
	p.Imm = binary.BigEndian.Uint32(wqe[4:])
	if inline {
		p.Inline = wqe[32 : 32+p.Length]
	} else {
		p.Pieces = cut(list, r.offset, p.Length)
	}
	r.PSN = (r.PSN + 1) & 0xFFFFFF
	r.Used++
	r.offset += p.Length
	r.active = !p.Last
	r.finish(p.Last)
	return p, p.Last
}

func (r *Reference) fail(p *Packet, s format.Status, v format.VendorCode) (*Packet, bool) {
	p.Status, p.Vendor = s, v
	r.broken, r.active = true, false
	r.Used++
	r.finish(true)
	return p, true
}

func (r *Reference) finish(last bool) {
	if last {
		r.index++
		r.offset = 0
	}
}

func packetOpcode(write, imm, first, last bool) format.Opcode {
	table := map[[2]bool][2]format.Opcode{ // first, last: SEND, WRITE
		{true, true}:   {format.OpSendOnly, format.OpWriteOnly},
		{true, false}:  {format.OpSendFirst, format.OpWriteFirst},
		{false, false}: {format.OpSendMiddle, format.OpWriteMiddle},
		{false, true}:  {format.OpSendLast, format.OpWriteLast},
	}
	op := table[[2]bool{first, last}][0]
	if write {
		op = table[[2]bool{first, last}][1]
	}
	if imm && last {
		op++
	}
	return op
}

func pieces(wqe []byte, n int) []Piece {
	var list []Piece
	for i := range n {
		at := 32 + 16*i
		if at+16 > len(wqe) {
			break
		}
		s, _ := format.DecodeHost[format.SGE[uint64]](wqe[at:]) // 16 bytes are there
		list = append(list, Piece{VA: s.Addr, Length: int(s.Length), LKey: uint32(s.LKey)})
	}
	return list
}

// cut returns n bytes of a list from offset on.
func cut(list []Piece, offset, n int) []Piece {
	var out []Piece
	for _, p := range list {
		skip := min(offset, p.Length)
		offset -= skip
		take := min(n, p.Length-skip)
		if take > 0 {
			out = append(out, Piece{VA: p.VA + uint64(skip), Length: take, LKey: p.LKey})
		}
		n -= take
	}
	return out
}
