package completer

import (
	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// ports drives the ports.
func (b *block) ports() {
	m, io := b.m, b.io
	idle := b.st.Is(stIdle)
	io.Replay.Recorded.Ready.Set(idle)
	io.Dead.Ready.Set(idle.And(io.Replay.Recorded.Valid.Not()))
	io.Response.Ready.Set(hdl.AndAll(idle, io.Replay.Recorded.Valid.Not(), io.Dead.Valid.Not()))
	r := io.Response.Data
	c := r.Context
	m.Unused(r.MSN)
	hdl.UnusedBut(m, c, c.QPN, c.SendCQ)

	io.Context.Request.Valid.Set(b.st.Is(stLook))
	io.Context.Request.Data.QP.Set(b.now.QP)
	io.Context.Reply.Ready.Set(b.st.Is(stFind))
	l := io.Context.Reply.Data.Context
	hdl.UnusedBut(m, io.Context.Reply.Data, l.QPN, l.SendCQ)

	io.Replay.Oldest.Ready.Set(b.st.Is(stWait))

	// A queue pair fails with an entry, or because it is dead.
	control := io.Control
	failing := b.st.Is(stFail)
	control.Ready.Set(failing.Not())
	clears := control.Fire().And(control.Data.Kind.Is(link.ControlClear))
	m.Unused(control.Data.PSN)
	next := state{Failed: hdl.K(1, 1), Ended: hdl.Mux(b.was.Failed, b.was.Ended, b.fails), Index: hdl.Mux(b.was.Failed, b.was.Index, b.entry.WQEIndex)}
	zero := hdl.K(hdl.WidthOf(state{}), 0)
	b.states.Write(hdl.Mux(failing, b.now.QP, control.Data.QP), failing.Or(clears), hdl.Mux(failing, hdl.Pack(next), zero))

	unknown, _ := classify(r)
	o := io.Replay.Oldest
	old := hdl.OrAll(o.Data.Any.Not(), b.now.PSN.Sub(o.Data.Entry.PSN).MSB(), o.Data.Newest.Sub(b.now.PSN).MSB())
	nothing := hdl.AndAll(b.st.Is(stWait), o.Valid, b.first, b.now.Kind.IsNot(eventSweep), old)
	io.Ignored.Set(nothing.Or(io.Response.Fire().And(unknown.Is(eventSweep))))
}

// effects lets out what an entry owes: it leaves the ring, its WQE completes, its
// queue pair fails. It returns one bit: some of that still waits.
func (b *block) effects() (waits hdl.Bits) {
	m, io, e := b.m, b.io, b.entry
	ask, pops, peeks := io.Replay.Request, b.owes.pop, b.st.Is(stPeek)
	op := func(k uint64) hdl.Bits { return hdl.K(2, k) }
	ask.Valid.Set(hdl.OrAll(peeks, b.st.Is(stFail), pops))
	hdl.Set(ask.Data, link.ReplayRequest{
		QP: b.now.QP, Op: hdl.Mux(peeks, op(link.ReplayPeek), hdl.Mux(pops, op(link.ReplayPop), op(link.ReplayFail))),
	})
	m.If(pops.And(ask.Ready), func() { pops.SetK(0) })
	completion := link.Completion{
		CQ: b.now.CQ, WRID: e.WRID, ByteLen: hdl.K(32, 0), Imm: hdl.K(32, 0), QP: b.now.QP, QPN: b.now.QPN, Status: b.status,
		WQEIndex: e.WQEIndex, Opcode: e.WC.ZExt(8), Flags: hdl.K(4, 0), Vendor: b.vendor, Queue: hdl.K(1, 0), Solicited: b.status.Any(),
	}
	fault := link.QPFault{QP: b.now.QP, HasEvent: hdl.K(1, 0), Event: hdl.K(8, 0), Vendor: b.vendor}
	m.Event("entry_retired", pops.And(ask.Ready),
		hdl.Field("qp", b.now.QP), hdl.Field("psn", e.PSN), hdl.Field("wqe", e.WQEIndex), hdl.Field("last", e.Last),
		hdl.Field("status", b.status))
	m.Event("send_completes", io.Completion.Fire(), hdl.Field("qp", b.now.QP), hdl.Field("wqe", e.WQEIndex), hdl.Field("status", b.status))
	m.Unused(e.PSN, e.Offset, e.Length, e.First, e.Last, e.Signaled, e.Status, e.Vendor)
	return hdl.OrAll(
		pops.And(ask.Ready.Not()),
		stream.Offer(m, io.Completion, b.owes.completion, completion),
		stream.Offer(m, io.Fault, b.owes.fault, fault))
}
