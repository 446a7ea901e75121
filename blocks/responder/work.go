package responder

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
)

// working is the step of deciding on a turn.
type working int

const (
	stJudge  working = iota // a turn is looked at
	stSum                   // SGEs after the first are added up
	stWeigh                 // the room for a SEND is looked at
	stDecide                // what becomes of it
	stPlace                 // segments say where its payload goes
	stNext                  // the next SGE is read
	stProbe                 // a segment asks for a key without payload
	stPush                  // the record is made
)

func (w working) String() string {
	return [...]string{"judge", "sum", "weigh", "decide", "place", "next", "probe", "push"}[w]
}

// worker is the registers of who works on a turn.
type worker struct {
	*block
	st   *hdl.FSM[working]
	turn turn // valid while b.turn.Valid
	out  hdl.Stream[record]

	msg  message // as it goes on
	sge  format.SGE[hdl.Bits]
	need hdl.Bits // bytes of the packet's payload that have no place yet

	wrongLength hdl.Bits // the packet's length is not what its opcode wants
	unfit       hdl.Bits // nor what is left of a WRITE
	tooMany     hdl.Bits // the receive WQE has more SGEs than its slot
	noRoom      hdl.Bits // it has not enough room for the SEND
	facts       facts
	full        hdl.Bits // as many READs and atomics wait to be answered as may
	psns        hdl.Bits // of a READ, the responses that fill the MTU,
	part        hdl.Bits // and whether there is one that does not

	verdict    verdict
	dead       hdl.Bits
	skips      hdl.Bits // the payload is dropped
	keyed      hdl.Bits // a key is asked for
	probes     hdl.Bits // one without payload, or behind it
	holdsOnKey hdl.Bits
}

func newWorker(b *block) *worker {
	m := b.m
	return &worker{
		block: b, turn: b.turn.Data,
		st:  hdl.NewFSM(m, "working", stJudge, stSum, stWeigh, stDecide, stPlace, stNext, stProbe, stPush),
		out: hdl.NewWire(m, "decided", hdl.StreamOf(b.p.record())),
		msg: hdl.NewReg(m, "now", message{}), sge: hdl.NewReg(m, "sge", format.SGE[hdl.Bits]{}), need: m.RegN("need", link.LengthBits),
		wrongLength: m.RegN("wrong_length", 1), unfit: m.RegN("unfit", 1), tooMany: m.RegN("too_many", 1), noRoom: m.RegN("no_room", 1),
		facts: hdl.NewReg(m, "known", facts{}), full: m.RegN("full", 1), psns: m.RegN("psns", 24), part: m.RegN("part", 1), probes: m.RegN("probes", 1),
		verdict: hdl.NewReg(m, "verdict", verdict{}), dead: m.RegN("dead", 1), skips: m.RegN("skips", 1), keyed: m.RegN("keyed", 1),
		holdsOnKey: m.RegN("holds_on_key", 1),
	}
}

func (w *worker) run() {
	w.st.Switch(
		hdl.On(stJudge, w.judge),
		hdl.On(stSum, w.sum),
		hdl.On(stWeigh, w.weigh),
		hdl.On(stDecide, w.decide),
		hdl.On(stPlace, w.place),
		hdl.On(stNext, w.next),
		hdl.On(stProbe, func() { w.m.If(w.io.Segment.Ready, func() { w.st.Goto(stPush) }) }),
		hdl.On(stPush, func() { w.m.If(w.turn.Response.More.Or(w.out.Ready), func() { w.st.Goto(stJudge) }) }),
	)
	w.ports()
}

// judge compares lengths, and begins a SEND: the room in its WQE is the sum of
// its SGEs.
func (w *worker) judge() {
	m, t := w.m, w.turn
	m.If(w.block.turn.Valid, func() {
		hdl.Set(w.msg, t.Message)
		hdl.Set(w.sge, t.SGE)
		w.need.Set(t.PayloadLen)
		w.wrongLength.Set(w.lengthIsWrong())
		left, bytes := t.Message.Left, t.PayloadLen.ZExt(32)
		w.full.Set(t.Message.Accepted.Sub(t.Most).Ge(t.Context.MaxDestRD))
		w.countPSNs()
		w.know()
		w.unfit.Set(hdl.Mux(t.Op.End, bytes.Ne(left), bytes.Ge(left)))
		most := func(logStride int) hdl.Bits { return hdl.K(8, uint64(format.RecvSGEs(logStride))) }
		tooMany := t.Control.NumSGE.Gt(hdl.Mux(t.Context.RQStride, most(1), most(0)))
		w.tooMany.Set(tooMany)
		m.Unused(t.Control.Reserved)
		w.st.Goto(stDecide)

		sends := t.Kind.Is(link.PSNExpected).And(t.Op.Kind.Is(kindSend))
		m.If(sends, func() { w.st.Goto(stWeigh) })
		m.If(sends.And(t.Op.Start), func() {
			none := t.Control.NumSGE.None()
			w.msg.Left.Set(hdl.Mux(none, hdl.K(32, 0), capped(hdl.K(32, 0), t.SGE.Length)))
			several := hdl.AndAll(t.Head.Here, t.Head.Fault.Not(), tooMany.Not(), t.Control.NumSGE.GtK(1))
			m.If(several, func() { w.st.Goto(stSum) })
		})
	})
}

// lengthIsWrong is protocol section 3.4, step 5, and the pad of step 8.
func (w *worker) lengthIsWrong() hdl.Bits {
	t, n := w.turn, w.turn.PayloadLen
	mtu := w.byMTU(func(log int) hdl.Bits { return hdl.K(link.LengthBits, 1<<log) })
	pad := n.K(0).Sub(n).Trunc(2)
	tooLong := t.Message.Left.GtK(format.MessageMax) // of a message that has begun it cannot be
	return hdl.OrAll(
		t.PadCnt.Ne(pad),
		hdl.Mux(t.Op.Full, n.Ne(mtu), n.Gt(mtu)),
		t.Op.Some.And(n.None()),
		t.Op.Empty.And(n.Any()),
		t.Op.Kind.IsNot(kindSend).And(tooLong),
	)
}

// byMTU returns f of the log2 of the path MTU.
func (w *worker) byMTU(f func(log int) hdl.Bits) hdl.Bits {
	var values []hdl.Bits
	for code := range 8 {
		values = append(values, f(7+min(max(code, format.MTU256), format.MTU4096)))
	}
	return hdl.Select(w.turn.Context.PathMTU, values...)
}

// countPSNs counts the responses of a READ: protocol section 3.8.
func (w *worker) countPSNs() {
	bytes := w.turn.Message.Left
	w.psns.Set(w.byMTU(func(log int) hdl.Bits { return bytes.Slice(31, log).ZExt(24) }))
	w.part.Set(w.byMTU(func(log int) hdl.Bits { return bytes.Trunc(log).Any() }))
}

// capped returns a + b, at most the length of the longest message.
func capped(a, b hdl.Bits) hdl.Bits {
	sum := a.AddC(b)
	return hdl.Mux(sum.GtK(format.MessageMax), hdl.K(32, format.MessageMax), sum.Trunc(32))
}

// sum adds up the SGEs from the second on, as they come.
func (w *worker) sum() {
	m := w.m
	m.If(w.extra.Comes, func() {
		next := hdl.UnpackLow(format.SGE[hdl.Bits]{}, w.io.Queue.Granule.Data.Data)
		m.Unused(next.Addr, next.LKey)
		w.msg.Left.Set(capped(w.msg.Left, next.Length))
		w.msg.SGE.Set(w.msg.SGE.AddK(1))
		m.If(w.msg.SGE.AddK(2).ZExt(8).Eq(w.turn.Control.NumSGE), func() {
			w.msg.SGE.SetK(0)
			w.st.Goto(stWeigh)
		})
	})
}

// weigh looks whether the packet fits behind what has come of its message.
func (w *worker) weigh() {
	w.noRoom.Set(w.msg.Left.Lt(w.turn.PayloadLen.ZExt(32)))
	w.st.Goto(stDecide)
}

// place gives a segment away: all of the payload, or for a SEND what the present
// SGE takes of it.
func (w *worker) place() {
	m, piece := w.m, w.piece()
	m.If(piece.empty, w.pass).ElseIf(w.io.Segment.Ready, func() {
		w.msg.At.Set(w.msg.At.Add(piece.length.ZExt(32)))
		w.need.Set(w.need.Sub(piece.length))
		m.If(piece.last.Not(), w.pass).ElseIf(w.probes, func() { w.st.Goto(stProbe) }).Else(func() { w.st.Goto(stPush) })
	})
}

// pass passes on to the next SGE.
func (w *worker) pass() {
	w.msg.SGE.Set(w.msg.SGE.AddK(1))
	w.msg.At.SetK(0)
	w.st.Goto(stNext)
}

// piece is what a segment takes of the payload.
type piece struct {
	empty  hdl.Bits // the SGE has been used up
	length hdl.Bits
	last   hdl.Bits
}

func (w *worker) piece() piece {
	walks := w.walks()
	left := w.sge.Length.Sub(w.msg.At)
	enough := walks.Not().Or(left.Ge(w.need.ZExt(32)))
	return piece{empty: walks.And(left.None()), length: hdl.Mux(enough, w.need, left.Trunc(link.LengthBits)), last: enough}
}

// walks returns one bit: the payload goes along a list of SGEs.
func (w *worker) walks() hdl.Bits { return w.turn.Op.Kind.Is(kindSend).And(w.skips.Not()) }

// next takes the SGE that was asked for.
func (w *worker) next() {
	w.m.If(w.extra.Comes, func() {
		hdl.Set(w.sge, hdl.UnpackLow(format.SGE[hdl.Bits]{}, w.io.Queue.Granule.Data.Data))
		w.st.Goto(stPlace)
	})
}

// ports drives the segments, the questions for SGEs, and the record.
func (w *worker) ports() {
	io, t, piece := w.io, w.turn, w.piece()
	ahead := hdl.Mux(w.st.Is(stSum), hdl.K(3, 1), hdl.K(3, 0)) // the sum looks at the SGE behind
	w.extra.Wants.Set(w.st.Is(stSum).Or(w.st.Is(stNext)))
	w.extra.SGE.Set(w.msg.SGE.Add(ahead))

	walks, probe := w.walks(), w.st.Is(stProbe)
	revokes, atomic := probe.And(t.Op.Inv), w.isAtomic(t.Op)
	last := piece.last.And(t.Response.More.Not())
	io.Segment.Valid.Set(probe.Or(w.st.Is(stPlace).And(piece.empty.Not())))
	hdl.Set(io.Segment.Data, link.Segment{
		Key: hdl.Mux(revokes, t.Imm, hdl.Mux(walks, w.sge.LKey, w.msg.Key)), PD: t.Context.PD, QPN: t.Context.QPN,
		Rights: hdl.Mux(w.keyed, w.rights(revokes), hdl.K(8, 0)),
		VA:     hdl.Mux(walks, w.sge.Addr.Add(w.msg.At.ZExt(64)), w.msg.VA),
		Range:  hdl.Mux(walks, piece.length.ZExt(32), w.msg.Left),
		Len:    piece.length, Skip: w.skips, Probe: probe, Bus: hdl.K(1, 0), Find: probe.And(atomic), Last: probe.Or(last), Probed: hdl.AndAll(probe.Not(), last, w.probes),
	})

	seg := io.Segment.Data
	w.m.Event("segment", io.Segment.Fire(),
		hdl.Field("qp", t.QP), hdl.Field("key", seg.Key), hdl.Field("va", seg.VA), hdl.Field("bytes", seg.Len),
		hdl.Field("range", seg.Range), hdl.Field("sge", w.msg.SGE), hdl.Field("skip", seg.Skip),
		hdl.Field("rights", seg.Rights), hdl.Field("probe", seg.Probe))
	w.m.Unused(w.msg.Kind, t.Head.Empty)
	push := w.st.Is(stPush)
	w.out.Valid.Set(push.And(t.Response.More.Not())) // the last piece speaks for all
	w.block.turn.Ready.Set(push.And(t.Response.More.Or(w.out.Ready)))
	hdl.Set(w.out.Data, w.record())
}

// rights are what is asked for of a key.
func (w *worker) rights(revokes hdl.Bits) hdl.Bits {
	op, right := w.turn.Op, func(x uint64) hdl.Bits { return hdl.K(8, x) }
	remote := hdl.Mux(op.Kind.Is(kindRead), right(format.AccessRemoteRead),
		hdl.Mux(w.isAtomic(op), right(format.AccessRemoteAtomic), right(format.AccessRemoteWrite)))
	local := op.Kind.Is(kindSend).Or(w.turn.Kind.Is(link.PSNResponse))
	return hdl.Mux(revokes, right(link.RightRevoke), hdl.Mux(local, right(format.AccessLocalWrite), remote))
}

// record is what has been decided of the turn.
func (w *worker) record() record {
	t := w.turn
	is := func(kind uint64) hdl.Bits { return t.Kind.Is(kind) }
	// Of duplicates those that are not known are dropped (protocol section 3.7); READs and atomics
	// have other answers.
	known, resource := t.Op.Kind.IsNot(kindNone), t.Op.Resource.Any()
	answers := hdl.OrAll(
		hdl.AndAll(is(link.PSNExpected), t.AckReq, resource.Not()),
		hdl.AndAll(is(link.PSNDuplicate), t.AckReq, known, resource.Not()),
		is(link.PSNAhead).And(t.SendNAK),
	)
	// READs and atomics have no payload. What a duplicate brings all the same is dropped, and does not move what it asks for.
	bytes := t.PayloadLen.And(resource.Not().Rep(t.PayloadLen.Width())).ZExt(32)
	next := w.msg
	next.Kind = hdl.Mux(t.Op.End, hdl.K(2, kindNone), t.Op.Kind.Trunc(2))
	next.Done = w.msg.Done.Add(bytes)
	next.Left = w.msg.Left.Sub(bytes)
	next.VA = w.msg.VA.Add(bytes.ZExt(64))
	next.Accepted = w.msg.Accepted.Add(resource.ZExt(8))
	more := w.part.Or(w.msg.Left.None()) // a READ of no bytes takes a PSN, too
	return record{
		Kind: t.Kind, QP: t.QP, Dead: w.dead, Payload: w.facts.Payload, Segments: w.facts.Payload.Or(w.probes),
		Keyed: w.keyed, Verdict: w.verdict, HoldsOnKey: w.holdsOnKey,
		Answers: answers, RequestPSN: t.PSN,
		PSN:      hdl.Mux(is(link.PSNAhead).Or(is(link.PSNDuplicate)), t.Expected.Sub(is(link.PSNDuplicate).ZExt(24)), t.PSN),
		Advance:  hdl.Mux(t.Op.Kind.Is(kindRead), w.psns.Add(more.ZExt(24)), hdl.K(24, 1)),
		Resource: t.Op.Resource, Match: t.Response.Match, Fault: t.Response.Fault, Syndrome: t.Syndrome,
		End: t.Op.End, Local: t.Op.Kind.Is(kindSend), Written: t.Op.Kind.Is(kindWrite), Consumes: t.Op.End.And(t.Op.Kind.Is(kindSend).Or(t.Op.Imm)),
		Solicited: t.SE, WithImm: t.Op.Imm, WithInv: t.Op.Inv, Imm: t.Imm, WRID: hdl.Mux(t.Head.Fault, t.Control.WRID.K(0), t.Control.WRID), Index: t.Head.Index,
		Context: recordContext{QPN: t.Context.QPN, MinRNR: t.Context.MinRNR, CQ: t.Context.CQ}, Next: next,
	}
}
