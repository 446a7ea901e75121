package responder

import (
	"gornic/blocks/link"
	"gornic/format"
)

// Reference is the responder of one queue pair in plain Go, without time.
type Reference struct {
	MTU     int // bytes
	Access  int // format.Access bits: what the peer may do
	MaxDest int // READs and atomics that may wait to be answered
	MinRNR  uint8
	Stride  int // log2 of a slot's 64 bytes

	doing    progress
	received int // bytes of the message

	list []Segment // of a SEND: the pieces of its receive WQE
	room int       // and the bytes that they hold

	va    uint64 // of a WRITE: where it begins
	key   uint32
	total int // and its bytes

	waiting int // READs and atomics that were accepted, and are not answered
}

type progress int

const (
	nothing progress = iota
	sending
	writing
	fetching // as the kind of a request, and the next: it ends as it begins
	modifying
	over // a request was refused for ever, or the queue pair was flushed
)

// Request is a packet, judged by its PSN.
type Request struct {
	Kind     int // link.PSNExpected and others
	Opcode   format.Opcode
	SE       bool
	AckReq   bool
	PadCnt   int
	PSN      uint32
	Expected uint32
	SendNAK  bool
	RETH     format.RETH[uint64]
	Atomic   format.AtomicETH[uint64]
	Imm      uint32 // immediate, or key to invalidate, as a number of the wire
	Length   int    // of its payload
}

// Translation is what the translator says.
type Translation struct {
	Fault  format.VendorCode // of the payload's key, or of a READ's or atomic's
	Revoke format.VendorCode // of the key that is to be invalidated, if nothing is wrong with the payload's
	Addr   uint64            // bus address of an atomic's bytes
}

// WQE is the receive WQE at the head of the queue.
type WQE struct {
	Bytes      []byte
	Unreadable bool
}

// Segment is where a piece of the payload goes.
type Segment struct {
	Key    uint32
	Rights int // 0: no key is looked at, and the other fields but Length mean nothing
	VA     uint64
	Range  int
	Length int
	Skip   bool
	Probe  bool // no payload: Length means nothing; nor do VA and Range of link.RightRevoke
	Find   bool
}

// Resource is a READ or atomic that is to be answered.
type Resource struct {
	Kind      int // link.ResourceRead and others
	Duplicate bool
	VA        uint64 // of an atomic the bus address, and of a duplicate one nothing
	RKey      uint32 // of a READ, as the length
	Length    int
}

// Result is what becomes of a packet.
type Result struct {
	Segments  []Segment
	Placed    bool // the payload went where they say
	Reply     int  // link.ReplyNone and others
	ReplyPSN  uint32
	Syndrome  uint8
	Message   bool
	Fatal     bool
	HasEvent  bool
	Event     format.AsyncEvent
	Vendor    format.VendorCode
	Status    format.Status
	Complete  bool // the WQE completes, and leaves the queue
	Open      bool // it is held
	ByteLen   int
	Opcode    format.WCOpcode
	Imm       *uint32 // as a number of the wire
	Inv       *uint32
	Solicited bool
	Resource  *Resource
	Operands  *[2]uint64        // of an atomic that is executed: what it swaps or adds, and compares
	Fault     format.VendorCode // of a response

	Advance int // the Outcome of an expected request
	NAKSent bool
	Dead    bool
}

// InSend tells whether a SEND is in progress, so that the WQE at the head is its.
func (r *Reference) InSend() bool { return r.doing == sending }

// Answered hears that n READs or atomics have been answered for the first time.
func (r *Reference) Answered(n int) { r.waiting -= n }

// Take takes a packet. wqe is nil if the receive queue is empty; told is what the
// translation says, if it is asked.
func (r *Reference) Take(q Request, wqe *WQE, told Translation) Result {
	var x Result
	switch q.Kind {
	case link.PSNExpected:
		return r.expected(q, wqe, told)
	case link.PSNDuplicate:
		switch kind, _, known := shape(q.Opcode); {
		case kind == fetching:
			x.Resource = &Resource{link.ResourceRead, true, q.RETH.VA, uint32(q.RETH.RKey), int(q.RETH.DMALen)}
		case kind == modifying:
			x.Resource = &Resource{Kind: atomics[q.Opcode], Duplicate: true}
		case known && q.AckReq:
			x.Reply, x.ReplyPSN = link.ReplyACK, (q.Expected-1)&0xFFFFFF
		}
	case link.PSNAhead:
		if q.SendNAK {
			x.Reply, x.ReplyPSN, x.Syndrome = link.ReplyNAK, q.Expected, 0x60
		}
	}
	x.Segments = dropped(q)
	return x
}

// Flush takes the WQE at the head of a queue pair that is in ERR.
func (r *Reference) Flush() Result {
	r.doing = over
	return Result{Complete: true, Status: format.StatusFlush, Solicited: true}
}

// dropped is the payload of a packet that is not looked at.
func dropped(q Request) []Segment {
	if q.Length == 0 {
		return nil
	}
	return []Segment{{Length: q.Length, Skip: true}}
}

// Response is one that readmatch has found a place for: pieces of local memory, and
// perhaps a rest that has none.
type Response struct {
	Pieces   []Piece // at least one; all but the last have bytes
	Match    int     // link.MatchACK and others
	PSN      uint32
	Syndrome uint8
	Fault    format.VendorCode // of its WQE
}

// Piece is where a part of a response goes.
type Piece struct {
	RETH   format.RETH[uint64]
	Length int
	Skip   bool // nowhere
}

// Place takes a response.
func Place(q Response, told Translation) Result {
	x := Result{Fault: q.Fault}
	asks := false
	for _, p := range q.Pieces {
		switch {
		case p.Length == 0:
		case p.Skip:
			x.Segments = append(x.Segments, Segment{Length: p.Length, Skip: true})
		default:
			asks = true
			x.Segments = append(x.Segments, Segment{Key: uint32(p.RETH.RKey), Rights: format.AccessLocalWrite, VA: p.RETH.VA, Range: int(p.RETH.DMALen), Length: p.Length})
		}
	}
	if asks && told.Fault != 0 {
		x.Fault = told.Fault
	}
	last := q.Pieces[len(q.Pieces)-1]
	x.Placed = last.Length > 0 && !last.Skip && x.Fault == 0
	return x
}

// denial is why a request is not executed.
type denial struct {
	syndrome uint8
	status   format.Status
	vendor   format.VendorCode
	wqe      bool // a receive WQE completes with the error
}

func (r *Reference) expected(q Request, wqe *WQE, told Translation) Result {
	if r.doing == over {
		return Result{Segments: dropped(q), Dead: true}
	}
	kind, start, known := shape(q.Opcode)
	var segments []Segment
	var no *denial
	switch {
	case !known:
		no = &denial{0x61, format.StatusLocQPOp, format.VendorBadOpcode, r.doing == sending}
	case start && r.doing != nothing, !start && r.doing != kind:
		no = &denial{0x61, format.StatusLocQPOp, format.VendorSequence, r.doing == sending}
	case kind == sending:
		segments, no = r.send(q, wqe, start, told)
	case kind == writing:
		segments, no = r.write(q, wqe, start, told.Fault)
	default:
		segments, no = r.fetch(q, told)
	}
	if segments == nil {
		segments = dropped(q)
	}
	if no != nil {
		return r.refuse(q, segments, no)
	}
	if kind == fetching || kind == modifying {
		return r.accept(q, segments, told.Addr)
	}
	return r.done(q, kind, segments)
}

// accept is a READ or atomic that will be answered.
func (r *Reference) accept(q Request, segments []Segment, addr uint64) Result {
	r.waiting++
	x := Result{Segments: segments, Message: true, Advance: 1}
	if kind, is := atomics[q.Opcode]; is {
		x.Resource = &Resource{Kind: kind, VA: addr}
		x.Operands = &[2]uint64{q.Atomic.SwapAdd, q.Atomic.Compare}
		return x
	}
	n := int(q.RETH.DMALen)
	x.Advance = max(1, (n+r.MTU-1)/r.MTU)
	x.Resource = &Resource{Kind: link.ResourceRead, VA: q.RETH.VA, RKey: uint32(q.RETH.RKey), Length: n}
	return x
}

// fetch is protocol section 3.4, steps 3 to 7, for a READ or atomic.
func (r *Reference) fetch(q Request, told Translation) ([]Segment, *denial) {
	s := Segment{uint32(q.RETH.RKey), format.AccessRemoteRead, q.RETH.VA, int(q.RETH.DMALen), 0, false, true, false}
	if _, atomic := atomics[q.Opcode]; atomic {
		s = Segment{uint32(q.Atomic.RKey), format.AccessRemoteAtomic, q.Atomic.VA, 8, 0, false, true, true}
	}
	refused := func(why format.VendorCode) ([]Segment, *denial) {
		return nil, &denial{0x61, format.StatusLocQPOp, why, false}
	}
	switch {
	case r.Access&s.Rights == 0:
		return refused(format.VendorAccess)
	case r.waiting >= r.MaxDest:
		return refused(format.VendorResources)
	case q.Length > 0, q.PadCnt > 0, s.Range > 1<<31:
		return refused(format.VendorLength)
	case s.Find && s.VA%8 != 0:
		return refused(format.VendorAlignment)
	case s.Range == 0:
		return nil, nil
	case told.Fault == format.VendorBusRead:
		return []Segment{s}, &denial{0x63, format.StatusLocProt, told.Fault, false}
	case told.Fault != 0:
		return []Segment{s}, &denial{0x62, format.StatusLocAccess, told.Fault, false}
	case s.Find && told.Addr%8 != 0: // a key whose bytes lie otherwise on the bus
		return []Segment{s}, &denial{0x61, format.StatusLocQPOp, format.VendorAlignment, false}
	}
	return []Segment{s}, nil
}

// refuse is protocol section 3.6.
func (r *Reference) refuse(q Request, segments []Segment, no *denial) Result {
	x := Result{Segments: segments, Reply: link.ReplyNAK, ReplyPSN: q.PSN, Syndrome: no.syndrome}
	if no.syndrome < 0x60 {
		x.NAKSent = true
		return x
	}
	r.doing = over
	x.Fatal, x.Dead = true, true
	x.Status, x.Vendor, x.Complete, x.Solicited = no.status, no.vendor, no.wqe, true
	if !no.wqe {
		x.HasEvent = true
		x.Event = map[uint8]format.AsyncEvent{0x61: format.EventQPReqErr, 0x62: format.EventQPAccessErr, 0x63: format.EventQPFatal}[no.syndrome]
	}
	return x
}

// done is a packet that has been executed.
func (r *Reference) done(q Request, kind progress, segments []Segment) Result {
	end, imm := ends(q.Opcode), immediate(q.Opcode)
	r.received += q.Length
	x := Result{
		Segments: segments, Placed: q.Length > 0, Message: end, ByteLen: r.received, Advance: 1,
		Complete: end && (kind == sending || imm), Open: !end && kind == sending, Solicited: q.SE,
		Opcode: map[progress]format.WCOpcode{sending: format.WCRecv, writing: format.WCRecvWriteI}[kind],
	}
	if imm {
		x.Imm = &q.Imm
	}
	if invalidates(q.Opcode) {
		x.Inv = &q.Imm
	}
	if q.AckReq {
		x.Reply, x.ReplyPSN = link.ReplyACK, q.PSN
	}
	r.doing = kind
	if end {
		r.doing = nothing
	}
	return x
}

func (r *Reference) send(q Request, wqe *WQE, start bool, told Translation) ([]Segment, *denial) {
	if start {
		if wqe == nil {
			return nil, &denial{syndrome: 0x20 | r.MinRNR}
		}
		if wqe.Unreadable {
			return nil, &denial{0x63, format.StatusLocQPOp, format.VendorWQERead, true}
		}
	}
	if !r.lengthFits(q) {
		return nil, &denial{0x61, format.StatusLocQPOp, format.VendorLength, true}
	}
	if start {
		if !r.open(wqe) {
			return nil, &denial{0x63, format.StatusLocQPOp, format.VendorBadSGECount, true}
		}
	}
	if r.received+q.Length > r.room {
		return nil, &denial{0x61, format.StatusLocLen, format.VendorNoRoom, true}
	}
	segments := cut(r.list, r.received, q.Length)
	revokes := invalidates(q.Opcode)
	if revokes {
		segments = append(segments, Segment{Key: q.Imm, Rights: link.RightRevoke, Probe: true})
	}
	switch {
	case q.Length > 0 && told.Fault != 0:
		return segments, &denial{0x63, format.StatusLocProt, told.Fault, true}
	case revokes && told.Revoke != 0:
		return segments, &denial{0x62, format.StatusRemInvReq, told.Revoke, true}
	}
	return segments, nil
}

// open reads the list of a receive WQE; false if there are more pieces than its
// slot has.
func (r *Reference) open(wqe *WQE) bool {
	control, _ := format.DecodeHost[format.RecvControl[uint64]](wqe.Bytes) // a slot has 64 bytes
	if control.NumSGE >= uint64(4<<r.Stride) {
		return false
	}
	r.list, r.room, r.received = nil, 0, 0
	for i := range int(control.NumSGE) {
		s, _ := format.DecodeHost[format.SGE[uint64]](wqe.Bytes[16+16*i:])
		r.list = append(r.list, Segment{Key: uint32(s.LKey), Rights: format.AccessLocalWrite, VA: s.Addr, Length: int(s.Length)})
		r.room += int(s.Length)
	}
	r.room = min(r.room, 1<<31)
	return true
}

// cut returns n bytes of a list from offset on.
func cut(list []Segment, offset, n int) []Segment {
	var out []Segment
	for _, s := range list {
		skip := min(offset, s.Length)
		take := min(n, s.Length-skip)
		if take > 0 {
			s.VA, s.Length, s.Range = s.VA+uint64(skip), take, take
			out = append(out, s)
		}
		offset, n = offset-skip, n-take
	}
	return out
}

func (r *Reference) write(q Request, wqe *WQE, start bool, fault format.VendorCode) ([]Segment, *denial) {
	va, key, total, received := r.va, r.key, r.total, r.received
	if start {
		va, key, total, received = q.RETH.VA, uint32(q.RETH.RKey), int(q.RETH.DMALen), 0
	}
	switch {
	case r.Access&format.AccessRemoteWrite == 0:
		return nil, &denial{0x61, format.StatusLocQPOp, format.VendorAccess, false}
	case !r.lengthFits(q), total > 1<<31:
		return nil, &denial{0x61, format.StatusLocQPOp, format.VendorLength, false}
	}
	imm, left := immediate(q.Opcode), total-received
	var no *denial
	switch end := ends(q.Opcode); {
	case end && q.Length != left, !end && q.Length >= left:
		no = &denial{0x61, format.StatusLocQPOp, format.VendorLength, false}
	case imm && wqe == nil:
		no = &denial{syndrome: 0x20 | r.MinRNR}
	case imm && wqe.Unreadable:
		no = &denial{0x63, format.StatusLocQPOp, format.VendorWQERead, true}
	}
	segments := dropped(q)
	if total > 0 && q.Length > 0 { // what places nothing needs no key
		segments = []Segment{{Key: key, Rights: format.AccessRemoteWrite, VA: va + uint64(received), Range: left, Length: q.Length, Skip: no != nil}}
		switch {
		case fault == format.VendorBusRead:
			return segments, &denial{0x63, format.StatusLocProt, fault, imm && wqe != nil}
		case fault != 0:
			return segments, &denial{0x62, format.StatusLocAccess, fault, imm && wqe != nil}
		}
	}
	if no == nil {
		r.va, r.key, r.total, r.received = va, key, total, received
	}
	return segments, no
}

// lengthFits is the column of payloads of protocol section 1.5, with the pad.
func (r *Reference) lengthFits(q Request) bool {
	if (q.Length+q.PadCnt)%4 != 0 {
		return false
	}
	info, _ := format.Lookup(q.Opcode)
	switch info.Payload {
	case format.PayloadFull:
		return q.Length == r.MTU
	case format.PayloadSome:
		return q.Length > 0 && q.Length <= r.MTU
	}
	return q.Length <= r.MTU
}

// shape tells what message a request opcode belongs to, and whether it begins it;
// false for one that the block does not execute.
func shape(op format.Opcode) (kind progress, start, known bool) {
	info, _ := format.Lookup(op)
	switch _, atomic := atomics[op]; {
	case op <= format.OpSendOnlyImm, invalidates(op):
		return sending, info.Start, true
	case op <= format.OpWriteOnlyImm:
		return writing, info.Start, true
	case op == format.OpReadRequest:
		return fetching, true, true
	case atomic:
		return modifying, true, true
	}
	return nothing, false, false
}

// atomics are the kinds of their resources.
var atomics = map[format.Opcode]int{format.OpCmpSwap: link.ResourceCompareSwap, format.OpFetchAdd: link.ResourceFetchAdd}

func invalidates(op format.Opcode) bool {
	return op == format.OpSendLastInv || op == format.OpSendOnlyInv
}

func ends(op format.Opcode) bool {
	info, _ := format.Lookup(op)
	return info.End
}

func immediate(op format.Opcode) bool {
	info, _ := format.Lookup(op)
	_, has := info.ExtOffset(format.ExtImmDt)
	return has
}
