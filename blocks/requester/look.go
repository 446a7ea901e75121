package requester

import (
	"gornic/blocks/link"
	"gornic/blocks/wqe"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// granulesRead is how many granules of a WQE every turn reads: the two of its
// control part, and an SGE.
const granulesRead = 3

// look looks up what a turn needs: state, context, head of the queue, granules.
// It begins the next turn in the cycle in which it hands one on.
func (b *block) look() {
	m, io := b.m, b.io
	busy := m.Reg("look", 1, 0)
	qp := m.RegN("look_qp", b.p.Sizes.QPBits)
	offered := hdl.NewWire(m, "offered", hdl.StreamOf(b.p.turn()))
	b.turn = stream.ForwardSlice(m, "u_turn", offered)

	grant := io.Grant
	same := func(when, other hdl.Bits) hdl.Bits { return when.And(other.Eq(grant.Data.QP)) }
	ahead := same(busy, qp).Or(same(b.turn.Valid, b.turn.Data.QP))
	waits := hdl.OrAll(io.Control.Valid, io.Fence.Valid, b.marks)
	grant.Ready.Set(hdl.OrAll(busy.And(offered.Fire().Not()), ahead, waits).Not())
	b.quiet.Set(busy.Or(b.turn.Valid).Not())
	begins := grant.Fire()
	m.If(offered.Fire(), func() { busy.SetK(0) })
	m.If(begins, func() {
		busy.SetK(1)
		qp.Set(grant.Data.QP)
	})

	// The state is in the registers of the memories a cycle later, until the next turn.
	now := hdl.Mux(begins, grant.Data.QP, qp)
	state := hdl.Unpack(message{}, b.messages.Read("message", grant.Data.QP, begins))
	psn := b.psns.Read("psn", grant.Data.QP, begins)
	io.Context.Request.Data.QP.Set(now)
	io.Context.Request.Valid.Set(pending(m, "context_asked", begins, io.Context.Request.Ready))
	hdl.Set(io.Queue.Request.Data, link.HeadRequest{QP: now, Wait: hdl.K(1, 0)})
	io.Queue.Request.Valid.Set(pending(m, "head_asked", begins, io.Queue.Request.Ready))

	w := b.words(begins, qp, state.SGE)
	fresh := m.Reg("look_fresh", 1, 0) // the state is here, and what hangs on it not yet
	fresh.Set(begins)
	offered.Valid.Set(hdl.AndAll(busy, w.done, io.Context.Reply.Valid, fresh.Not()))
	io.Context.Reply.Ready.Set(offered.Fire())
	m.Unused(hdl.Pack(io.Context.Reply.Data.Address))
	known := b.standing(qp, state, offered.Valid)
	context := io.Context.Reply.Data.Context
	control := hdl.UnpackLow(format.SendControl[hdl.Bits]{}, hdl.Cat(w.granule[1], w.granule[0]))
	task := wqe.TaskOf(control, b.p.Sizes)
	state.Ahead = hdl.Mux(known.used.None(), state.Ahead.K(0), state.Ahead)
	t := turn{
		QP: qp, Context: context, Head: w.head, Message: state, PSN: psn, Outcome: known.outcome,
		Control: control, Task: task, Refusal: refusal(task, control, w.head, context), First: w.granule[2],
	}
	t.Verdict = b.decide(t, known)
	hdl.Set(offered.Data, t)
}

// turn is all that a turn needs to know.
type turn struct {
	QP      hdl.Bits
	Context link.Context
	Head    link.Head
	Message message
	PSN     hdl.Bits `w:"24"`
	Outcome outcome
	Control format.SendControl[hdl.Bits]
	Task    wqe.Task
	Refusal hdl.Bits `w:"5"` // why the WQE cannot be; else 0
	Verdict verdict
	First   hdl.Bits `w:"128"` // a granule behind the control part: the SGE where the message is, or operands
}

func (p Params) turn() turn {
	return turn{QP: hdl.W(p.Sizes.QPBits), Context: p.Sizes.Context(), Head: hdl.Proto(p.Sizes.QueuePort().Head.Data)}
}

// sge is the SGE where the message is.
func (t turn) sge() format.SGE[hdl.Bits] { return hdl.UnpackLow(format.SGE[hdl.Bits]{}, t.First) }

// pending returns the valid of a question that is asked once, from the cycle
// on in which begins is one.
func pending(m *hdl.Module, name string, begins, ready hdl.Bits) hdl.Bits {
	still := m.Reg(name, 1, 0)
	valid := begins.Or(still)
	still.Set(valid.And(ready.Not()))
	return valid
}

// words is what is read of the send queue in a turn.
type words struct {
	head    link.Head
	granule [granulesRead]hdl.Bits
	done    hdl.Bits // all is there; it stays so until the next turn begins
}

// words reads the head of the queue, and of a WQE that is here the granules.
func (b *block) words(begins, qp, sge hdl.Bits) words {
	m, q := b.m, b.io.Queue
	known := m.Reg("head_known", 1, 0)
	asked, got := m.Reg("granules_asked", 2, 0), m.Reg("granules_got", 2, 0)
	held := hdl.NewReg(m, "head", hdl.Proto(q.Head.Data))
	q.Head.Ready.Set(known.Not())
	m.If(q.Head.Fire(), func() {
		known.SetK(1)
		hdl.Set(held, q.Head.Data)
	})
	head := hdl.MuxOf(known, held, q.Head.Data)
	here := known.Or(q.Head.Valid).And(head.Here)

	// Who sends asks for a granule while none of this one is on its way.
	more := asked.LtK(granulesRead)
	between := asked.Eq(got)
	offers := m.Reg("granule_offered", 1, 0) // one of this turn's has not been taken
	mine := hdl.AndAll(here, more, hdl.OrAll(b.extra.Wants.Not(), between.Not(), offers))
	offers.Set(mine.And(q.Read.Ready.Not()))
	extra := m.Reg("extra_asked", 1, 0)
	other := hdl.AndAll(b.extra.Wants, between, extra.Not(), mine.Not())
	at := hdl.Select(asked, hdl.K(3, 0), hdl.K(3, 1), sge.AddK(format.ControlGranules))
	turn := b.turn.Data
	q.Read.Valid.Set(mine.Or(other))
	hdl.Set(q.Read.Data, link.GranuleRequest{
		QP: hdl.Mux(other, turn.QP, qp), Slot: hdl.Mux(other, turn.Head.Slot, head.Slot), Granule: hdl.Mux(other, b.extra.Granule, at),
	})
	q.Granule.Ready.SetK(1)
	comes := q.Granule.Valid
	b.extra.Comes.Set(comes.And(extra))
	m.If(b.extra.Comes, func() { extra.SetK(0) })
	m.If(other.And(q.Read.Ready), func() { extra.SetK(1) })

	var w words
	last := hdl.AndAll(comes, extra.Not(), got.Is(granulesRead-1))
	for i := range granulesRead {
		reg := m.RegN("granule_"+string(rune('0'+i)), 8*format.GranuleBytes)
		m.If(hdl.AndAll(comes, extra.Not(), got.Is(uint64(i))), func() { reg.Set(q.Granule.Data.Data) })
		w.granule[i] = reg
	}
	w.granule[granulesRead-1] = hdl.Mux(last, q.Granule.Data.Data, w.granule[granulesRead-1])
	m.If(mine.And(q.Read.Ready), func() { asked.Set(asked.AddK(1)) })
	m.If(comes.And(extra.Not()), func() { got.Set(got.AddK(1)) })
	m.If(begins, func() {
		known.SetK(0)
		asked.SetK(0)
		got.SetK(0)
	})
	w.head = head
	w.done = known.Or(q.Head.Valid).And(hdl.OrAll(head.Here.Not(), last, got.Is(granulesRead)))
	return w
}
