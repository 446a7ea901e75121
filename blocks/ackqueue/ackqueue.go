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
type Params struct {
	Sizes   link.Sizes
	Credits bool // ACKs carry credits
}

// Validate returns an error for parameters that the block cannot have.
func (p Params) Validate() error {
	if p.Sizes.QPBits < 1 || p.Sizes.QPBits > 16 {
		return fmt.Errorf("ackqueue: 2^%d queue pairs: not 2^1 to 2^16", p.Sizes.QPBits)
	}
	if p.Sizes.ReadBits > readBitsMax {
		return fmt.Errorf("ackqueue: 2^%d READs and atomics of a queue pair: more than 2^%d", p.Sizes.ReadBits, readBitsMax)
	}
	return nil
}

// readBitsMax is what counts of eight bits, compared by their distance, allow.
const readBitsMax = 6

// IO is the ports of the block.
type IO struct {
	Placed     hdl.Stream[link.Placed]          `hdl:"in"`
	Completion hdl.Stream[link.Completion]      `hdl:"out"`
	Resource   hdl.Stream[link.ResourceRequest] `hdl:"out"`
	Served     hdl.Stream[link.Served]          `hdl:"in"`
	Ack        hdl.Stream[link.Ack]             `hdl:"out"`
	Fault      hdl.Stream[link.QPFault]         `hdl:"out"`
	Control    hdl.Stream[link.QPControl]       `hdl:"in"`
	Fence      hdl.Stream[link.Fence]           `hdl:"out"`
	Peek       link.Peek                        `hdl:"in"` // the MSN
	Counts     Counts                           `hdl:"out"`
	Credits    []link.CreditPort                `hdl:"out"` // one, with Params.Credits
}

// Counts are pulses, for counters.
type Counts struct {
	OutOfBuffer hdl.Bits `w:"1"` // a request is answered with an RNR NAK,
	Invalid     hdl.Bits `w:"1"` // refused with NAK 0x61,
	Access      hdl.Bits `w:"1"` // 0x62
	Operation   hdl.Bits `w:"1"` // or 0x63
	Length      hdl.Bits `w:"1"` // a WQE completes as shorter than its message,
	CQEError    hdl.Bits `w:"1"` // with any error,
	CQEFlush    hdl.Bits `w:"1"` // or as flushed
}

// Def is the block. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	s := p.Sizes
	name := fmt.Sprintf("ackqueue_qp%d_cq%d", s.QPBits, s.CQBits)
	var credits []link.CreditPort
	if p.Credits {
		name, credits = name+"_credits", []link.CreditPort{s.CreditPort()}
	}
	return hdl.Def[IO]{
		Name: name,
		Doc:  "Makes requests visible when their payload is in memory: messages counted, answers owed, completions.",
		IO: IO{
			Placed: hdl.StreamOf(s.Placed()), Completion: hdl.StreamOf(s.Completion()),
			Resource: hdl.StreamOf(s.ResourceRequest()), Served: hdl.StreamOf(s.Served()), Ack: hdl.StreamOf(s.Ack()),
			Fault: hdl.StreamOf(s.QPFault()), Control: hdl.StreamOf(s.QPControl()), Fence: hdl.StreamOf(link.Fence{}), Peek: s.Peek(24),
			Credits: credits,
		},
		Body: func(m *hdl.Module, io *IO) {
			if err := p.Validate(); err != nil {
				m.Reject("%v", err)
			}
			b := newBlock(m, p, io)
			b.clears = io.Control.Fire().And(io.Control.Data.Kind.Is(link.ControlClear))
			hdl.Connect(b.owing.Wakes[0], stream.Slice(m, "u_wake", b.wake))
			b.take()
			b.effect()
			b.serve()
			b.answer()
			b.keep()
			b.count()
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

	Accepted   hdl.Bits `w:"8"` // READs and atomics passed on, free-running,
	Duplicates hdl.Bits `w:"8"` // and those among the duplicates
}

// answer is what is owed to the peer of a queue pair.
type answer struct {
	Syndrome hdl.Bits `w:"8"`
	PSN      hdl.Bits `w:"24"`
	MSN      hdl.Bits `w:"24"`
	Behind   hdl.Bits `w:"8"` // so many READs and atomics are answered before it: state.Accepted when it came to be owed
}

// debt says whether a queue pair owes its answer.
type debt struct {
	Owed hdl.Bits `w:"1"`
	NAK  hdl.Bits `w:"1"` // of any kind
}

// served is how far READs and atomics of a queue pair have been answered.
type served struct {
	Next       hdl.Bits `w:"8"`
	Duplicates hdl.Bits `w:"8"`
}

// block is the module while it is built.
type block struct {
	m  *hdl.Module
	p  Params
	io *IO

	states  *hdl.Memory
	answers *hdl.Memory
	debts   *hdl.Memory
	served  *hdl.Memory
	owing   *scheduler.IO // queue pairs that may have an answer to give

	wake hdl.Stream[link.QPRef] // those that owe one from now on

	busy hdl.Bits // a request is being committed,
	now  link.Placed
	was  state // with the state before it
	owes pending

	ends hdl.Bits // all has been taken,
	next state    // and this is the state behind it

	changes hdl.Bits // its debt changes,
	debt    debt     // to this
	gives   hdl.Bits // an answer leaves, and is not owed any more,
	given   hdl.Bits // by this queue pair
	clears  hdl.Bits // a queue pair, that of Control, begins anew
}

// pending is what of a request's effects has not been taken: one bit each.
type pending struct{ completion, answer, resource, fault hdl.Bits }

func newBlock(m *hdl.Module, p Params, io *IO) *block {
	qps := 1 << p.Sizes.QPBits
	return &block{
		m: m, p: p, io: io,
		states:  m.LUTRAM("states", qps, hdl.WidthOf(state{})),
		answers: m.LUTRAM("answers", qps, hdl.WidthOf(answer{})),
		debts:   m.LUTRAM("debts", qps, hdl.WidthOf(debt{})),
		served:  m.LUTRAM("served", qps, hdl.WidthOf(served{})),
		owing:   hdl.Instance(m, "u_owing", scheduler.Def(scheduler.Params{Sizes: p.Sizes, Wakes: 2})),
		wake:    hdl.NewWire(m, "wake", hdl.StreamOf(p.Sizes.QPRef())),
		busy:    m.Reg("busy", 1, 0),
		now:     hdl.NewReg(m, "now", p.Sizes.Placed()),
		was:     hdl.NewReg(m, "was", state{}),
		owes:    pending{completion: m.Reg("owes_completion", 1, 0), answer: m.Reg("owes_answer", 1, 0), resource: m.Reg("owes_resource", 1, 0), fault: m.Reg("owes_fault", 1, 0)},
	}
}

// take takes a request and decides what its effects are.
func (b *block) take() {
	m, io, in := b.m, b.io, b.io.Placed
	c := in.Data.Commit
	isFence := c.Kind.Is(link.CommitFence)
	free := b.busy.Not()
	io.Fence.Valid.Set(hdl.AndAll(in.Valid, free, isFence))
	io.Fence.Data.Token.Set(c.PSN.Trunc(2))
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
		// Of those that come behind a failure only what an atomic holds has to be given back.
		b.owes.resource.Set(c.Resource.Kind.Any().And(hdl.AndAll(was.Failed, c.Resource.Duplicate).Not()))
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
	counts := hdl.AndAll(c.Message, bad.Not(), b.was.Failed.Not())
	msn := b.was.MSN.Add(counts.ZExt(24))
	resource := link.ResourceRequest{QP: c.QP, Cancel: b.was.Failed, PSN: c.RequestPSN, MSN: msn, Resource: c.Resource}
	wake := b.wake
	waits := hdl.OrAll(
		stream.Offer(m, io.Completion, b.owes.completion, done),
		stream.Offer(m, io.Resource, b.owes.resource, resource),
		stream.Offer(m, io.Fault, b.owes.fault, fault),
		stream.Offer(m, wake, b.owes.answer, link.QPRef{QP: c.QP}))
	b.ends = b.busy.And(waits.Not())
	m.If(b.ends, func() { b.busy.SetK(0) })
	b.owe(msn)

	passed := c.Resource.Kind.Any().And(b.was.Failed.Not())
	b.next = state{
		MSN: msn, Failed: hdl.OrAll(b.was.Failed, bad, c.Fatal),
		Ended:      hdl.Mux(b.was.Failed, b.was.Ended, bad.And(held).Or(c.Fatal.And(c.Complete))),
		Index:      hdl.Mux(b.was.Failed, b.was.Index, c.Completion.WQEIndex),
		Accepted:   b.was.Accepted.Add(passed.And(c.Resource.Duplicate.Not()).ZExt(8)),
		Duplicates: b.was.Duplicates.Add(passed.And(c.Resource.Duplicate).ZExt(8)),
	}
	m.Unused(c.Payload, c.Placed, c.Kind, c.Match, c.Fault)
	m.Event("recv_completes", io.Completion.Fire(), hdl.Field("qp", c.QP), hdl.Field("wqe", done.WQEIndex), hdl.Field("status", done.Status))
}

// owe notes the answer that is owed. The response to a READ or atomic acknowledges what is
// before it: an answer that has not left need not, and what a NAK asked for has come. A NAK
// acknowledges duplicates before it, and stays: psncheck lets no other one follow.
func (b *block) owe(msn hdl.Bits) {
	m, io, c, bad := b.m, b.io, b.now.Commit, b.now.BusErr
	nak := hdl.Mux(bad, hdl.K(8, format.SyndromeNAKOp), c.Syndrome)
	isNAK := bad.Or(c.Reply.Is(link.ReplyNAK))
	owed := answer{
		Syndrome: hdl.Mux(isNAK, nak, hdl.K(8, format.SyndromeNoCredits)),
		PSN:      hdl.Mux(bad, c.RequestPSN, c.PSN), MSN: msn, Behind: b.was.Accepted,
	}
	was, had := hdl.Unpack(debt{}, b.debts.At(c.QP)), hdl.Unpack(answer{}, b.answers.At(c.QP))
	m.Unused(had.Syndrome, had.MSN, had.Behind)
	covered := hdl.AndAll(was.Owed, was.NAK, isNAK.Not(), c.PSN.Sub(had.PSN).MSB()) // protocol section 3.2
	comes := b.wake.Fire().And(covered.Not())
	b.answers.Write(c.QP, comes, hdl.Pack(owed))
	accepts := hdl.AndAll(io.Resource.Fire(), b.was.Failed.Not(), c.Resource.Duplicate.Not())
	b.changes, b.debt = comes.Or(accepts), debt{Owed: comes, NAK: isNAK}
	m.Event("ack_owed", comes,
		hdl.Field("qp", c.QP), hdl.Field("syndrome", owed.Syndrome), hdl.Field("psn", owed.PSN), hdl.Field("msn", owed.MSN))
}

// serve hears how far READs and atomics have been answered: what waits for them may
// leave.
func (b *block) serve() {
	in, wake := b.io.Served, b.owing.Wakes[1]
	wake.Valid.Set(in.Valid)
	wake.Data.QP.Set(in.Data.QP)
	in.Ready.Set(wake.Ready)
	b.m.Unused(in.Data.Most)
}

// answer gives the answers away, each as it is when its turn comes. One that stands behind
// READs and atomics that have not been answered stays owed: Served gives it another
// turn. A wake that comes in the cycle of a grant, and adds nothing, has written what it
// is about before this looks; one that comes later gives it another turn.
func (b *block) answer() {
	m, grant, io := b.m, b.owing.Grant, b.io
	looks, qp := m.Reg("looks", 1, 0), m.RegN("looked_at", b.p.Sizes.QPBits)
	may, mayQP, found := m.Reg("may_leave", 1, 0), m.RegN("may_leave_qp", b.p.Sizes.QPBits), hdl.NewReg(m, "may_leave_answer", answer{})
	valid, out := m.Reg("leaves", 1, 0), hdl.NewReg(m, "leaving", b.p.Sizes.Ack())

	a, d := hdl.Unpack(answer{}, b.answers.At(qp)), hdl.Unpack(debt{}, b.debts.At(qp))
	s, now := hdl.Unpack(served{}, b.served.At(qp)), hdl.Unpack(state{}, b.states.At(qp))
	early := s.Next.Sub(a.Behind).MSB().Or(s.Duplicates.Ne(now.Duplicates))
	m.Unused(d.NAK, now.MSN, now.Failed, now.Ended, now.Index, now.Accepted)
	old := func(qp hdl.Bits) hdl.Bits { // what is read of a queue pair in this cycle is not true any more
		return b.changes.And(b.now.Commit.QP.Eq(qp)).Or(b.clears.And(io.Control.Data.QP.Eq(qp)))
	}

	moves := valid.Not().Or(io.Ack.Ready)
	others := hdl.OrAll(b.owes.answer, b.owes.resource.And(io.Resource.Ready), io.Control.Valid) // who may write debts
	b.gives, b.given = hdl.AndAll(may, moves, others.Not()), mayQP
	room := may.Not().Or(b.gives)
	twice := b.gives.And(mayQP.Eq(qp)) // it has had two turns
	grant.Ready.Set(room)
	m.If(b.gives.Or(old(mayQP)), func() { may.SetK(0) })
	m.If(room, func() {
		looks.Set(grant.Valid)
		qp.Set(grant.Data.QP)
		may.Set(hdl.AndAll(looks, d.Owed, early.Not(), old(qp).Not(), twice.Not()))
		mayQP.Set(qp)
		hdl.Set(found, a)
	})
	syndrome := found.Syndrome
	for _, c := range io.Credits { // of the queue pair that may leave in the next cycle
		c.QP.Set(hdl.Mux(room, qp, mayQP))
		ack := syndrome.Is(format.SyndromeNoCredits)
		syndrome = hdl.Mux(ack, c.Code.ZExt(8), syndrome) // SyndromeACK
	}
	m.If(moves, func() { valid.Set(b.gives) })
	m.If(b.gives, func() {
		hdl.Set(out, link.Ack{QP: mayQP, Syndrome: syndrome, PSN: found.PSN, MSN: found.MSN})
	})
	m.Unused(found.Behind)
	io.Ack.Valid.Set(valid)
	hdl.Set(io.Ack.Data, out)
	m.Cover("waits_for_response", hdl.AndAll(looks, d.Owed, early))
	m.Event("ack_leaves", io.Ack.Fire(),
		hdl.Field("qp", out.QP), hdl.Field("syndrome", out.Syndrome), hdl.Field("psn", out.PSN), hdl.Field("msn", out.MSN))
}

// keep writes the state, when a request ends, or a queue pair begins anew.
func (b *block) keep() {
	m, control, told := b.m, b.io.Control, b.io.Served
	control.Ready.Set(b.busy.Or(told.Valid).Not())
	qp := control.Data.QP
	m.Unused(control.Data.PSN)
	pick := func(now hdl.Bits, x hdl.Bits) hdl.Bits { return hdl.Mux(now, x, x.K(0)) }

	b.states.Write(hdl.Mux(b.busy, b.now.Commit.QP, qp), b.ends.Or(b.clears), pick(b.busy, hdl.Pack(b.next)))
	next := served{Next: told.Data.Next, Duplicates: told.Data.Duplicates}
	b.served.Write(hdl.Mux(told.Valid, told.Data.QP, qp), told.Fire().Or(b.clears), pick(told.Valid, hdl.Pack(next)))
	b.debts.Write(
		hdl.Mux(b.gives, b.given, hdl.Mux(b.busy, b.now.Commit.QP, qp)), hdl.OrAll(b.gives, b.changes, b.clears),
		pick(b.busy.And(b.gives.Not()), hdl.Pack(b.debt)))

	peeked := m.RegN("peeked", 24)
	peeked.Set(hdl.Unpack(state{}, b.states.At(b.io.Peek.QP)).MSN)
	b.io.Peek.Value.Set(peeked)
}
