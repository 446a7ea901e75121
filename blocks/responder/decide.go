package responder

import (
	"math/bits"

	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
)

// refusal is a reason to refuse a request, whose condition is one.
type refusal struct {
	when   hdl.Bits
	code   uint64 // refuseInvalid and others; 0: RNR
	status format.Status
	vendor format.VendorCode
	holds  hdl.Bits // a receive WQE completes with it
}

// decide goes through the checks of protocol section 3.4, in the order of section
// 10, rows 1 and 27. Reasons that count before the key drop the payload
// unseen; for those that count behind it, the payload is dropped, too, but its key is
// looked at.
func (w *worker) decide() {
	m, t, f := w.m, w.turn, w.facts
	send, write := t.Op.Kind.Is(kindSend), t.Op.Kind.Is(kindWrite)
	byKind := func(f func(reasons []refusal) verdict) verdict {
		return hdl.MuxOf(send, f(w.sendChecks()), hdl.MuxOf(write, f(w.writeChecks()), f(w.resourceChecks())))
	}
	first, behind := w.always(), w.writeChecksBehindKey()
	early := hdl.OrAll(holds(first), hdl.Mux(send, holds(w.sendChecks()), hdl.Mux(write, holds(w.writeChecks()), holds(w.resourceChecks()))))
	late := write.And(holds(behind))
	hdl.Set(w.verdict, hdl.MuxOf(holds(first), verdictOf(first), hdl.MuxOf(early, byKind(verdictOf), hdl.MuxOf(write, verdictOf(behind), verdictOf(nil)))))

	w.dead.Set(f.Dead)
	w.skips.Set(hdl.Mux(f.Response, t.Response.Skip, hdl.OrAll(f.Alive.Not(), early, late)))
	keyed := hdl.AndAll(f.Alive, early.Not(), write.And(f.None).Not()) // a WRITE of no bytes has no key
	w.keyed.Set(hdl.Mux(f.Response, t.Response.Skip.Not(), keyed))
	probes := f.Asks.And(early.Not()) // no WRITE does
	w.probes.Set(probes)
	w.holdsOnKey.Set(t.Head.Here.And(send.Or(t.Op.Imm)))

	w.st.Goto(stPlace)
	m.If(f.Payload.Not(), func() { w.st.Goto(stPush) })
	m.If(f.Payload.Not().And(probes), func() { w.st.Goto(stProbe) })
	m.If(t.Kind.Is(turnFlush), func() { w.verdict.Holds.Set(t.Head.Here) })
}

// holds returns one bit: some reason holds.
func holds(reasons []refusal) hdl.Bits {
	any := hdl.K(1, 0)
	for _, r := range reasons {
		any = any.Or(r.when)
	}
	return any
}

// facts are what is known of a turn before it is decided on.
type facts struct {
	Alive    hdl.Bits `w:"1"` // an expected request of a queue pair that takes some,
	Dead     hdl.Bits `w:"1"` // or of one that does not
	Response hdl.Bits `w:"1"`
	Payload  hdl.Bits `w:"1"` // there is some
	None     hdl.Bits `w:"1"` // there are no bytes in all
	Asks     hdl.Bits `w:"1"` // alive, and a key is asked for without payload, or behind it

	Unknown    hdl.Bits `w:"1"` // the opcode is none that is executed,
	OutOfTurn  hdl.Bits `w:"1"` // or does not follow on the one before
	Denied     hdl.Bits `w:"1"` // the queue pair does not grant it
	Misaligned hdl.Bits `w:"1"` // an atomic
}

// know finds the facts of the turn that is judged.
func (w *worker) know() {
	t := w.turn
	op := t.Op
	expected, dead := t.Kind.Is(link.PSNExpected), t.Was.Is(kindDead)
	none := t.Message.Left.None()
	atomic := w.isAtomic(op)
	read := op.Kind.Is(kindRead).And(none.Not()) // one of no bytes has no key
	granted := hdl.Mux(op.Kind.Is(kindWrite), w.granted(format.AccessRemoteWrite),
		hdl.Mux(atomic, w.granted(format.AccessRemoteAtomic), w.granted(format.AccessRemoteRead)))
	alive := expected.And(dead.Not())
	hdl.Set(w.facts, facts{
		Alive: alive, Dead: expected.And(dead), Response: t.Kind.Is(link.PSNResponse), Payload: w.payload(), None: none,
		Asks:    alive.And(hdl.OrAll(atomic, read, op.Inv)),
		Unknown: op.Kind.Is(kindNone), OutOfTurn: hdl.Mux(op.Start, t.Was.IsNot(kindNone), t.Was.ZExt(3).Ne(op.Kind)),
		Denied: granted.Not(), Misaligned: atomic.And(t.Message.VA.Trunc(3).Any()),
	})
}

// payload returns one bit: the turn has payload.
func (w *worker) payload() hdl.Bits {
	kind := w.turn.Kind
	none := hdl.OrAll(kind.Is(link.PSNFence), kind.Is(link.PSNDead), kind.Is(turnFlush))
	return w.turn.PayloadLen.Any().And(none.Not())
}

// verdictOf is the verdict of the first reason whose condition holds.
func verdictOf(reasons []refusal) verdict {
	zero := hdl.K(1, 0)
	v := verdict{Refused: zero, RNR: zero, Code: hdl.K(2, 0), Status: hdl.K(8, 0), Vendor: hdl.K(link.FaultBits, 0), Holds: zero}
	for i := len(reasons) - 1; i >= 0; i-- {
		r := reasons[i]
		rnr := r.code == 0
		v = hdl.MuxOf(r.when, verdict{
			Refused: hdl.K(1, flag(!rnr)), RNR: hdl.K(1, flag(rnr)), Code: hdl.K(2, r.code),
			Status: hdl.K(8, uint64(r.status)), Vendor: hdl.K(link.FaultBits, uint64(r.vendor)), Holds: r.holds,
		}, v)
	}
	return v
}

func flag(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}

// always are steps 1 and 2: the opcode, and the sequence of opcodes (protocol
// section 3.5). The WQE of a SEND in progress completes with the error.
func (w *worker) always() []refusal {
	t := w.turn
	open := t.Was.Is(kindSend)
	return []refusal{
		{w.facts.Unknown, refuseInvalid, format.StatusLocQPOp, format.VendorBadOpcode, open},
		{w.facts.OutOfTurn, refuseInvalid, format.StatusLocQPOp, format.VendorSequence, open},
	}
}

// sendChecks are steps 4b, 5, 9 and 10 for a SEND, whose key is its own.
func (w *worker) sendChecks() []refusal {
	t, yes := w.turn, hdl.K(1, 1)
	return []refusal{
		{when: t.Head.Here.Not(), holds: hdl.K(1, 0)},
		{t.Op.Start.And(t.Head.Fault), refuseFailed, format.StatusLocQPOp, format.VendorWQERead, yes},
		{w.wrongLength, refuseInvalid, format.StatusLocQPOp, format.VendorLength, yes},
		{t.Op.Start.And(w.tooMany), refuseFailed, format.StatusLocQPOp, format.VendorBadSGECount, yes},
		{w.noRoom, refuseInvalid, format.StatusLocLen, format.VendorNoRoom, yes},
	}
}

// granted returns one bit: the queue pair grants its peer a right.
func (w *worker) granted(right int) hdl.Bits {
	return w.turn.Context.Access.Bit(bits.TrailingZeros(uint(right)) - 1)
}

// resourceChecks are steps 3 to 6 for READs and atomics.
func (w *worker) resourceChecks() []refusal {
	no := hdl.K(1, 0)
	return []refusal{
		{w.facts.Denied, refuseInvalid, format.StatusLocQPOp, format.VendorAccess, no},
		{w.full, refuseInvalid, format.StatusLocQPOp, format.VendorResources, no},
		{w.wrongLength, refuseInvalid, format.StatusLocQPOp, format.VendorLength, no},
		{w.facts.Misaligned, refuseInvalid, format.StatusLocQPOp, format.VendorAlignment, no},
	}
}

// writeChecks are steps 3 and 5 for a WRITE: before its key.
func (w *worker) writeChecks() []refusal {
	no := hdl.K(1, 0)
	return []refusal{
		{w.facts.Denied, refuseInvalid, format.StatusLocQPOp, format.VendorAccess, no},
		{w.wrongLength, refuseInvalid, format.StatusLocQPOp, format.VendorLength, no},
	}
}

// writeChecksBehindKey are step 8, then 4b of one with immediate.
func (w *worker) writeChecksBehindKey() []refusal {
	t, no := w.turn, hdl.K(1, 0)
	return []refusal{
		{w.unfit, refuseInvalid, format.StatusLocQPOp, format.VendorLength, no},
		{when: t.Op.Imm.And(t.Head.Here.Not()), holds: no},
		{t.Op.Imm.And(t.Head.Fault), refuseFailed, format.StatusLocQPOp, format.VendorWQERead, hdl.K(1, 1)},
	}
}
