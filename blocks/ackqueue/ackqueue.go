package ackqueue

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
		return fmt.Errorf("ackqueue: 2^%d queue pairs: not 2^1 to 2^16", p.Sizes.QPBits)
	}
	return nil
}

// IO is the ports of the block.
type IO struct {
	Placed     hdl.Stream[link.Placed]     `hdl:"in"`
	Completion hdl.Stream[link.Completion] `hdl:"out"`
	Ack        hdl.Stream[link.Ack]        `hdl:"out"`
	Fault      hdl.Stream[link.QPFault]    `hdl:"out"`
	Control    hdl.Stream[link.QPControl]  `hdl:"in"`
	Fence      hdl.Stream[link.Fence]      `hdl:"out"`
	Peek       link.Peek                   `hdl:"in"` // the MSN
}

// Def is the block. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	s := p.Sizes
	return hdl.Def[IO]{
		Name: fmt.Sprintf("ackqueue_qp%d_cq%d", s.QPBits, s.CQBits),
		Doc:  "Makes requests visible when their payload is in memory: messages counted, answers owed, completions.",
		IO: IO{
			Placed: hdl.StreamOf(s.Placed()), Completion: hdl.StreamOf(s.Completion()), Ack: hdl.StreamOf(s.Ack()),
			Fault: hdl.StreamOf(s.QPFault()), Control: hdl.StreamOf(s.QPControl()), Fence: hdl.StreamOf(link.Fence{}), Peek: s.Peek(24),
		},
		Body: func(m *hdl.Module, io *IO) {
			if err := p.Validate(); err != nil {
				m.Reject("%v", err)
			}
			b := newBlock(m, p, io)
			b.take()
			b.effect()
			b.answer()
			b.properties()
		},
	}
}

// state is what is kept of a queue pair.
type state struct {
	MSN    hdl.Bits `w:"24"`
	Failed hdl.Bits `w:"1"`
	Ended  hdl.Bits `w:"1"`  // with Failed: a WQE has completed with the failure,
	Index  hdl.Bits `w:"16"` // this one
}

// answer is what is owed to the peer of a queue pair.
type answer struct {
	Syndrome hdl.Bits `w:"8"`
	PSN      hdl.Bits `w:"24"`
	MSN      hdl.Bits `w:"24"`
}

// block is the module while it is built.
type block struct {
	m  *hdl.Module
	p  Params
	io *IO

	states  *hdl.Memory
	answers *hdl.Memory
	owing   *scheduler.IO // queue pairs that owe an answer

	busy hdl.Bits // a request is being committed,
	now  link.Placed
	was  state // with the state before it
	owes pending

	newest answer // that it owes, while it wakes owing
}

// pending is what of a request's effects has not been taken: one bit each.
type pending struct{ completion, answer, fault hdl.Bits }

func newBlock(m *hdl.Module, p Params, io *IO) *block {
	qps := 1 << p.Sizes.QPBits
	return &block{
		m: m, p: p, io: io,
		states:  m.LUTRAM("states", qps, hdl.WidthOf(state{})),
		answers: m.LUTRAM("answers", qps, hdl.WidthOf(answer{})),
		owing:   hdl.Instance(m, "u_owing", scheduler.Def(scheduler.Params{Sizes: p.Sizes, Wakes: 1})),
		busy:    m.Reg("busy", 1, 0),
		now:     hdl.NewReg(m, "now", p.Sizes.Placed()),
		was:     hdl.NewReg(m, "was", state{}),
		owes:    pending{completion: m.Reg("owes_completion", 1, 0), answer: m.Reg("owes_answer", 1, 0), fault: m.Reg("owes_fault", 1, 0)},
	}
}

// take takes a request and decides what its effects are.
func (b *block) take() {
	m, io, in := b.m, b.io, b.io.Placed
	c := in.Data.Commit
	isFence := c.Kind
	free := b.busy.Not()
	io.Fence.Valid.Set(hdl.AndAll(in.Valid, free, isFence))
	io.Fence.Data.Token.Set(c.PSN.Bit(0))
	in.Ready.Set(free.And(isFence.Not().Or(io.Fence.Ready)))

	was := hdl.Unpack(state{}, b.states.At(c.QP))
	bad := in.Data.BusErr.And(was.Failed.Not())
	fatal := hdl.AndAll(was.Failed.Not(), bad.Or(c.Fatal))
	again := hdl.AndAll(was.Failed, was.Ended, c.Completion.WQEIndex.Eq(was.Index))
	m.If(in.Fire().And(isFence.Not()), func() {
		b.busy.SetK(1)
		hdl.Set(b.now, link.Placed{Commit: c, BusErr: bad})
		hdl.Set(b.was, was)
		b.owes.completion.Set(hdl.Mux(bad, c.Complete.Or(c.Open), c.Complete.And(again.Not())))
		b.owes.answer.Set(was.Failed.Not().And(bad.Or(c.Reply.Any())))
		b.owes.fault.Set(fatal)
	})
}

// effect lets the effects out, and ends when all have been taken.
func (b *block) effect() {
	m, io, c, bad := b.m, b.io, b.now.Commit, b.now.BusErr
	held := c.Complete.Or(c.Open)

	done := c.Completion
	code := func(s format.Status) hdl.Bits { return hdl.K(8, uint64(s)) }
	done.Status = hdl.Mux(bad, code(format.StatusLocProt), hdl.Mux(b.was.Failed, code(format.StatusFlush), c.Completion.Status))
	done.Vendor = hdl.Mux(bad, hdl.K(link.FaultBits, uint64(format.VendorBusWrite)), c.Completion.Vendor)
	done.Solicited = c.Completion.Solicited.Or(done.Status.Any())
	event := hdl.Mux(bad, hdl.K(8, uint64(format.EventQPFatal)), c.Event)
	fault := link.QPFault{QP: c.QP, HasEvent: hdl.Mux(bad, held.Not(), c.HasEvent), Event: event, Vendor: done.Vendor}
	wake := b.owing.Wakes[0]
	waits := hdl.OrAll(
		stream.Offer(m, io.Completion, b.owes.completion, done),
		stream.Offer(m, io.Fault, b.owes.fault, fault),
		stream.Offer(m, wake, b.owes.answer, link.QPRef{QP: c.QP}))
	ends := b.busy.And(waits.Not())
	m.If(ends, func() { b.busy.SetK(0) })

	counts := hdl.AndAll(c.Message, bad.Not(), b.was.Failed.Not())
	msn := b.was.MSN.Add(counts.ZExt(24))
	nak := hdl.Mux(bad, hdl.K(8, format.SyndromeNAKOp), c.Syndrome)
	isNAK := bad.Or(c.Reply.Is(link.ReplyNAK))
	b.newest = answer{
		Syndrome: hdl.Mux(isNAK, nak, hdl.K(8, format.SyndromeNoCredits)),
		PSN:      hdl.Mux(bad, c.RequestPSN, c.PSN), MSN: msn,
	}
	owed := b.newest
	b.answers.Write(c.QP, wake.Fire(), hdl.Pack(owed))
	m.Event("ack_owed", wake.Fire(),
		hdl.Field("qp", c.QP), hdl.Field("syndrome", owed.Syndrome), hdl.Field("psn", owed.PSN), hdl.Field("msn", owed.MSN))
	m.Event("recv_completes", io.Completion.Fire(), hdl.Field("qp", c.QP), hdl.Field("wqe", done.WQEIndex), hdl.Field("status", done.Status))

	control := io.Control
	control.Ready.Set(b.busy.Not())
	clears := control.Fire().And(control.Data.Kind.Is(link.ControlClear))
	m.Unused(control.Data.PSN, c.Payload, c.Placed, c.Kind)
	next := state{
		MSN: msn, Failed: hdl.OrAll(b.was.Failed, bad, c.Fatal),
		Ended: hdl.Mux(b.was.Failed, b.was.Ended, bad.And(held).Or(c.Fatal.And(c.Complete))),
		Index: hdl.Mux(b.was.Failed, b.was.Index, c.Completion.WQEIndex),
	}
	msnNow := hdl.Unpack(state{}, b.states.At(io.Peek.QP)).MSN
	peeked := m.RegN("peeked", 24)
	peeked.Set(msnNow)
	io.Peek.Value.Set(peeked)
	zero := hdl.K(hdl.WidthOf(state{}), 0)
	b.states.Write(hdl.Mux(b.busy, c.QP, control.Data.QP), ends.Or(clears), hdl.Mux(b.busy, hdl.Pack(next), zero))
}

// answer gives the answers away, each as it is when its turn comes. One that comes in
// that cycle goes in place of the one that is kept: its wake adds nothing.
func (b *block) answer() {
	grant, wake := b.owing.Grant, b.owing.Wakes[0]
	comes := wake.Fire().And(wake.Data.QP.Eq(grant.Data.QP))
	owed := hdl.MuxOf(comes, b.newest, hdl.Unpack(answer{}, b.answers.At(grant.Data.QP)))
	valid := b.m.Reg("leaves", 1, 0)
	out := hdl.NewReg(b.m, "leaving", b.p.Sizes.Ack())
	moves := valid.Not().Or(b.io.Ack.Ready)
	grant.Ready.Set(moves)
	b.m.If(moves, func() { valid.Set(grant.Valid) })
	b.m.If(grant.Fire(), func() {
		hdl.Set(out, link.Ack{QP: grant.Data.QP, Syndrome: owed.Syndrome, PSN: owed.PSN, MSN: owed.MSN})
	})
	b.io.Ack.Valid.Set(valid)
	hdl.Set(b.io.Ack.Data, out)
	b.m.Event("ack_leaves", b.io.Ack.Fire(),
		hdl.Field("qp", out.QP), hdl.Field("syndrome", out.Syndrome), hdl.Field("psn", out.PSN), hdl.Field("msn", out.MSN))
}
