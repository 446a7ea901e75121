package responder

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
)

// finish takes records that have their verdict, saves the message, and lets
// the effects out. The next packet of a queue pair comes when its Outcome has
// been taken, so that goes last.
func (b *block) finish() {
	m, io := b.m, b.io
	rec := b.hear()
	r := rec.Data
	commit, outcome := hdl.NewReg(m, "committing", b.p.Sizes.Commit()), hdl.NewReg(m, "telling", b.p.Sizes.Outcome())
	owesCommit, owesOutcome, owesTake := m.Reg("owes_commit", 1, 0), m.Reg("owes_outcome", 1, 0), m.Reg("owes_take", 1, 0)
	owesOperands, dropsOperands := m.Reg("owes_operands", 1, 0), m.Reg("drops_operands", 1, 0)

	io.Commit.Valid.Set(owesCommit)
	hdl.Set(io.Commit.Data, commit)
	io.Queue.Take.Valid.Set(owesTake)
	io.Queue.Take.Data.QP.Set(commit.QP)
	io.Outcome.Valid.Set(owesOutcome.And(owesTake.Not()))
	hdl.Set(io.Outcome.Data, outcome)
	m.If(io.Commit.Ready, func() { owesCommit.SetK(0) })
	m.If(io.Queue.Take.Ready, func() { owesTake.SetK(0) })
	m.If(io.Outcome.Fire(), func() { owesOutcome.SetK(0) })
	io.Operands.Valid.Set(owesOperands)
	hdl.Set(io.Operands.Data, b.operands.Data)
	b.operands.Ready.Set(dropsOperands.Or(io.Operands.Fire()))
	m.Unused(b.operands.Valid)
	m.Assert("operands_are_here", owesOperands.Or(dropsOperands).Not().Or(b.operands.Valid))
	m.If(io.Operands.Ready, func() { owesOperands.SetK(0) })
	dropsOperands.SetK(0)
	done := hdl.AndAll(
		owesCommit.Not().Or(io.Commit.Ready), owesTake.Not(), owesOperands.Not().Or(io.Operands.Ready), owesOutcome.Not().Or(io.Outcome.Ready))
	m.If(done, func() { b.ending.SetK(0) })

	takes := rec.Valid.And(b.ending.Not().Or(done))
	rec.Ready.Set(b.ending.Not().Or(done))
	e := b.effects(r)
	m.If(takes, func() {
		b.ending.SetK(1)
		hdl.Set(commit, e.commit)
		hdl.Set(outcome, e.outcome)
		owesCommit.Set(e.commits)
		owesOutcome.Set(r.Kind.Is(link.PSNExpected))
		owesTake.Set(e.takes)
		owesOperands.Set(e.executes)
		dropsOperands.Set(e.refusesAtomic)
	})
	b.saved.Now.Set(takes.And(e.saves))
	b.saved.QP.Set(r.QP)
	hdl.Set(b.saved.Message, e.next)
	m.Event("reassembly", b.saved.Now,
		hdl.Field("qp", r.QP), hdl.Field("kind", e.next.Kind), hdl.Field("va", e.next.VA), hdl.Field("left", e.next.Left),
		hdl.Field("sge", e.next.SGE), hdl.Field("at", e.next.At), hdl.Field("done", e.next.Done))
	c := io.Commit.Data
	m.Event("committed", io.Commit.Fire(),
		hdl.Field("qp", c.QP), hdl.Field("psn", c.RequestPSN), hdl.Field("placed", c.Placed), hdl.Field("reply", c.Reply),
		hdl.Field("message", c.Message), hdl.Field("complete", c.Complete))
	b.flush.ends.Set(takes.And(r.Kind.Is(turnFlush)))
	b.flush.more.Set(r.Verdict.Holds)
}

// hear gives each record its final verdict, when its translation has spoken.
func (b *block) hear() hdl.Stream[record] {
	m, in, told := b.m, b.records, b.io.Translated
	out := hdl.NewWire(m, "heard", hdl.StreamOf(b.p.record()))
	known := in.Data.Segments.Not().Or(told.Valid)
	out.Valid.Set(in.Valid.And(known))
	in.Ready.Set(known.And(out.Ready))
	told.Ready.Set(hdl.AndAll(in.Valid, in.Data.Segments, out.Ready))

	r, fault := in.Data, told.Data.Fault
	atomic := b.takesWord(r.Resource) // which works on a bus address
	refused := hdl.AndAll(r.Segments, r.Keyed, fault.Any())
	skewed := hdl.AndAll(r.Segments, r.Keyed, atomic, told.Data.Addr.Trunc(3).Any())
	r.Verdict = hdl.MuxOf(refused, keyVerdict(r, told.Data), hdl.MuxOf(skewed, skewVerdict(), r.Verdict))
	r.Fault = hdl.Mux(r.Segments.And(fault.Any()), fault, r.Fault)
	r.Next.VA = hdl.Mux(atomic, told.Data.Addr, r.Next.VA)
	hdl.Set(out.Data, r)
	next := link.Stage(m, b.p.Sizes, "u_heard", out)
	m.Unused(next.Data.HoldsOnKey, next.Data.Local, next.Data.Segments)
	b.hearing = next.Valid
	return next
}

// effects is what becomes of a record.
type effects struct {
	commit        link.Commit
	commits       hdl.Bits // it goes out
	executes      hdl.Bits // an atomic was accepted: its operands go out,
	refusesAtomic hdl.Bits // or are dropped
	outcome       link.Outcome
	takes         hdl.Bits // the receive WQE is done with
	saves         hdl.Bits // the message changes,
	next          message  // to this one
}

// effects follows the verdict.
func (b *block) effects(r record) effects {
	m := b.m
	is := func(kind uint64) hdl.Bits { return r.Kind.Is(kind) }
	flush := is(turnFlush)
	v := r.Verdict
	alive := is(link.PSNExpected).And(r.Dead.Not())
	fatal, rnr := alive.And(v.Refused), alive.And(v.RNR)
	good := hdl.AndAll(alive, v.Refused.Not(), v.RNR.Not())
	refused := fatal.Or(rnr)
	ends := good.And(r.Consumes) // a receive WQE completes with success
	fails := fatal.And(v.Holds)  // or with an error
	flushed := flush.And(v.Holds)

	nak := hdl.Cat(hdl.K(6, format.SyndromeNAK>>2), v.Code)
	rnrNAK := hdl.Cat(hdl.K(3, format.SyndromeRNR>>5), r.Context.MinRNR)
	ahead := is(link.PSNAhead)
	replies := hdl.OrAll(refused, hdl.AndAll(r.Answers, r.Dead.Not()))
	reply := hdl.Mux(replies, hdl.Mux(refused.Or(ahead), hdl.K(2, link.ReplyNAK), hdl.K(2, link.ReplyACK)), hdl.K(2, link.ReplyNone))

	status := hdl.Mux(fatal, v.Status, hdl.Mux(flush, code(format.StatusFlush), code(format.StatusSuccess)))
	imm, inv := r.WithImm.And(ends), r.WithInv.And(ends)
	response := is(link.PSNResponse)
	resource, again := good.And(r.Resource.Any()), is(link.PSNDuplicate).And(r.Resource.Any())
	kind := func(k uint64) hdl.Bits { return hdl.K(2, k) }
	c := link.Commit{
		Kind: hdl.Mux(is(link.PSNFence), kind(link.CommitFence),
			hdl.Mux(response, kind(link.CommitResponse), hdl.Mux(is(link.PSNDead), kind(link.CommitDead), kind(link.CommitRequest)))),
		QP: r.QP, Payload: r.Payload, Placed: r.Payload.And(hdl.Mux(response, r.Keyed.And(r.Fault.None()), good)),
		Reply: reply, PSN: r.PSN, RequestPSN: r.RequestPSN,
		Syndrome: hdl.Mux(response, r.Syndrome, hdl.Mux(ahead, hdl.K(8, format.SyndromeNAK), hdl.Mux(rnr, rnrNAK, nak))),
		Message:  good.And(r.End), Fatal: fatal, HasEvent: fatal.And(v.Holds.Not()), Event: event(m, v.Code),
		Complete: hdl.OrAll(ends, fails, flushed), Open: good.And(r.Next.Kind.Is(kindSend)),
		Match: r.Match, Fault: hdl.Mux(response, r.Fault, r.Fault.K(0)),
		Resource: link.Resource{
			Kind: hdl.Mux(resource.Or(again), r.Resource, hdl.K(2, link.ResourceNone)), Duplicate: again,
			VA: r.Next.VA, RKey: r.Next.Key, Length: r.Next.Left,
		},
		Completion: link.Completion{
			CQ: r.Context.CQ, WRID: r.WRID, ByteLen: r.Next.Done, Imm: r.Imm, QP: r.QP, QPN: r.Context.QPN, Status: status,
			WQEIndex: r.Index, Opcode: hdl.Mux(r.Written, code(format.WCRecvWriteI), code(format.WCRecv)),
			Flags: hdl.Mux(imm, hdl.K(4, format.WCFlagWithImm), hdl.Mux(inv, hdl.K(4, format.WCFlagWithInv), hdl.K(4, 0))), Vendor: hdl.Mux(fatal, v.Vendor, v.Vendor.K(0)),
			Queue: hdl.K(1, 1), Solicited: r.Solicited.Or(status.Any()),
		},
	}
	next := hdl.MuxOf(good, r.Next, message{
		Kind: hdl.K(2, kindDead), Done: r.Next.Done, Left: r.Next.Left, VA: r.Next.VA, Key: r.Next.Key, SGE: r.Next.SGE, At: r.Next.At,
		Accepted: r.Next.Accepted,
	})
	atomic := is(link.PSNExpected).And(b.takesWord(r.Resource))
	return effects{
		commit: c, commits: flush.Not().Or(flushed), executes: atomic.And(good), refusesAtomic: atomic.And(good.Not()),
		outcome: link.Outcome{QP: r.QP, Advance: hdl.Mux(good, r.Advance, r.Advance.K(0)), NAKSent: rnr, Dead: fatal.Or(r.Dead)},
		takes:   hdl.OrAll(ends, fails, flushed),
		saves:   hdl.OrAll(good, fatal, flush), next: next,
	}
}

// code is a constant of eight bits.
func code[T ~uint8](x T) hdl.Bits { return hdl.K(8, uint64(x)) }

// keyVerdict is what a fault of the translation says of a request (protocol
// sections 3.6, 3.9 and 3.11): the peer's key, the one that it would invalidate, or
// else our own doing.
func keyVerdict(r record, told link.Translated) verdict {
	revoked := r.WithInv.And(told.Tail.Or(told.Probe))
	own := hdl.AndAll(revoked.Not(), hdl.OrAll(r.Local, told.Fault.Is(uint64(format.VendorBusRead))))
	return verdict{
		Refused: hdl.K(1, 1), RNR: hdl.K(1, 0), Code: hdl.Mux(own, hdl.K(2, refuseFailed), hdl.K(2, refuseAccess)),
		Status: hdl.Mux(revoked, code(format.StatusRemInvReq), hdl.Mux(own, code(format.StatusLocProt), code(format.StatusLocAccess))),
		Vendor: told.Fault, Holds: r.HoldsOnKey,
	}
}

// skewVerdict is for an atomic whose key has its bytes otherwise on the bus than in virtual addresses: what is
// aligned there is no single access of memory.
func skewVerdict() verdict {
	return verdictOf([]refusal{{hdl.K(1, 1), refuseInvalid, format.StatusLocQPOp, format.VendorAlignment, hdl.K(1, 0)}})
}

// event is the asynchronous event of a refusal that no receive WQE tells of.
func event(m *hdl.Module, refused hdl.Bits) hdl.Bits {
	var table [4]uint64
	table[refuseInvalid], table[refuseAccess], table[refuseFailed] = uint64(format.EventQPReqErr), uint64(format.EventQPAccessErr), uint64(format.EventQPFatal)
	return m.Table("refusal_event", refused, 8, table[:]...)
}
