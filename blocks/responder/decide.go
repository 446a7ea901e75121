package responder

import (
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

	before, behind := verdictOf(w.always()), verdictOf(nil)
	sends, writes := verdictOf(append(w.always(), w.sendChecks()...)), verdictOf(append(w.always(), w.writeChecks()...))
	before = hdl.MuxOf(send, sends, hdl.MuxOf(write, writes, before))
	behind = hdl.MuxOf(write, verdictOf(w.writeChecksBehindKey()), behind)

	refused := before.Refused.Or(before.RNR)
	hdl.Set(w.verdict, hdl.MuxOf(refused, before, behind))
	w.dead.Set(dead)
	w.skips.Set(hdl.OrAll(alive.Not(), refused, behind.Refused, behind.RNR))
	none := write.And(w.msg.Left.None()) // a WRITE of no bytes has no key
	w.keyed.Set(hdl.AndAll(alive, refused.Not(), none.Not()))
	w.holdsOnKey.Set(t.Head.Here.And(send.Or(t.Op.Imm)))

	w.st.Goto(stPlace)
	m.If(hdl.OrAll(t.PayloadLen.None(), t.Kind.Is(link.PSNFence), t.Kind.Is(turnFlush)), func() { w.st.Goto(stPush) })
	m.If(t.Kind.Is(turnFlush), func() { w.verdict.Holds.Set(t.Head.Here) })
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

// writeChecks are steps 3 and 5 for a WRITE: before its key.
func (w *worker) writeChecks() []refusal {
	no := hdl.K(1, 0)
	return []refusal{
		{w.turn.Context.Writable.Not(), refuseInvalid, format.StatusLocQPOp, format.VendorAccess, no},
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
