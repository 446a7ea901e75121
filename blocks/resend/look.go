package resend

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// start asks for context and entry, if there is something to do.
func (b *block) start() {
	b.contextHere.SetK(0)
	b.entryHere.SetK(0)
	b.second.SetK(0)
	done := b.turn.place.Done.And(b.turn.fresh.Not())
	b.m.If(b.turn.order.Live.And(done.Not()), func() {
		b.contextOwed.SetK(1)
		b.entryOwed.SetK(1)
		b.st.Goto(stLook)
	}).Else(func() { b.st.Goto(stIdle) })
}

// look waits for both.
func (b *block) look() {
	b.m.If(b.contextHere.And(b.entryHere), func() { b.st.Goto(stDecide) })
}

// lookPorts asks, and takes what comes.
func (b *block) lookPorts() {
	m, io := b.m, b.io
	m.Unused(stream.Offer(m, io.Context.Request, b.contextOwed, link.QPRef{QP: b.turn.qp}))
	c := io.Context.Reply
	c.Ready.SetK(1)
	m.If(c.Valid, func() {
		b.contextHere.SetK(1)
		hdl.Set(b.context, contextOf(c.Data.Context))
	})
	used := c.Data.Context
	hdl.UnusedBut(m, c.Data, used.Exists, used.State, used.QPN, used.PD, used.PathMTU)

	m.Unused(stream.Offer(m, io.Entries.Request, b.entryOwed, link.ReplayRead{
		QP: b.turn.qp, Oldest: b.turn.fresh.And(b.second.Not()), Index: hdl.Mux(b.second, b.index, b.turn.place.Index),
	}))
	e := io.Entries.Reply
	e.Ready.SetK(1)
	m.If(e.Valid, func() {
		b.entryHere.SetK(1)
		b.any.Set(e.Data.Any)
		b.same.Set(e.Data.Any.And(e.Data.Index.Eq(b.index)))
		b.newest.Set(e.Data.Newest)
	})
	m.If(e.Valid.And(b.second.Not()), func() {
		b.index.Set(e.Data.Index)
		hdl.Set(b.entry, entryOf(e.Data.Entry))
	})
	rest := e.Data.Entry
	m.Unused(rest.Signaled, rest.WC, rest.WRID, rest.Vendor)
}

func contextOf(c link.Context) context {
	sends := c.State.Is(uint64(format.QPRTS)).Or(c.State.Is(uint64(format.QPSQD)))
	return context{Sends: c.Exists.And(sends), QPN: c.QPN, PD: c.PD, PathMTU: c.PathMTU}
}

func entryOf(e link.ReplayEntry) entry {
	return entry{
		Kind: e.Kind, PSN: e.PSN, LastPSN: e.LastPSN, WQEIndex: e.WQEIndex, Offset: e.Offset, Length: e.Length,
		First: e.First, Last: e.Last, Failed: e.Status.Any(),
	}
}

// is returns one bit: the entry is of this kind.
func (b *block) is(kind uint64) hdl.Bits { return b.entry.Kind.Is(kind) }

// pace asks whether the queue pair has to wait for its rate. What is said of one cycle is heeded in the next: the wake that follows its end
// comes behind the beginning of this turn, and so enters the queue pair again.
func (b *block) pace() {
	b.io.Paced.QP.Set(b.turn.qp)
	b.paced.Set(b.io.Paced.Waits)
}

// decide says what becomes of the entry: there is none, it is no packet, it has to wait, its WQE is here or has to be read.
func (b *block) decide() {
	m, st, e := b.m, b.st, b.entry
	b.bad.SetK(0)
	b.next.Set(b.index)
	b.passed.Set(b.turn.order.PSN.Sub(e.PSN))
	b.span.Set(e.LastPSN.Sub(e.PSN))
	here := hdl.AndAll(b.kept.Valid, b.turn.fresh.Not(), b.kept.QP.Eq(b.turn.qp), b.kept.Index.Eq(e.WQEIndex))
	m.If(b.context.Sends.Not().Or(b.any.Not()), func() {
		st.Goto(stResent)
		m.If(b.overtaken(), func() { st.Goto(stIdle) })
	}).ElseIf(b.is(link.EntryLocal).Or(e.Failed), func() {
		b.done()
	}).ElseIf(b.paced, func() {
		st.Goto(stIdle) // the wake enters it again
	}).ElseIf(here, func() {
		st.Goto(stBegin)
	}).Else(func() {
		st.Goto(stAddress)
	})
}

// done ends the turn with the entry.
func (b *block) done() {
	b.next.Set(b.index.AddK(1))
	b.st.Goto(stEnd)
}
