package completer

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// ports drives the ports.
func (b *block) ports() {
	m, io := b.m, b.io
	idle := b.st.Is(stIdle)
	io.Replay.Recorded.Ready.Set(idle.And(b.clears.Not()))
	io.Failure.Ready.Set(hdl.AndAll(idle, b.clears.Not(), io.Replay.Recorded.Valid.Not()))
	io.Response.Ready.Set(hdl.AndAll(idle, b.clears.Not(), io.Replay.Recorded.Valid.Not(), io.Failure.Valid.Not()))

	io.Context.Request.Valid.Set(b.st.Is(stLook))
	io.Context.Request.Data.QP.Set(b.now.QP)
	io.Context.Reply.Ready.Set(b.st.Is(stFind))
	l := io.Context.Reply.Data.Context
	hdl.UnusedBut(m, io.Context.Reply.Data, l.QPN, l.SendCQ)

	io.Replay.Oldest.Ready.Set(b.st.Is(stWait))
	b.control()
	b.write()
	b.count()
}

// control takes Control where it clears, when nothing of its queue pair waits here any more; else at once. A failure
// that waits may be of a life that has ended: nothing of the next one goes before it.
func (b *block) control() {
	m, io := b.m, b.io
	clear := io.Control.Data.Kind.Is(link.ControlClear)
	waits := io.Control.Valid.And(clear)
	m.If(waits.Not().Or(io.Control.Ready), func() {
		b.passed.SetK(0)
	}).ElseIf(io.Response.Fire(), func() {
		b.passed.Set(b.passed.AddK(1))
	})
	none := io.Failure.Valid.Not()
	b.clears.Set(hdl.AndAll(waits, none, io.Response.Valid.Not().Or(b.passed.GeK(responsesAhead))))
	io.Control.Ready.Set(hdl.Mux(clear, b.st.Is(stClear).And(io.Replay.Request.Ready), none))
	m.Unused(io.Control.Data.PSN)
}

// write keeps what becomes of a queue pair.
func (b *block) write() {
	no, yes, none, due := hdl.K(1, 0), hdl.K(1, 1), hdl.K(16, 0), b.heard.psn()
	lives := state{Standing: standing{Dying: no, Failed: no, Ended: no, Index: none, Part: b.part, Due: due}, Status: hdl.K(8, 0), Vendor: hdl.K(5, 0)}
	dying := lives
	dying.Standing.Dying, dying.Status, dying.Vendor = yes, b.now.Status, b.now.Vendor
	failed := lives
	failed.Standing.Failed, failed.Standing.Ended, failed.Standing.Index = yes, b.fails, b.entry.WQEIndex
	dies, clears, fails := b.st.Is(stDie), b.st.Is(stClear), b.st.Is(stFail)
	goesOn := hdl.AndAll(b.st.Is(stAct), b.was.Dying.Not(), b.was.Failed.Not())
	next := hdl.Mux(dies, hdl.Pack(dying), hdl.Mux(fails, hdl.Pack(failed), hdl.Pack(lives)))
	b.states.Write(b.now.QP, hdl.OrAll(dies, clears, fails, goesOn), hdl.Mux(clears, next.K(0), next))
}

// count drives the pulses. Responses that answer nothing are those of protocol section 4.3.
func (b *block) count() {
	io, o, h := b.io, b.io.Replay.Oldest, b.io.Heard
	at := b.place(o.Data)
	local := o.Data.Entry.Kind.Is(link.EntryLocal)
	answered := o.Data.Entry.Kind.Is(link.EntryRead).Or(o.Data.Entry.Kind.Is(link.EntryAtomic))
	again := hdl.AndAll(b.event(eventStray), answered, at.behind.Not()) // data of it that came before
	old := hdl.OrAll(o.Data.Any.Not(), local.Not().And(at.before.Or(at.unsent)), again, b.was.Failed, b.was.Dying)
	response := hdl.OrAll(b.event(eventSweep), b.event(eventDead), b.event(eventFailure)).Not()
	nothing := hdl.AndAll(b.st.Is(stWait), o.Valid, b.first, response, old)

	restarts := h.Fire().And(b.heard.Kind.Is(link.HeardRestart))
	sequence := b.heard.Cause.Is(link.CauseSequence)
	dies := io.Fault.Fire().And(b.st.Is(stDie))
	because := func(s format.Status) hdl.Bits { return dies.And(b.now.Status.Is(uint64(s))) }
	flush := b.status.Is(uint64(format.StatusFlush))
	hdl.Set(io.Counts, Counts{
		Ignored:     nothing.Or(io.Response.Fire().And(classify(io.Response.Data).Kind.Is(eventSweep))),
		SequenceNAK: restarts.And(sequence), ImpliedNAK: restarts.And(sequence.Not()),
		RNRNAK:  h.Fire().And(b.heard.Kind.Is(link.HeardRNR)),
		Invalid: because(format.StatusRemInvReq), Access: because(format.StatusRemAccess), Operation: because(format.StatusRemOp),
		RetriesExceeded: because(format.StatusRetryExceeded), RNRExceeded: because(format.StatusRNRExceeded),
		CQEError: hdl.AndAll(io.Completion.Fire(), b.status.Any(), flush.Not()), CQEFlush: io.Completion.Fire().And(flush),
	})
}

// effects lets out what an entry owes: it leaves the ring, its WQE completes, its
// queue pair fails. It returns one bit: some of that still waits.
func (b *block) effects() (waits hdl.Bits) {
	m, io, e := b.m, b.io, b.entry
	pops := b.owes.pop
	b.ask()
	m.If(pops.And(io.Replay.Request.Ready), func() { pops.SetK(0) })
	isRead := e.Kind.Is(link.EntryRead).Or(e.Kind.Is(link.EntryAtomic))
	completion := link.Completion{
		CQ: b.now.CQ, WRID: e.WRID, ByteLen: hdl.Mux(isRead.And(b.status.None()), e.Offset, e.Offset.K(0)), Imm: hdl.K(32, 0),
		QP: b.now.QP, QPN: b.now.QPN, Status: b.status, WQEIndex: e.WQEIndex, Opcode: e.WC.ZExt(8), Flags: hdl.K(4, 0),
		Vendor: b.vendor, Queue: hdl.K(1, 0), Solicited: b.status.Any(),
	}
	fault := link.QPFault{QP: b.now.QP, HasEvent: hdl.K(1, 0), Event: hdl.K(8, 0), Vendor: hdl.Mux(b.st.Is(stDie), b.now.Vendor, b.vendor)}
	m.Event("entry_retired", pops.And(io.Replay.Request.Ready),
		hdl.Field("qp", b.now.QP), hdl.Field("kind", e.Kind), hdl.Field("psn", e.PSN), hdl.Field("wqe", e.WQEIndex), hdl.Field("last", e.Last),
		hdl.Field("status", b.status))
	m.Event("send_completes", io.Completion.Fire(),
		hdl.Field("qp", b.now.QP), hdl.Field("kind", e.Kind), hdl.Field("wqe", e.WQEIndex), hdl.Field("status", b.status))
	m.Event("failure_heard", io.Fault.Fire().And(b.st.Is(stDie)),
		hdl.Field("qp", b.now.QP), hdl.Field("psn", b.now.PSN), hdl.Field("status", b.now.Status))
	m.Unused(e.PSN, e.LastPSN, e.Length, e.First, e.Last, e.Signaled, e.Status, e.Vendor)
	return hdl.OrAll(
		pops.And(io.Replay.Request.Ready.Not()),
		stream.Offer(m, io.Completion, b.owes.completion, completion),
		stream.Offer(m, io.Fault, b.owes.fault, fault),
		stream.Offer(m, io.Heard, b.owes.heard, link.Heard{QP: b.now.QP, Kind: b.heard.Kind, PSN: b.heard.psn(), Cause: b.heard.Cause, Code: b.now.Code}))
}

// ask puts the questions of all steps to the ring.
func (b *block) ask() {
	ask := b.io.Replay.Request
	op := func(k uint64) hdl.Bits { return hdl.K(2, k) }
	peeks, fails, clears := b.st.Is(stPeek), b.st.Is(stFail), b.st.Is(stClear)
	ask.Valid.Set(hdl.OrAll(peeks, fails, clears, b.owes.pop))
	hdl.Set(ask.Data, link.ReplayRequest{
		QP: b.now.QP,
		Op: hdl.Mux(peeks, op(link.ReplayPeek), hdl.Mux(fails, op(link.ReplayFail), hdl.Mux(clears, op(link.ReplayClear), op(link.ReplayPop)))),
	})
}
