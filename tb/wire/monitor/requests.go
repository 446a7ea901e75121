package monitor

import (
	"bytes"

	"gornic/format"
	"gornic/tb/wire"
)

const (
	psnMask  = 1<<24 - 1
	noOpcode = format.Opcode(0xFF)
	window   = 1 << 23 // packets that may be on their way, and one
)

// flow is the requests of one direction of a connection, and their answers.
// Packets are counted from 0, so that nothing wraps.
type flow struct {
	mtu   int
	first uint32 // PSN of packet 0
	port  uint64 // UDP source port; 0: not seen yet
	fails bool   // it may end without an acknowledgement
	back  *flow  // the other direction

	sent   []sent
	last   int           // the last packet of what was sent last
	openOp format.Opcode // of the last new packet of a message that goes on
	openAt int           // the first packet of that message
	known  int           // the sender has answers for those before it, or behind it
	oldest int           // it owes those before it no more, and this one

	reach int   // the receiver can have no more than the packets before it
	ahead bool  // a packet behind reach arrived: there was a gap
	acked int   // it told of those before it
	dead  bool  // it sent a fatal NAK
	due   int   // the response that goes on with the READ that is being answered; -1: none
	owed  []int // first packets of the READs and atomics that have not been answered whole
}

// sent is a request as it was first sent. A READ has one of each of its responses.
type sent struct {
	op      format.Opcode
	se      uint64
	ext     format.ExtWords[uint64]
	payload []byte
	ends    int // messages that end with this packet or before
	begin   int // the first packet of a READ
	end     int // and the last
	tries   Tries
	told    bool // of an RNR NAK since it was sent
	asked   int  // how often a READ from here on, or this atomic, arrived and has not been answered
}

func newFlow(first uint32, mtu int) *flow {
	return &flow{mtu: mtu, first: first, last: -1, openOp: noOpcode, due: -1}
}

func (f *flow) next() int { return len(f.sent) }

func (f *flow) psn(i int) uint32 { return (f.first + uint32(i)) & psnMask }

// index is the packet of a PSN: the one nearest to those that are sent next.
func (f *flow) index(psn uint32) int {
	return f.next() + int(int32((psn-f.psn(f.next()))<<8)>>8)
}

// request judges a request packet.
func (f *flow) request(p packet, payloads bool) *fault {
	i := f.index(p.psn)
	var wrongWith *fault
	switch {
	case i > f.next():
		return wrong("4.1", "expected PSN %#x, the next one", f.psn(f.next()))
	case i < 0:
		return wrong("4.1", "before the first PSN of the connection, %#x", f.first)
	case i > f.last+1 && i > f.known:
		return wrong("4.5", "it follows PSN %#x; those between are not acknowledged", f.psn(f.last))
	case i == f.next():
		wrongWith = f.newRequest(p)
	default:
		f.sentAgain(i)
		wrongWith = f.again(p, i, payloads)
	}
	if wrongWith != nil {
		return wrongWith
	}
	f.last = f.sent[i].end
	if p.arrives() {
		f.arrives(i)
	}
	if p.c.Action == wire.Duplicate {
		f.arrives(i)
	}
	return nil
}

// arrives notes that packet i got to the other end.
func (f *flow) arrives(i int) {
	if i < 0 || i >= f.next() {
		return
	}
	if i <= f.reach && hasResponse(f.sent[i].op) {
		f.sent[i].asked++
		f.askBehind(f.sent[i].end + 1)
	}
	switch {
	case i == f.reach:
		f.reach = f.sent[i].end + 1
	case i > f.reach:
		f.ahead = true
	}
}

// askBehind: who is asked for a READ or atomic again may answer again all that is behind
// it, as the sender goes back to there as a whole.
func (f *flow) askBehind(i int) {
	for ; i < f.reach; i = f.sent[i].end + 1 {
		if hasResponse(f.sent[i].op) {
			f.sent[i].asked++
		}
	}
}

// again judges a request that was sent before: opcode, length and headers are the same, but that it may ask for an
// acknowledgement or not (protocol section 10, row 24).
func (f *flow) again(p packet, i int, payloads bool) *fault {
	was := f.sent[i]
	switch {
	case p.op != was.op:
		return wrong("4.2", "sent again, it was %v", was.op)
	case len(p.Payload) != len(was.payload):
		return wrong("4.2", "sent again with %d bytes, it had %d", len(p.Payload), len(was.payload))
	case p.op == format.OpReadRequest:
		return f.readAgain(p, i)
	case p.Descriptor.Ext != was.ext || p.Descriptor.SE != was.se:
		return wrong("4.2", "sent again with other headers")
	case payloads && i >= f.known && !bytes.Equal(p.Payload, was.payload): // else its buffer may be software's again
		return wrong("4.2", "sent again with another payload")
	}
	return nil
}

// readAgain judges the READ for what is missing of one, from packet i on.
func (f *flow) readAgain(p packet, i int) *fault {
	was := f.sent[i]
	want, got := rethOf(was.ext, was.op), rethOf(p.Descriptor.Ext, p.op)
	before := uint64((i - was.begin) * f.mtu)
	want.VA += before
	want.DMALen -= before
	if got != want {
		return wrong("4.5", "a READ of %d bytes at %#x with key %#x, what is missing there are %d at %#x with key %#x",
			got.DMALen, got.VA, got.RKey, want.DMALen, want.VA, want.RKey)
	}
	return nil
}

func rethOf(ext format.ExtWords[uint64], op format.Opcode) format.RETH[uint64] {
	reth, _ := format.ExtHeaderOf[format.RETH[uint64]](ext, op, format.ExtRETH)
	return reth
}

// newRequest judges a request that is sent for the first time, and notes it.
func (f *flow) newRequest(p packet) *fault {
	info, known := format.Lookup(p.op)
	switch {
	case !known || p.op.Transport() != format.RC || isResponse(p.op):
		return wrong("1.5", "no request that there is")
	case f.next()-f.acked >= window-1:
		return wrong("4.1", "2^23 packets are not acknowledged")
	}
	if wrongWith := f.sequence(p, info); wrongWith != nil {
		return wrongWith
	}
	if wrongWith := f.length(p, info); wrongWith != nil {
		return wrongWith
	}
	mayEvent := isSend(p.op) || hasImm(info)
	switch {
	case p.Descriptor.SE != 0 && !(info.End && mayEvent):
		return wrong("1.3", "SE is set")
	case info.End && p.Descriptor.AckReq == 0:
		return wrong("4.1", "the last packet of a message does not ask for an acknowledgement")
	}
	f.note(p, info)
	return nil
}

// sequence judges the place in the message.
func (f *flow) sequence(p packet, info format.OpInfo) *fault {
	open := f.openOp != noOpcode
	switch {
	case info.Start && open:
		return wrong("3.5", "a message begins before the one before it ends, which began at PSN %#x", f.psn(f.openAt))
	case !info.Start && !open:
		return wrong("3.5", "no message has begun")
	case open && isSend(p.op) != isSend(f.openOp):
		return wrong("3.5", "it follows %v", f.openOp)
	}
	return nil
}

// length judges the payload against path MTU and RETH.
func (f *flow) length(p packet, info format.OpInfo) *fault {
	n := len(p.Payload)
	low, high := 0, f.mtu
	switch info.Payload {
	case format.PayloadFull:
		low = f.mtu
	case format.PayloadSome:
		low = 1
	case format.PayloadNone:
		high = 0
	}
	if n < low || n > high {
		return wrong("1.5", "%d bytes of payload, expected %d to %d", n, low, high)
	}
	switch {
	case p.op == format.OpReadRequest:
		return f.reads(p)
	case isSend(p.op) || hasResponse(p.op):
		return nil
	}
	total := n
	ext, op := p.Descriptor.Ext, p.op
	if !info.Start {
		ext, op = f.sent[f.openAt].ext, f.sent[f.openAt].op
		for _, s := range f.sent[f.openAt:] {
			total += len(s.payload)
		}
	}
	switch want := int(rethOf(ext, op).DMALen); {
	case info.End && total != want:
		return wrong("4.2", "%d bytes in the message, its RETH says %d", total, want)
	case !info.End && total >= want:
		return wrong("4.2", "%d bytes so far and the message goes on; its RETH says %d", total, want)
	}
	return nil
}

// reads judges the length of a READ.
func (f *flow) reads(p packet) *fault {
	if n := rethOf(p.Descriptor.Ext, p.op).DMALen; n > format.MessageMax {
		return wrong("1.4", "a READ of %d bytes, expected no more than 2^31", n)
	}
	return nil
}

// note adds a request: a packet, or as many as a READ has responses.
func (f *flow) note(p packet, info format.OpInfo) {
	at, count := f.next(), 1
	if info.Start {
		f.openAt = at
	}
	f.openOp = p.op
	ends := f.endsBefore(at)
	if info.End {
		f.openOp = noOpcode
		ends++
	}
	if p.op == format.OpReadRequest {
		count = max(1, (int(rethOf(p.Descriptor.Ext, p.op).DMALen)+f.mtu-1)/f.mtu)
	}
	if hasResponse(p.op) {
		f.owed = append(f.owed, at)
	}
	s := sent{op: p.op, se: p.Descriptor.SE, ext: p.Descriptor.Ext, payload: bytes.Clone(p.Payload), ends: ends, begin: at, end: at + count - 1}
	for range count {
		f.sent = append(f.sent, s)
	}
}

// endsBefore counts the messages that end before packet i.
func (f *flow) endsBefore(i int) int {
	if i == 0 {
		return 0
	}
	return f.sent[i-1].ends
}

func hasImm(info format.OpInfo) bool {
	_, ok := info.ExtOffset(format.ExtImmDt)
	return ok
}

func isSend(op format.Opcode) bool {
	return op < format.OpWriteFirst || op == format.OpSendLastInv || op == format.OpSendOnlyInv
}

// hasResponse tells that a request is answered by a response of its own.
func hasResponse(op format.Opcode) bool {
	return op == format.OpReadRequest || op == format.OpCmpSwap || op == format.OpFetchAdd
}

func isResponse(op format.Opcode) bool {
	return op >= format.OpReadResponseFirst && op <= format.OpAtomicAck
}
