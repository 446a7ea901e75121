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
	m, t := w.m, w.turn
	expected := t.Kind.Is(link.PSNExpected)
	dead := expected.And(t.Was.Is(kindDead))
	alive := expected.And(dead.Not())
	send, write := t.Op.Kind.Is(kindSend), t.Op.Kind.Is(kindWrite)
	resource := t.Op.Resource.Any()

	first := verdictOf(w.always())
	its := hdl.MuxOf(send, verdictOf(w.sendChecks()), hdl.MuxOf(write, verdictOf(w.writeChecks()), verdictOf(w.resourceChecks())))
	before := hdl.MuxOf(first.Refused, first, its)
	behind := hdl.MuxOf(write, verdictOf(w.writeChecksBehindKey()), verdictOf(nil))

	refused := before.Refused.Or(before.RNR)
	hdl.Set(w.verdict, hdl.MuxOf(refused, before, behind))
	w.dead.Set(dead)
	skips := hdl.OrAll(alive.Not(), refused, behind.Refused, behind.RNR)
	none := w.msg.Left.None()
	keyed := hdl.AndAll(alive, refused.Not(), write.And(none).Not()) // a WRITE of no bytes has no key,
	asks := hdl.Mux(resource, t.Op.Kind.Is(kindAtomic).Or(none.Not()), t.Op.Inv)
	w.probes.Set(skips.Not().And(asks)) // nor has a READ
	response := t.Kind.Is(link.PSNResponse)
	w.skips.Set(hdl.Mux(response, t.Response.Skip, skips))
	w.keyed.Set(hdl.Mux(response, t.Response.Skip.Not(), keyed))
	w.holdsOnKey.Set(t.Head.Here.And(send.Or(t.Op.Imm)))

	payload := w.payload()
	w.st.Goto(stPlace)
	m.If(payload.Not(), func() { w.st.Goto(stPush) })
	m.If(hdl.AndAll(payload.Not(), skips.Not(), asks), func() { w.st.Goto(stProbe) })
	m.If(t.Kind.Is(turnFlush), func() { w.verdict.Holds.Set(t.Head.Here) })
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
	outOfTurn := hdl.Mux(t.Op.Start, t.Was.IsNot(kindNone), t.Was.Ne(t.Op.Kind))
	return []refusal{
		{t.Op.Kind.Is(kindNone), refuseInvalid, format.StatusLocQPOp, format.VendorBadOpcode, open},
		{outOfTurn, refuseInvalid, format.StatusLocQPOp, format.VendorSequence, open},
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
	atomic := w.turn.Op.Kind.Is(kindAtomic)
	granted := hdl.Mux(atomic, w.granted(format.AccessRemoteAtomic), w.granted(format.AccessRemoteRead))
	return []refusal{
		{granted.Not(), refuseInvalid, format.StatusLocQPOp, format.VendorAccess, no},
		{w.full, refuseInvalid, format.StatusLocQPOp, format.VendorResources, no},
		{w.wrongLength, refuseInvalid, format.StatusLocQPOp, format.VendorLength, no},
		{atomic.And(w.msg.VA.Trunc(3).Any()), refuseInvalid, format.StatusLocQPOp, format.VendorAlignment, no},
	}
}

// writeChecks are steps 3 and 5 for a WRITE: before its key.
func (w *worker) writeChecks() []refusal {
	no := hdl.K(1, 0)
	return []refusal{
		{w.granted(format.AccessRemoteWrite).Not(), refuseInvalid, format.StatusLocQPOp, format.VendorAccess, no},
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
