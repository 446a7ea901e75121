package requester

import (
	"fmt"

	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Params are the parameters of the block.
type Params struct{ Sizes link.Sizes }

// Validate returns an error for parameters that the block cannot have.
func (p Params) Validate() error {
	s := p.Sizes
	switch s.DataWidth {
	case 64, 128, 256, 512:
	default:
		return fmt.Errorf("requester: data width of %d bits: not 64, 128, 256 or 512", s.DataWidth)
	}
	if s.QPBits < 1 || s.QPBits > 16 {
		return fmt.Errorf("requester: 2^%d queue pairs: not 2^1 to 2^16", s.QPBits)
	}
	if s.ReplayBits < 1 || s.ReplayBits > 12 {
		return fmt.Errorf("requester: 2^%d replay entries a queue pair: not 2^1 to 2^12", s.ReplayBits)
	}
	if s.ReadBits < 1 || s.ReadBits > 6 {
		return fmt.Errorf("requester: 2^%d READs and atomics of a queue pair: not 2^1 to 2^6", s.ReadBits)
	}
	return nil
}

// IO is the ports of the block.
type IO struct {
	Grant     hdl.Stream[link.QPRef]     `hdl:"in"`
	Context   link.ContextPort           `hdl:"out"`
	Queue     link.QueuePort             `hdl:"out"`
	Retired   hdl.Stream[link.Retired]   `hdl:"in"`
	KeyOpDone hdl.Stream[link.KeyOpDone] `hdl:"in"`
	Control   hdl.Stream[link.QPControl] `hdl:"in"`
	Fence     hdl.Stream[link.Fence]     `hdl:"in"`
	Held      link.HeldPort              `hdl:"out"`
	Mark      hdl.Stream[link.QPRef]     `hdl:"in"`
	Paced     link.PacedPort             `hdl:"out"`
	Issue     hdl.Stream[link.ReadIssue] `hdl:"out"`
	Job       hdl.Stream[link.TxJob]     `hdl:"out"`
	Segment   hdl.Stream[link.Segment]   `hdl:"out"`
	Inline    stream.Frame               `hdl:"out"`
	KeyOp     hdl.Stream[link.KeyOp]     `hdl:"out"`
	Again     hdl.Stream[link.QPRef]     `hdl:"out"`
	Async     hdl.Stream[link.Async]     `hdl:"out"`
	Peek      link.Peek                  `hdl:"in"` // the next PSN
}

// Def is the block. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	s := p.Sizes
	return hdl.Def[IO]{
		Name: fmt.Sprintf("requester_%d_qp%d_cq%d_r%d", s.DataWidth, s.QPBits, s.CQBits, s.ReplayBits) + s.Tag(link.Atomics|link.KeyRequests),
		Doc:  "Makes request packets of work queue entries, one packet of the queue pair whose turn it is.",
		IO: IO{
			Grant: hdl.StreamOf(s.QPRef()), Context: s.ContextPort(), Queue: s.QueuePort(),
			Retired: hdl.StreamOf(s.Retired()), KeyOpDone: hdl.StreamOf(s.KeyOpDone()), Control: hdl.StreamOf(s.QPControl()),
			Fence: hdl.StreamOf(link.Fence{}), Held: s.HeldPort(), Mark: hdl.StreamOf(s.QPRef()), Paced: s.PacedPort(), Issue: hdl.StreamOf(s.ReadIssue()), Job: hdl.StreamOf(s.TxJob()), Segment: hdl.StreamOf(link.Segment{}),
			Inline: stream.FrameOf(s.DataWidth), KeyOp: hdl.StreamOf(s.KeyOp()),
			Again: hdl.StreamOf(s.QPRef()), Async: hdl.StreamOf(link.Async{}), Peek: s.Peek(24),
		},
		Body: func(m *hdl.Module, io *IO) {
			if err := p.Validate(); err != nil {
				m.Reject("%v", err)
			}
			inner := *io
			inner.Job = link.Before(m, s, "made", io.Job)
			b := &block{m: m, p: p, io: &inner}
			b.keep()
			b.look()
			b.send()
			b.properties()
		},
	}
}

// block is the module while it is built.
type block struct {
	m  *hdl.Module
	p  Params
	io *IO

	messages, psns *hdl.Memory
	retired        *hdl.Memory // entries, and READs and atomics among them
	outcomes       *hdl.Memory // of local operations
	notify         *hdl.Memory // a bit: an event is wanted when all is done

	saved saved             // what the turn that ends writes back
	parks hdl.Bits          // the turn gives a local operation away
	quiet hdl.Bits          // no turn is under way
	marks hdl.Bits          // a mark is to be given before the next turn begins
	told  hdl.Bits          // the turn reports that the send queue has drained
	turn  hdl.Stream[turn]  // the turn that is looked up, for who sends
	extra extra             // further granules, for who sends
	st    *hdl.FSM[sending] // of who sends
}

// message is the state of a queue pair that a turn reads and writes.
type message struct {
	Active hdl.Bits `w:"1"`  // some of the WQE at the head has been sent
	Parked hdl.Bits `w:"1"`  // the WQE at the head is a local operation that has been given away
	Broken hdl.Bits `w:"1"`  // a WQE has failed: those behind it are flushed
	Offset hdl.Bits `w:"32"` // bytes sent
	Total  hdl.Bits `w:"32"` // bytes in all
	SGE    hdl.Bits `w:"3"`  // where the next byte is: SGE,
	SGEAt  hdl.Bits `w:"32"` // and byte in it
	Issued hdl.Bits `w:"16"` // entries given to the replay ring, free-running
	Reads  hdl.Bits `w:"8"`  // of those READs and atomics, free-running
	Ahead  hdl.Bits `w:"23"` // PSNs given since nothing was outstanding
}

// saved is the write port of the state.
type saved struct {
	Now     hdl.Bits `w:"1"`
	QP      hdl.Bits
	Message message
	PSN     hdl.Bits `w:"24"`
}

// extra is a question for a granule by who sends.
type extra struct {
	Wants   hdl.Bits `w:"1"`
	Granule hdl.Bits `w:"3"`
	Comes   hdl.Bits `w:"1"` // it is there, in this cycle
}

// retired is what Retired said last.
type retired struct {
	Count hdl.Bits `w:"16"`
	Reads hdl.Bits `w:"8"`
}

// keep is the state of queue pairs. Each memory has one writer: the turn that
// ends, or Control, which waits until there is none; and what Retired says.
func (b *block) keep() {
	m, io, qps := b.m, b.io, 1<<b.p.Sizes.QPBits
	b.messages = m.RAM("messages", qps, hdl.WidthOf(message{}), hdl.Undefined)
	b.psns = m.RAM("psns", qps, 24, hdl.Undefined)
	b.retired = m.LUTRAM("retired", qps, hdl.WidthOf(retired{}))
	b.notify = m.LUTRAM("notify", qps, 1)
	b.told = m.Wire("told_drained", 1)
	b.quiet = m.Wire("quiet", 1)
	b.marks = b.turnOfMark()
	b.saved = hdl.NewWire(m, "saved", saved{QP: hdl.W(b.p.Sizes.QPBits)})
	b.extra = hdl.NewWire(m, "extra", extra{})
	b.keepOutcomes()

	control, saved := io.Control, b.saved
	control.Ready.Set(b.quiet.And(io.Retired.Valid.Not()))
	clears := control.Fire().And(control.Data.Kind.Is(link.ControlClear))
	sets := control.Fire().And(control.Data.Kind.Is(link.ControlClear).Or(control.Data.Kind.Is(link.ControlSendPSN)))
	qp := hdl.Mux(saved.Now, saved.QP, control.Data.QP)
	zero := hdl.K(hdl.WidthOf(message{}), 0)
	b.messages.Write(qp, saved.Now.Or(clears), hdl.Mux(saved.Now, hdl.Pack(saved.Message), zero))
	b.psns.Write(qp, saved.Now.Or(sets), hdl.Mux(saved.Now, saved.PSN, control.Data.PSN))

	// A look waits for the write port to be idle: it does not meet a write in the memory.
	io.Peek.Value.Set(b.psns.Read("peeked", io.Peek.QP, saved.Now.Or(sets).Not()))

	drains := control.Fire().And(control.Data.Kind.Is(link.ControlDrain))
	b.notify.Write(hdl.Mux(b.told, saved.QP, control.Data.QP), hdl.OrAll(b.told, clears, drains), drains.And(control.Data.PSN.Bit(0)))

	told := io.Retired
	told.Ready.SetK(1)
	now := hdl.Pack(retired{Count: told.Data.Count, Reads: told.Data.Reads})
	b.retired.Write(hdl.Mux(told.Valid, told.Data.QP, control.Data.QP), told.Valid.Or(clears), hdl.Mux(told.Valid, now, now.K(0)))
}
