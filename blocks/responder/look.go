package responder

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// granulesRead is how many granules of a receive WQE every turn reads that needs
// one: its control part, and an SGE.
const granulesRead = 2

// request is what is kept of a packet while its turn is looked up.
type request struct {
	Kind       hdl.Bits `w:"3"`
	Expected   hdl.Bits `w:"1"` // of that kind
	QP         hdl.Bits
	Op         decoded
	Queued     hdl.Bits              `w:"1"` // it has to do with a receive WQE, whatever message is in progress
	SE         hdl.Bits              `w:"1"`
	AckReq     hdl.Bits              `w:"1"`
	PadCnt     hdl.Bits              `w:"2"`
	PSN        hdl.Bits              `w:"24"`
	Due        hdl.Bits              `w:"24"` // the PSN that was expected
	SendNAK    hdl.Bits              `w:"1"`
	RETH       format.RETH[hdl.Bits] // the first words behind the BTH, whatever they are
	Behind     hdl.Bits              `w:"32"` // what stands behind a RETH: an immediate; of a response its AETH
	Compare    hdl.Bits              `w:"64"` // of an AtomicETH
	PayloadLen hdl.Bits              `w:"13"`
	Context    context
	Response   response
}

func (p Params) request() request {
	return request{QP: hdl.W(p.Sizes.QPBits), Context: p.context()}
}

// look looks up what a turn needs: the message in progress, and of those that have
// to do with a receive WQE the head of the queue and its granules. It begins
// the next turn in the cycle in which it hands one on.
func (b *block) look() {
	m, io := b.m, b.io
	match := io.Request.Data
	offered := hdl.NewWire(m, "offered", hdl.StreamOf(b.p.turn()))
	b.turn = link.Stage(m, b.p.Sizes, "u_turn", offered)
	now := hdl.NewReg(m, "asking", b.p.request())

	begins, flushes := b.begin(offered.Fire())
	next := match.Packet
	kind := hdl.Mux(flushes, hdl.K(3, turnFlush), next.Kind)
	qp := hdl.Mux(flushes, b.flush.qp, next.QP)
	nextOp := b.decode(next.Opcode)
	queued := kind.Is(link.PSNExpected).And(nextOp.Kind.Is(kindSend).Or(nextOp.Imm)).Or(flushes)
	m.If(offered.Fire(), func() { b.looking.SetK(0) })
	m.If(begins, func() {
		b.looking.SetK(1)
		hdl.Set(now, request{
			Kind: kind, Expected: kind.Is(link.PSNExpected), QP: qp, Op: nextOp, Queued: queued, SE: next.SE, AckReq: next.AckReq, PadCnt: next.PadCnt, PSN: next.PSN,
			Due: next.Expected, SendNAK: next.SendNAK, RETH: hdl.Unpack(format.RETH[hdl.Bits]{}, hdl.Cat(next.Ext[:4]...)), Behind: next.Ext[4],
			Compare: hdl.Cat(next.Ext[5:]...), PayloadLen: next.PayloadLen,
			Context:  hdl.MuxOf(flushes, b.flush.context, contextOf(next.Context, requesters(next.Kind))),
			Response: response{Match: match.Match, Fault: match.Fault, Skip: match.Skip, More: match.More.And(kind.Is(link.PSNResponse))},
		})
	})
	most := m.RegN("most", 8)
	m.If(begins, func() { most.Set(b.served.At(qp)) })
	m.Unused(unusedOf(next.Context)...)
	m.Unused(next.Context.Exists, next.Context.State, next.Undefined)

	// The message is in the memory's register while the turn is looked up.
	stateful := kind.Is(link.PSNExpected).Or(flushes)
	was := hdl.Unpack(message{}, b.messages.Read("message", qp, begins.And(stateful)))
	expected, flush := now.Expected, now.Kind.Is(turnFlush)
	op := now.Op
	b.operands = b.keepOperands(begins, hdl.AndAll(expected, b.isAtomic(op)), now)
	open := was.Kind.Is(kindSend)
	needs := now.Queued.Or(expected.And(open))
	first := op.Start.Or(open.Not())
	w := b.words(question{
		begins: begins, wants: b.looking.And(needs), qp: now.QP, wait: flush.Not(), sge: hdl.Mux(first, was.SGE.K(0), was.SGE),
	})

	reth := now.RETH
	behindRETH := op.Kind.Is(kindWrite).And(op.Start)
	starts := message{
		Kind: hdl.K(2, kindNone), Done: hdl.K(32, 0), Left: hdl.Mux(b.isAtomic(op), hdl.K(32, atomicBytes), reth.DMALen),
		VA: reth.VA, Key: reth.RKey, SGE: hdl.K(3, 0), At: hdl.K(32, 0), Accepted: was.Accepted,
	}
	local := now.Kind.Is(link.PSNResponse) // its RETH says where in local memory the data goes
	aeth := hdl.Unpack(format.AETH[hdl.Bits]{}, now.Behind)
	word := hdl.Pack(reth).Slice(127, 96)
	offered.Valid.Set(b.looking.And(needs.Not().Or(w.done)))
	hdl.Set(offered.Data, turn{
		Kind: now.Kind, QP: now.QP, Op: op, SE: now.SE, AckReq: now.AckReq, PadCnt: now.PadCnt,
		PSN: now.PSN, Expected: now.Due, SendNAK: now.SendNAK,
		Imm:        hdl.Mux(op.Inv, word, hdl.SwapBytes(hdl.Mux(behindRETH, now.Behind, word))),
		PayloadLen: now.PayloadLen, Context: now.Context, Most: most, Was: was.Kind, Message: hdl.MuxOf(op.Start.Or(local), starts, was),
		Response: now.Response, Syndrome: aeth.Syndrome,
		Head: w.head, Control: hdl.UnpackLow(format.RecvControl[hdl.Bits]{}, w.granule[0]), SGE: hdl.UnpackLow(format.SGE[hdl.Bits]{}, w.granule[1]),
	})
}

// atomicBytes is what an atomic works on.
const atomicBytes = 8

// requesters returns one bit: a packet of this kind is for the requester's half.
func requesters(kind hdl.Bits) hdl.Bits { return kind.Is(link.PSNResponse).Or(kind.Is(link.PSNDead)) }

// keepOperands keeps the operands of a request that is an atomic, while it is decided on. It is here in the cycle behind begins.
func (b *block) keepOperands(begins, atomic hdl.Bits, r request) hdl.Stream[link.Operands] {
	if !b.p.Sizes.Has(link.Atomics) {
		b.m.Unused(r.Compare)
		none := hdl.NewWire(b.m, "no_operands", hdl.StreamOf(link.Operands{}))
		link.Silence(b.m, none)
		return none
	}
	h := hdl.Unpack(format.AtomicETH[hdl.Bits]{}, hdl.Cat(hdl.Pack(r.RETH), r.Behind, r.Compare))
	b.m.Unused(h.VA, h.RKey)
	began := b.m.Reg("began", 1, 0)
	began.Set(begins)
	en := began.And(atomic)
	in := hdl.NewWire(b.m, "atomic_begins", hdl.StreamOf(link.Operands{}))
	in.Valid.Set(en)
	hdl.Set(in.Data, link.Operands{Swap: h.SwapAdd, Compare: h.Compare})
	b.m.Unused(in.Ready)
	b.m.Assert("operands_have_room", en.Not().Or(in.Ready))
	return stream.FIFO(b.m, "u_operands", in, b.p.inside())
}

// begin says when a turn begins, and that it is a flush. A flush has the pipeline
// for itself; one WQE and one request take turns.
func (b *block) begin(hands hdl.Bits) (begins, flushes hdl.Bits) {
	m, in, f := b.m, b.io.Request, &b.flush
	flushing := f.st.Is(flInside)
	fence := in.Valid.And(in.Data.Packet.Kind.Is(link.PSNFence))
	f.fence.Set(fence)
	served := m.Reg("flush_served", 1, 0) // a flush was the last one
	gives := hdl.AndAll(served, in.Valid, fence.Not())
	flushNext := f.st.Is(flWant).And(gives.Not())
	control := b.io.Control.Valid
	flushes = hdl.AndAll(flushNext, b.quiet, control.Not())
	f.begins.Set(flushes)

	free := b.looking.Not().Or(hands)
	blocked := hdl.OrAll(control, flushNext, flushing, fence.And(f.rests().Not()))
	in.Ready.Set(free.And(blocked.Not()))
	m.If(flushes, func() { served.SetK(1) })
	m.If(in.Fire(), func() { served.SetK(0) })
	return in.Fire().Or(flushes), flushes
}

// question is what of the receive queue a turn wants to know.
type question struct {
	begins hdl.Bits // the turn begins; from the next cycle on the rest is good
	wants  hdl.Bits // it needs the WQE at the head
	wait   hdl.Bits // also if it is on its way
	qp     hdl.Bits
	sge    hdl.Bits // the SGE that it needs
}

// words is what is read of the receive queue for a turn.
type words struct {
	head    link.Head
	granule [granulesRead]hdl.Bits
	done    hdl.Bits // all is there; it stays so until the next turn begins
}

// words reads the head of the queue, and of a WQE that is here two granules.
func (b *block) words(x question) words {
	m, q := b.m, b.io.Queue
	asks, known := m.Reg("head_asked", 1, 0), m.Reg("head_known", 1, 0)
	held := hdl.NewReg(m, "head", hdl.Proto(q.Head.Data))
	q.Request.Valid.Set(x.wants.And(asks.Not()))
	hdl.Set(q.Request.Data, link.HeadRequest{QP: x.qp, Wait: x.wait})
	m.If(q.Request.Fire(), func() { asks.SetK(1) })
	q.Head.Ready.Set(known.Not())
	m.If(q.Head.Fire(), func() {
		known.SetK(1)
		hdl.Set(held, q.Head.Data)
	})
	head := hdl.MuxOf(known, held, q.Head.Data)
	here := known.Or(q.Head.Valid).And(head.Here)

	asked, got := m.Reg("granules_asked", 2, 0), m.Reg("granules_got", 2, 0)
	mine := b.granules(x, head, here, asked, asked.Eq(got))
	comes := mine.comes
	w := words{head: head}
	for i := range granulesRead {
		reg := m.RegN("granule_"+string(rune('0'+i)), 8*format.GranuleBytes)
		m.If(comes.And(got.Is(uint64(i))), func() { reg.Set(q.Granule.Data.Data) })
		w.granule[i] = reg
	}
	last := comes.And(got.Is(granulesRead - 1))
	w.granule[granulesRead-1] = hdl.Mux(last, q.Granule.Data.Data, w.granule[granulesRead-1])
	m.If(mine.asks, func() { asked.Set(asked.AddK(1)) })
	m.If(comes, func() { got.Set(got.AddK(1)) })
	m.If(x.begins, func() {
		asks.SetK(0)
		known.SetK(0)
		asked.SetK(0)
		got.SetK(0)
	})
	w.done = known.Or(q.Head.Valid).And(hdl.OrAll(head.Here.Not(), last, got.Is(granulesRead)))
	return w
}

// reading says what of the granules is the looked-up turn's.
type reading struct {
	asks  hdl.Bits // one is asked for
	comes hdl.Bits // one comes
}

// granules shares the port for granules: who works on a turn asks for an SGE
// while none of the turn that is looked up is on its way.
func (b *block) granules(x question, head link.Head, here, asked, between hdl.Bits) reading {
	m, q := b.m, b.io.Queue
	offers := m.Reg("granule_offered", 1, 0) // one of the looked-up turn's has not been taken
	mine := hdl.AndAll(here, asked.LtK(granulesRead), hdl.OrAll(b.extra.Wants.Not(), between.Not(), offers))
	offers.Set(mine.And(q.Read.Ready.Not()))
	out := m.Reg("extra_asked", 1, 0)
	other := hdl.AndAll(b.extra.Wants, between, out.Not(), mine.Not())
	sge := hdl.Mux(other, b.extra.SGE, x.sge).AddK(1)
	t := b.turn.Data
	q.Read.Valid.Set(mine.Or(other))
	hdl.Set(q.Read.Data, link.GranuleRequest{
		QP: hdl.Mux(other, t.QP, x.qp), Slot: hdl.Mux(other, t.Head.Slot, head.Slot),
		Granule: hdl.Mux(other.Or(asked.Any()), sge, sge.K(0)),
	})
	q.Granule.Ready.SetK(1)
	b.extra.Comes.Set(q.Granule.Valid.And(out))
	m.If(b.extra.Comes, func() { out.SetK(0) })
	m.If(other.And(q.Read.Ready), func() { out.SetK(1) })
	return reading{asks: mine.And(q.Read.Ready), comes: q.Granule.Valid.And(out.Not())}
}
