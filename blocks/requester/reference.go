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
	Entries int  // replay entries that it may use
	Used    int  // that it uses
	MaxRD   int  // READs and atomics that may be outstanding
	Reads   int  // that are
	Held    bool // what was sent is being sent again
	Paced   bool // it has to wait for its rate

	broken  bool
	index   uint16
	offset  int
	active  bool
	ahead   int // PSNs since nothing was outstanding
	parked  bool
	outcome *Outcome // of a local operation, once it is known
}

// Outcome is what became of a local operation.
type Outcome struct {
	Status format.Status
	Vendor format.VendorCode
}

// Entry says what completes a packet or record.
type Entry int

// Entries.
const (
	EntryRequest Entry = iota // an acknowledgement; or nothing, where it has failed
	EntryRead                 // its data
	EntryAtomic               // its answer
	EntryLocal                // a local operation: that it is the oldest
)

// Packet is what a turn gives: a packet, the record of a WQE, or a local operation.
type Packet struct {
	Entry    Entry
	Opcode   format.Opcode
	PSN      uint32
	LastPSN  uint32 // the last one that it takes
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
	Swap     uint64 // of an atomic
	Compare  uint64
	Inline   []byte  // payload that is in the WQE
	Pieces   []Piece // of payload; of a READ or atomic, where its data goes
	Length   int
	WC       format.WCOpcode
	Status   format.Status // not success: a record, and of the rest only Entry, Index and WRID mean something
	Vendor   format.VendorCode
	NumSGE   int
	List     []Piece // all SGEs of a READ or atomic
	KeyOp    *KeyOp  // not nil: a local operation, and no packet
}

// KeyOp is a local operation.
type KeyOp struct {
	Op       format.WROpcode
	Key      uint32
	VA       uint64
	Operands []byte
}

// Piece is a piece of an SGE.
type Piece struct {
	VA     uint64
	Length int
	LKey   uint32
}

// Settle says what became of the local operation that a turn gave.
func (r *Reference) Settle(o Outcome) { r.outcome = &o }

// Turn makes the next packet of the WQE at the head, nil if there is none; fault
// says that it could not be read. The second result says that the WQE is done
// with.
func (r *Reference) Turn(wqe []byte, fault bool) (*Packet, bool) {
	if wqe == nil || r.Used == r.Entries || r.parked && r.outcome == nil {
		return nil, false
	}
	if r.Used == 0 {
		r.ahead = 0
	}
	control, _ := format.DecodeHost[format.SendControl[uint64]](wqe) // a slot has 64 bytes
	if fault {
		control.WRID = 0 // nobody knows it
	}
	p := &Packet{Index: r.index, WRID: control.WRID, Signaled: r.SigAll || control.Flags&format.WRFlagSignaled != 0}
	if r.State == format.QPError || r.broken {
		return r.fail(p, format.StatusFlush, format.VendorNone)
	}
	if r.State != format.QPRTS && (r.State != format.QPSQD || !r.active && !r.parked) {
		return nil, false
	}
	if r.Held || r.ahead == window || !r.active && !r.parked && r.waits(control, fault) {
		return nil, false
	}
	work, known := works[format.WROpcode(control.Opcode)]
	if r.Paced && !r.parked && (!known || work.kind != local) {
		return nil, false
	}
	p.WC = work.wc
	switch {
	case r.parked:
		return r.settled(p)
	case r.active:
	case fault:
		return r.fail(p, format.StatusLocQPOp, format.VendorWQERead)
	case !known:
		return r.fail(p, format.StatusLocQPOp, format.VendorBadOpcode)
	case !r.fits(control, work):
		return r.fail(p, format.StatusLocQPOp, format.VendorBadSGECount)
	}
	p.VA, p.RKey = control.RemoteAddr, uint32(control.RKey)
	switch work.kind {
	case local:
		r.parked, r.outcome = true, nil
		p.KeyOp = keyOp(wqe, control)
		return p, false
	case read, atomic:
		return r.request(p, wqe, control, work)
	}
	return r.message(p, wqe, control, work)
}

// window is the most PSNs that may be outstanding: they are told apart by 24 bits (protocol section 3.2).
const window = 1<<23 - 1

// waits reports whether a WQE has to wait for those before it (protocol section 4.7).
func (r *Reference) waits(c format.SendControl[uint64], fault bool) bool {
	op := format.WROpcode(c.Opcode)
	switch {
	case fault:
		return false
	case c.Flags&format.WRFlagFence != 0 && r.Reads > 0:
		return true
	case op == format.WRLocalInv:
		return r.Used > 0
	case works[op].reads():
		return r.MaxRD > 0 && r.Reads >= r.MaxRD
	}
	return false
}

// tooLong reports whether a message cannot be (protocol section 10, row 25).
func (r *Reference) tooLong(total int) bool {
	return total > format.MessageMax || r.psns(total) > window
}

// psns is how many packets of the path MTU so many bytes take.
func (r *Reference) psns(total int) int { return max(1, (total+r.MTU-1)/r.MTU) }

// settled makes the record of a local operation.
func (r *Reference) settled(p *Packet) (*Packet, bool) {
	p.Entry, p.PSN, p.LastPSN = EntryLocal, r.PSN, r.PSN
	p.Status, p.Vendor = r.outcome.Status, r.outcome.Vendor
	p.First, p.Last = true, true
	r.broken, r.parked = p.Status != format.StatusSuccess, false
	r.Used++
	r.finish(true)
	return p, true
}

// request makes the packet of a READ or an atomic.
func (r *Reference) request(p *Packet, wqe []byte, c format.SendControl[uint64], w work) (*Packet, bool) {
	p.List = pieces(wqe[32:], int(c.NumSGE))
	p.Entry = EntryRead
	if w.kind == atomic {
		p.Entry = EntryAtomic
		operands, _ := format.DecodeHost[format.AtomicOperands[uint64]](wqe[32:]) // a slot has 64 bytes
		p.Swap, p.Compare = operands.SwapOrAdd, operands.Compare
		p.List = pieces(wqe[48:], 1)
	}
	for _, s := range p.List {
		p.Total += s.Length
		if s.Length > 0 {
			p.Pieces = append(p.Pieces, s)
		}
	}
	switch {
	case w.kind == atomic && p.Total != 8:
		return r.fail(p, format.StatusLocLen, format.VendorLength)
	case w.kind == read && r.tooLong(p.Total):
		return r.fail(p, format.StatusLocLen, format.VendorTooLong)
	case r.MaxRD == 0:
		return r.fail(p, format.StatusLocQPOp, format.VendorResources)
	}
	n := r.psns(p.Total)
	if r.ahead+n > window {
		return nil, false
	}
	p.Opcode, p.AckReq, p.First, p.Last, p.Offset, p.NumSGE = w.op, true, true, true, p.Total, int(c.NumSGE)
	r.Reads++
	r.sent(p, n)
	r.finish(true)
	return p, true
}

// sent takes the PSNs of a packet.
func (r *Reference) sent(p *Packet, n int) {
	p.PSN, p.LastPSN = r.PSN, (r.PSN+uint32(n)-1)&0xFFFFFF
	r.PSN = (r.PSN + uint32(n)) & 0xFFFFFF
	r.ahead += n
	r.Used++
}

// message makes the next packet of a SEND or WRITE.
func (r *Reference) message(p *Packet, wqe []byte, c format.SendControl[uint64], w work) (*Packet, bool) {
	inline := c.Flags&format.WRFlagInline != 0
	list := pieces(wqe[32:], int(c.NumSGE))
	for _, s := range list {
		p.Total += s.Length
	}
	if inline {
		p.Total = int(c.InlineLen)
	}
	if r.tooLong(p.Total) {
		return r.fail(p, format.StatusLocLen, format.VendorTooLong)
	}
	p.Length = min(r.MTU, p.Total-r.offset)
	p.First, p.Last = !r.active, r.offset+p.Length == p.Total
	p.Offset = r.offset
	p.Opcode = packetOpcode(w, p.First, p.Last)
	p.SE = p.Last && c.Flags&format.WRFlagSolicited != 0 && (w.imm || w.kind == send)
	p.AckReq = p.Last || r.Used == r.Entries-1 || r.Used == r.Entries/2-1 || r.ahead == window-1
	p.Imm = binary.BigEndian.Uint32(wqe[4:])
	if w.inv {
		p.Imm = uint32(c.Imm)
	}
	if inline {
		p.Inline = wqe[32 : 32+p.Length]
	} else {
		p.Pieces = cut(list, r.offset, p.Length)
	}
	r.sent(p, 1)
	r.offset += p.Length
	r.active = !p.Last
	r.finish(p.Last)
	return p, p.Last
}

func (r *Reference) fail(p *Packet, s format.Status, v format.VendorCode) (*Packet, bool) {
	p.Entry, p.Status, p.Vendor = EntryRequest, s, v
	r.broken, r.active, r.parked = true, false, false
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
