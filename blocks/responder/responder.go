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
	Request    hdl.Stream[link.RxRequest]  `hdl:"in"`
	Segment    hdl.Stream[link.Segment]    `hdl:"out"`
	Translated hdl.Stream[link.Translated] `hdl:"in"`
	Queue      link.QueuePort              `hdl:"out"`
	Commit     hdl.Stream[link.Commit]     `hdl:"out"`
	Outcome    hdl.Stream[link.Outcome]    `hdl:"out"`
	Flush      hdl.Stream[link.QPRef]      `hdl:"in"`
	Context    link.ContextPort            `hdl:"out"`
	Control    hdl.Stream[link.QPControl]  `hdl:"in"`
}

// Def is the block. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	s := p.Sizes
	return hdl.Def[IO]{
		Name: fmt.Sprintf("responder_qp%d_cq%d_slots%d", s.QPBits, s.CQBits, s.SlotBits),
		Doc:  "Decides what becomes of requests: where their payload goes, what completes, what is answered.",
		IO: IO{
			Request: hdl.StreamOf(s.RxRequest()), Segment: hdl.StreamOf(link.Segment{}), Translated: hdl.StreamOf(link.Translated{}),
			Queue: s.QueuePort(), Commit: hdl.StreamOf(s.Commit()), Outcome: hdl.StreamOf(s.Outcome()),
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

// Kinds of message that a queue pair may be in the middle of.
const (
	kindNone  = 0
	kindSend  = 1
	kindWrite = 2
	kindDead  = 3 // it takes no more requests
)

// turnFlush is the kind of a turn that takes a receive WQE as flushed; the other
// kinds are those of link.RxRequest.
const turnFlush = 5

// message is what is kept of a queue pair: the message in progress.
type message struct {
	Kind hdl.Bits `w:"2"`  // kindNone and others
	Done hdl.Bits `w:"32"` // bytes that have come
	Left hdl.Bits `w:"32"` // kindWrite: bytes that are still to come; kindSend: room in the receive WQE
	VA   hdl.Bits `w:"64"` // kindWrite: where the next byte goes,
	Key  hdl.Bits `w:"32"` // and the key for it
	SGE  hdl.Bits `w:"3"`  // kindSend: the SGE where the next byte goes,
	At   hdl.Bits `w:"32"` // and the byte in it
}

// turn is a request, or a flush, with all that is needed to decide on it.
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
	Imm        hdl.Bits `w:"32"` // as in memory
	PayloadLen hdl.Bits `w:"13"`
	Context    context
	Was        hdl.Bits `w:"2"` // the message in progress that it found: kindNone and others
	Message    message  // in progress, or as it begins
	Head       link.Head
	Control    format.RecvControl[hdl.Bits] // of the WQE at the head, where it is here
	SGE        format.SGE[hdl.Bits]         // the one where the message is
}

// context is what is needed of a queue pair's.
type context struct {
	QPN      hdl.Bits `w:"24"`
	PD       hdl.Bits `w:"24"`
	PathMTU  hdl.Bits `w:"3"`
	Writable hdl.Bits `w:"1"` // the peer may write
	MinRNR   hdl.Bits `w:"5"`
	RQStride hdl.Bits `w:"1"`
	RecvCQ   hdl.Bits
}

func (p Params) context() context { return context{RecvCQ: hdl.W(p.Sizes.CQBits)} }

func (p Params) turn() turn {
	s := p.Sizes
	return turn{QP: hdl.W(s.QPBits), Context: p.context(), Head: hdl.Proto(s.QueuePort().Head.Data)}
}

// contextOf takes what is needed.
func contextOf(c link.Context) context {
	return context{
		QPN: c.QPN, PD: c.PD, PathMTU: c.PathMTU, Writable: c.Access.Bit(1), MinRNR: c.MinRNR, RQStride: c.RQStride, RecvCQ: c.RecvCQ,
	}
}

// unusedOf are the other fields of a context.
func unusedOf(c link.Context) []hdl.Bits {
	return []hdl.Bits{
		c.Access.Slice(3, 2), c.Access.Bit(0), c.DestQPN, c.Timeout, c.RetryCnt, c.RNRRetry, c.SigAll, c.SQStride, c.SendCQ, c.MaxRD, c.MaxDestRD,
	}
}

// block is the module while it is built.
type block struct {
	m  *hdl.Module
	p  Params
	io *IO

	messages *hdl.Memory
	flushing *scheduler.IO      // queue pairs whose receive WQEs may have to be flushed
	flush    flush              // the one at hand
	turn     hdl.Stream[turn]   // for who works on it
	records  hdl.Stream[record] // decided, in the order of the packets
	extra    extra              // further granules of a WQE
	looking  hdl.Bits           // a turn is looked up
	hearing  hdl.Bits           // a record has its last word
	ending   hdl.Bits           // its effects are on their way
	quiet    hdl.Bits           // nothing is in the pipeline
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
const recordsAhead = 4

func newBlock(m *hdl.Module, p Params, io *IO) *block {
	s := p.Sizes
	b := &block{
		m: m, p: p, io: io,
		messages: m.RAM("messages", 1<<s.QPBits, hdl.WidthOf(message{}), hdl.Undefined),
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
// in the pipeline.
func (b *block) keep() {
	control, s := b.io.Control, b.saved
	b.quiet.Set(hdl.OrAll(b.looking, b.turn.Valid, b.records.Valid, b.hearing, b.ending).Not())
	control.Ready.Set(b.quiet)
	clears := control.Fire().And(control.Data.Kind.Is(link.ControlClear))
	b.m.Unused(control.Data.PSN)
	zero := hdl.K(hdl.WidthOf(message{}), 0)
	b.messages.Write(hdl.Mux(s.Now, s.QP, control.Data.QP), s.Now.Or(clears), hdl.Mux(s.Now, hdl.Pack(s.Message), zero))
}

// work decides on turns, and puts what it decided into a queue.
func (b *block) work() {
	w := newWorker(b)
	w.run()
	b.records = stream.FIFO(b.m, "u_records", w.out, recordsAhead)
}
