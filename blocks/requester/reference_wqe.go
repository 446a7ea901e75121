package requester

import "gornic/format"

// work is what an operation is.
type work struct {
	kind    kind
	wc      format.WCOpcode
	inline  bool
	imm     bool
	inv     bool
	op      format.Opcode // of a READ or atomic
	exactly int           // so many SGEs; or anySGEs
}

type kind int

const (
	send kind = iota
	write
	read
	atomic
	local
)

// anySGEs is as many as the slot holds.
const anySGEs = -1

func (w work) reads() bool { return w.kind == read || w.kind == atomic }

var works = map[format.WROpcode]work{
	format.WRWrite:    {kind: write, wc: format.WCWrite, inline: true, exactly: anySGEs},
	format.WRWriteImm: {kind: write, wc: format.WCWrite, inline: true, imm: true, exactly: anySGEs},
	format.WRSend:     {kind: send, wc: format.WCSend, inline: true, exactly: anySGEs},
	format.WRSendImm:  {kind: send, wc: format.WCSend, inline: true, imm: true, exactly: anySGEs},
	format.WRSendInv:  {kind: send, wc: format.WCSend, inline: true, inv: true, exactly: anySGEs},
	format.WRRead:     {kind: read, wc: format.WCRead, op: format.OpReadRequest, exactly: anySGEs},
	format.WRCompSwap: {kind: atomic, wc: format.WCCompSwap, op: format.OpCmpSwap, exactly: 1},
	format.WRFetchAdd: {kind: atomic, wc: format.WCFetchAdd, op: format.OpFetchAdd, exactly: 1},
	format.WRLocalInv: {kind: local, wc: format.WCLocalInv},
	format.WRBindMW:   {kind: local, wc: format.WCBindMW},
	format.WRRegMR:    {kind: local, wc: format.WCRegMR},
}

// fits reports whether a WQE has the SGEs or inline data that its operation takes, and a slot holds.
func (r *Reference) fits(c format.SendControl[uint64], w work) bool {
	switch {
	case w.kind == local:
		return true
	case c.Flags&format.WRFlagInline != 0:
		return w.inline && c.NumSGE == 0 && int(c.InlineLen) <= format.InlineMax(r.Stride)
	}
	return int(c.NumSGE) <= format.SendSGEs(r.Stride) && (w.exactly == anySGEs || int(c.NumSGE) == w.exactly)
}

// packetOpcode is the opcode of a packet of a SEND or WRITE (protocol section 1.5).
func packetOpcode(w work, first, last bool) format.Opcode {
	table := map[[2]bool][2]format.Opcode{ // first, last: SEND, WRITE
		{true, true}:   {format.OpSendOnly, format.OpWriteOnly},
		{true, false}:  {format.OpSendFirst, format.OpWriteFirst},
		{false, false}: {format.OpSendMiddle, format.OpWriteMiddle},
		{false, true}:  {format.OpSendLast, format.OpWriteLast},
	}
	op := table[[2]bool{first, last}][0]
	if w.kind == write {
		op = table[[2]bool{first, last}][1]
	}
	switch {
	case last && w.imm:
		op++
	case last && w.inv && first:
		op = format.OpSendOnlyInv
	case last && w.inv:
		op = format.OpSendLastInv
	}
	return op
}

func keyOp(wqe []byte, c format.SendControl[uint64]) *KeyOp {
	op := &KeyOp{Op: format.WROpcode(c.Opcode), Key: uint32(c.RKey), VA: c.RemoteAddr, Operands: wqe[32:64]}
	if op.Op == format.WRLocalInv {
		op.Key = uint32(c.Imm)
	}
	return op
}

// pieces reads n SGEs.
func pieces(b []byte, n int) []Piece {
	var list []Piece
	for i := range n {
		s, _ := format.DecodeHost[format.SGE[uint64]](b[16*i:]) // the slot has them
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
