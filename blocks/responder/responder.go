package responder

import (
	"fmt"

	"gornic/blocks/link"
	"gornic/blocks/scheduler"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Params are the parameters of the block.
type Params struct{ Sizes link.Sizes }

// Validate returns an error for parameters that the block cannot have.
func (p Params) Validate() error {
	if p.Sizes.QPBits < 1 || p.Sizes.QPBits > 16 {
		return fmt.Errorf("responder: 2^%d queue pairs: not 2^1 to 2^16", p.Sizes.QPBits)
	}
	return nil
}

// IO is the ports of the block.
type IO struct {
	Request    hdl.Stream[link.RxMatched]  `hdl:"in"`
	Segment    hdl.Stream[link.Segment]    `hdl:"out"`
	Translated hdl.Stream[link.Translated] `hdl:"in"`
	Queue      link.QueuePort              `hdl:"out"`
	Commit     hdl.Stream[link.Commit]     `hdl:"out"`
	Operands   hdl.Stream[link.Operands]   `hdl:"out"`
	Served     hdl.Stream[link.Served]     `hdl:"in"`
	Outcome    hdl.Stream[link.Outcome]    `hdl:"out"`
	Flush      hdl.Stream[link.QPRef]      `hdl:"in"`
	Context    link.ContextPort            `hdl:"out"`
	Control    hdl.Stream[link.QPControl]  `hdl:"in"`
}

// Def is the block. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	s := p.Sizes
	return hdl.Def[IO]{
		Name: fmt.Sprintf("responder_qp%d_cq%d_slots%d", s.QPBits, s.CQBits, s.SlotBits) + s.Tag(link.Atomics),
		Doc:  "Decides what becomes of requests: where their payload goes, what completes, what is answered; places that of responses.",
		IO: IO{
			Request: hdl.StreamOf(s.RxMatched()), Segment: hdl.StreamOf(link.Segment{}), Translated: hdl.StreamOf(link.Translated{}),
			Queue: s.QueuePort(), Commit: hdl.StreamOf(s.Commit()),
			Operands: hdl.StreamOf(link.Operands{}), Served: hdl.StreamOf(s.Served()), Outcome: hdl.StreamOf(s.Outcome()),
			Flush: hdl.StreamOf(s.QPRef()), Context: s.ContextPort(), Control: hdl.StreamOf(s.QPControl()),
		},
		Body: func(m *hdl.Module, io *IO) {
			if err := p.Validate(); err != nil {
				m.Reject("%v", err)
			}
			b := newBlock(m, p, io)
			b.flushes()
			b.look()
			b.work()
			b.finish()
			b.keep()
			b.properties()
		},
	}
}

// Kinds of message. A queue pair is in the middle of one of the first three, or dead.
const (
	kindNone   = 0
	kindSend   = 1
	kindWrite  = 2
	kindDead   = 3 // it takes no more requests
	kindRead   = 4
	kindAtomic = 5
)

// turnFlush is the kind of a turn that takes a receive WQE as flushed; the other
// kinds are those of link.RxRequest.
const turnFlush = 7

// message is what is kept of a queue pair: the message in progress, and how many READs and
// atomics were accepted.
type message struct {
	Kind     hdl.Bits `w:"2"`  // kindNone, kindSend, kindWrite or kindDead
	Done     hdl.Bits `w:"32"` // bytes that have come
	Left     hdl.Bits `w:"32"` // kindWrite: bytes that are still to come; kindSend: room in the receive WQE; else bytes in all
	VA       hdl.Bits `w:"64"` // but of kindSend, where the next byte goes or comes from,
	Key      hdl.Bits `w:"32"` // and the key for it
	SGE      hdl.Bits `w:"3"`  // kindSend: the SGE where the next byte goes,
	At       hdl.Bits `w:"32"` // and the byte in it
	Accepted hdl.Bits `w:"8"`  // READs and atomics, free-running
}

// turn is a packet, a piece of a response, or a flush, with all that is needed to decide on it.
type turn struct {
	Kind       hdl.Bits `w:"3"` // link.PSNExpected and others, or turnFlush
	QP         hdl.Bits
	Op         decoded
	SE         hdl.Bits `w:"1"`
	AckReq     hdl.Bits `w:"1"`
	PadCnt     hdl.Bits `w:"2"`
	PSN        hdl.Bits `w:"24"`
	Expected   hdl.Bits `w:"24"`
	SendNAK    hdl.Bits `w:"1"`
	Imm        hdl.Bits `w:"32"` // as in memory; or the key to invalidate, as a number
	PayloadLen hdl.Bits `w:"13"`
	Context    context
	Most       hdl.Bits `w:"8"` // of its queue pair's READs and atomics, how many have been answered
	Was        hdl.Bits `w:"2"` // the message in progress that it found: kindNone and others
	Message    message  // in progress, or as it begins
	Response   response
	Syndrome   hdl.Bits `w:"8"` // of the response
	Head       link.Head
	Control    format.RecvControl[hdl.Bits] // of the WQE at the head, where it is here
	SGE        format.SGE[hdl.Bits]         // the one where the message is
}

// response is what readmatch said of a response.
type response struct {
	Match hdl.Bits `w:"3"` // link.MatchACK and others
	Fault hdl.Bits `w:"5"` // its WQE could not be read
	Skip  hdl.Bits `w:"1"` // its payload, or the rest, is dropped
	More  hdl.Bits `w:"1"` // a further piece of it follows
}

// context is what is needed of a queue pair's.
type context struct {
	QPN       hdl.Bits `w:"24"`
	PD        hdl.Bits `w:"24"`
	PathMTU   hdl.Bits `w:"3"`
	Access    hdl.Bits `w:"3"` // what the peer may do: format.Access bits 3 to 1
	MaxDestRD hdl.Bits `w:"8"`
	MinRNR    hdl.Bits `w:"5"`
	RQStride  hdl.Bits `w:"1"`
	CQ        hdl.Bits // of the half that the packet is for
}

func (p Params) context() context { return context{CQ: hdl.W(p.Sizes.CQBits)} }

func (p Params) turn() turn {
	s := p.Sizes
	return turn{QP: hdl.W(s.QPBits), Context: p.context(), Head: hdl.Proto(s.QueuePort().Head.Data)}
}

// contextOf takes what is needed, for the requester's half where requester is one.
func contextOf(c link.Context, requester hdl.Bits) context {
	return context{
		QPN: c.QPN, PD: c.PD, PathMTU: c.PathMTU, Access: c.Access.Slice(3, 1), MaxDestRD: c.MaxDestRD, MinRNR: c.MinRNR, RQStride: c.RQStride,
		CQ: hdl.Mux(requester, c.SendCQ, c.RecvCQ),
	}
}

// unusedOf are the other fields of a context.
func unusedOf(c link.Context) []hdl.Bits {
	return []hdl.Bits{c.Congestion, c.Access.Bit(0), c.DestQPN, c.Timeout, c.RetryCnt, c.RNRRetry, c.SigAll, c.SQStride, c.MaxRD}
}

// block is the module while it is built.
type block struct {
	m  *hdl.Module
	p  Params
	io *IO

	messages *hdl.Memory
	served   *hdl.Memory               // of each queue pair, READs and atomics that have been answered
	flushing *scheduler.IO             // queue pairs whose receive WQEs may have to be flushed
	flush    flush                     // the one at hand
	turn     hdl.Stream[turn]          // for who works on it
	records  hdl.Stream[record]        // decided, in the order of the packets
	operands hdl.Stream[link.Operands] // of the atomics among them
	extra    extra                     // further granules of a WQE
	looking  hdl.Bits                  // a turn is looked up
	hearing  hdl.Bits                  // a record has its last word
	ending   hdl.Bits                  // its effects are on their way
	quiet    hdl.Bits                  // nothing is in the pipeline
	saved    saved
}

// saved is the write port of the messages.
type saved struct {
	Now     hdl.Bits `w:"1"`
	QP      hdl.Bits
	Message message
}

// extra is a question for an SGE by who works on a turn.
type extra struct {
	Wants hdl.Bits `w:"1"`
	SGE   hdl.Bits `w:"3"`
	Comes hdl.Bits `w:"1"` // it is there, in this cycle
}

// recordsAhead is how many decided packets wait for their translation.
func (p Params) recordsAhead() int { return p.Sizes.Ahead(4) }

// inside is how many packets are in the pipeline at all.
func (p Params) inside() int { return p.recordsAhead() + 4 }

func newBlock(m *hdl.Module, p Params, io *IO) *block {
	s := p.Sizes
	b := &block{
		m: m, p: p, io: io,
		messages: m.RAM("messages", 1<<s.QPBits, hdl.WidthOf(message{}), hdl.Undefined),
		served:   m.LUTRAM("served", 1<<s.QPBits, 8),
		flushing: hdl.Instance(m, "u_flushing", scheduler.Def(scheduler.Params{Sizes: s, Wakes: 1})),
		extra:    hdl.NewWire(m, "extra", extra{}),
		looking:  m.Reg("looking", 1, 0),
		ending:   m.Reg("ending", 1, 0),
		quiet:    m.Wire("quiet", 1),
		saved:    hdl.NewWire(m, "saved", saved{QP: hdl.W(s.QPBits)}),
	}
	return b
}

// keep writes the messages: who finishes a record does, or Control, when nothing is
// in the pipeline. How many resources have been answered is written as it is told.
func (b *block) keep() {
	control, s := b.io.Control, b.saved
	b.quiet.Set(hdl.OrAll(b.looking, b.turn.Valid, b.records.Valid, b.hearing, b.ending).Not())
	control.Ready.Set(b.quiet)
	clears := control.Fire().And(control.Data.Kind.Is(link.ControlClear))
	b.m.Unused(control.Data.PSN)
	zero := hdl.K(hdl.WidthOf(message{}), 0)
	told := b.io.Served
	told.Ready.Set(clears.Not())
	b.m.Unused(told.Data.Next, told.Data.Duplicates)
	b.served.Write(hdl.Mux(clears, control.Data.QP, told.Data.QP), clears.Or(told.Valid), hdl.Mux(clears, hdl.K(8, 0), told.Data.Most))
	b.messages.Write(hdl.Mux(s.Now, s.QP, control.Data.QP), s.Now.Or(clears), hdl.Mux(s.Now, hdl.Pack(s.Message), zero))
}

// work decides on turns, and puts what it decided into a queue.
func (b *block) work() {
	w := newWorker(b)
	w.run()
	b.records = stream.FIFO(b.m, "u_records", w.out, b.p.recordsAhead())
}
