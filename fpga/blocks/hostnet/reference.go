package hostnet

import "gornic/format"

// Registers are what a [Board] has of registers. They report false where there is none.
type Registers interface {
	Read(offset uint32) (uint32, bool)
	Write(offset, value uint32) bool
}

// Request is what a [Board] asks of a PC.
type Request struct {
	Op    format.HostnetOp // format.HostnetRead, HostnetWrite or HostnetInterrupt
	Addr  uint64
	Words int    // of a read
	Data  []byte // of a write: whole words
	First byte   // strobes of the first word,
	Last  byte   // and of the last, where there are several

	// Done is called with the answer: the words of a read, and whether there was memory.
	Done func(data []byte, ok bool)
}

// Board is the board's side of the protocol in plain Go, a datagram at a time and without a clock: the same as the hardware, but that
// it takes requests and not bursts. It is used by one goroutine at a time.
type Board struct {
	registers Registers
	window    int
	retries   int

	open, known bool
	session     uint32
	requests    []Request // not answered, of which the first window are under way,
	acked       uint32    // the first one's number,
	ahead       int       // and how many are sent
	tries       int
	done        uint32 // number of the access done last,
	kept        []byte // and its answer
}

// NewBoard returns a board with a window of requests, that gives a PC up which has left requests unanswered more than retries times.
func NewBoard(r Registers, window, retries int) *Board {
	return &Board{registers: r, window: window, retries: retries}
}

// Open tells whether a session is open.
func (b *Board) Open() bool { return b.open }

// Idle tells whether every request is answered.
func (b *Board) Idle() bool { return len(b.requests) == 0 }

// Ask queues a request. Without a session it fails at once.
func (b *Board) Ask(r Request) {
	b.requests = append(b.requests, r)
	if !b.open {
		b.fail()
	}
}

// fail answers all requests with an error.
func (b *Board) fail() {
	b.open = false
	for len(b.requests) > 0 {
		b.next(nil, false)
	}
}

// next answers the first request.
func (b *Board) next(data []byte, ok bool) {
	r := b.requests[0]
	b.requests = b.requests[1:]
	b.acked++
	b.ahead = max(b.ahead-1, 0)
	b.tries = 0
	if r.Done != nil {
		r.Done(data, ok)
	}
}

// Send returns the next datagram with a request; nil if there is none to be sent now.
func (b *Board) Send() []byte {
	if !b.open || b.ahead == min(b.window, len(b.requests)) {
		return nil
	}
	r := b.requests[b.ahead]
	h := format.HostnetHeader[uint64]{
		Magic: format.HostnetMagic, Session: uint64(b.session), Addr: r.Addr, Seq: uint64(b.acked + uint32(b.ahead)), Op: uint64(r.Op), Words: uint64(r.Words),
	}
	if r.Op == format.HostnetWrite {
		h.Words, h.First, h.Last = uint64(len(r.Data)/8), uint64(r.First), uint64(r.Last)
	}
	b.ahead++
	return append(datagram(h), r.Data...)
}

// Timeout tells the board that nothing has come for its time: it goes back, or gives the PC up.
func (b *Board) Timeout() {
	if !b.open || b.ahead == 0 {
		return
	}
	b.ahead = 0
	if b.tries == b.retries {
		b.fail()
		return
	}
	b.tries++
}

// Take takes a datagram, and returns the answer to it, or nil.
func (b *Board) Take(d []byte) []byte {
	h, err := format.Decode[format.HostnetHeader[uint64]](d)
	data := d[min(len(d), format.Size[format.HostnetHeader[uint64]]()):]
	if err != nil || h.Magic != format.HostnetMagic || h.Words > format.HostnetWords || len(data) != int(h.Words)*8 {
		return nil
	}
	switch {
	case h.Answer == 1:
		b.answered(h, data)
	case h.Words != 0:
	case h.Op == uint64(format.HostnetHello):
		return b.hello(h)
	case h.Op == uint64(format.HostnetReadRegister) || h.Op == uint64(format.HostnetWriteRegister):
		return b.access(h)
	}
	return nil
}

// answered takes an answer, if it is that of the first request.
func (b *Board) answered(h format.HostnetHeader[uint64], data []byte) {
	if !b.open || len(b.requests) == 0 || h.Session != uint64(b.session) || h.Seq != uint64(b.acked) || h.Op != uint64(b.requests[0].Op) {
		return
	}
	ok := h.Status == uint64(format.HostnetOK)
	words := 0
	if ok && h.Op == uint64(format.HostnetRead) {
		words = b.requests[0].Words
	}
	if int(h.Words) == words {
		b.next(data, ok)
	}
}

// hello begins a session.
func (b *Board) hello(h format.HostnetHeader[uint64]) []byte {
	session := uint32(h.Session)
	switch {
	case session == 0:
		return nil
	case b.open && session == b.session && b.kept == nil && b.acked == 0:
	case b.known && !format.HostnetNewer(session, b.session):
		return reply(h, format.HostnetStale, b.session)
	default:
		b.fail()
		b.open, b.known, b.session = true, true, session
		b.acked, b.ahead, b.tries, b.done, b.kept = 0, 0, 0, 0, nil
	}
	return reply(h, format.HostnetOK, b.session)
}

// access does an access of a register, once.
func (b *Board) access(h format.HostnetHeader[uint64]) []byte {
	offset, value := uint32(h.Addr>>32), uint32(h.Addr)
	switch seq := uint32(h.Seq); {
	case !b.open || h.Session != uint64(b.session):
		return reply(h, format.HostnetNoSession, 0)
	case seq == b.done && b.kept == nil: // there was none
		return reply(h, format.HostnetFault, 0)
	case seq == b.done:
		return b.kept
	case seq != b.done+1:
		return nil
	}
	b.done++
	var ok bool
	if h.Op == uint64(format.HostnetReadRegister) {
		value, ok = b.registers.Read(offset)
	} else {
		ok, value = b.registers.Write(offset, value), 0
	}
	status := format.HostnetOK
	if !ok {
		status = format.HostnetFault
	}
	b.kept = reply(h, status, value)
	return b.kept
}

// reply is the answer to an access or a hello.
func reply(h format.HostnetHeader[uint64], s format.HostnetStatus, value uint32) []byte {
	h.Answer, h.Status = 1, uint64(s)
	h.Addr = h.Addr>>32<<32 | uint64(value)
	h.First, h.Last = 0, 0
	return datagram(h)
}

// datagram is a header as it is sent.
func datagram(h format.HostnetHeader[uint64]) []byte {
	b, _ := format.Append(nil, h) // every field is as wide as what it is made of
	return b
}
