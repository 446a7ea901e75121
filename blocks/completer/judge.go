package completer

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
)

// place is where the PSN of an event stands against an entry.
type place struct {
	before hdl.Bits // of all its PSNs
	last   hdl.Bits // it is its last PSN
	behind hdl.Bits // of all its PSNs
	unsent hdl.Bits // behind everything that was sent
}

// place compares (protocol sections 3.2 and 4.3).
func (b *block) place(o link.Oldest) place {
	p := b.now.PSN
	return place{
		before: p.Sub(o.Entry.PSN).MSB(), last: p.Eq(o.Entry.LastPSN), behind: o.Entry.LastPSN.Sub(p).MSB(), unsent: o.Newest.Sub(p).MSB(),
	}
}

// judge decides what becomes of the oldest entry.
func (b *block) judge() {
	m, o := b.m, b.io.Replay.Oldest.Data
	m.If(b.io.Replay.Oldest.Valid, func() {
		hdl.Set(b.entry, o.Entry)
		b.vendor.Set(o.Entry.Vendor)
		b.more.SetK(1)
		b.fails.SetK(0)
		local := o.Entry.Kind.Is(link.EntryLocal)
		b.first.Set(hdl.AndAll(b.first, local, b.was.Failed.Not()))
		m.If(b.was.Failed.And(o.Any), b.flushes).ElseIf(b.was.Failed, func() {
			b.st.Goto(stIdle)
		}).ElseIf(b.event(eventDead), b.dead).ElseIf(b.was.Dying.Or(o.Any.Not()), func() {
			b.st.Goto(stIdle)
		}).ElseIf(o.Entry.Status.Any(), func() {
			b.fails.SetK(1)
			b.owes.fault.SetK(1)
			b.leaves(o.Entry.Status, hdl.K(1, 1))
		}).ElseIf(local.Or(o.Failed.And(o.Entry.WQEIndex.Eq(o.Cause))), func() {
			// It waits for nothing; or it is part of a WQE that has failed since, and nobody may ever acknowledge it.
			b.succeeds()
		}).Else(b.answered)
	})
}

func (b *block) event(kind uint64) hdl.Bits { return b.now.Kind.Is(kind) }

// dead: where a response told of a failure, the WQE of the oldest entry now completes with it.
// All that is behind is flushed.
func (b *block) dead() {
	b.m.If(b.was.Dying, func() {
		b.fails.SetK(1)
		b.vendor.Set(b.is.Vendor)
		b.leaves(b.is.Status, hdl.K(1, 1)) // qpcontext has heard of it
	}).Else(func() {
		b.st.Goto(stFail)
	})
}

// answered is for an entry that waits for a response: whether this one is it.
func (b *block) answered() {
	m, o := b.m, b.io.Replay.Oldest.Data
	at := b.place(o)
	isRead := o.Entry.Kind.IsNot(link.EntryRequest)
	ends := hdl.Mux(isRead, b.event(eventDone), b.event(eventACK)).And(at.last)
	m.If(hdl.OrAll(b.event(eventSweep), at.unsent, at.before), func() {
		b.st.Goto(stIdle)
	}).ElseIf(at.behind.And(isRead.Not()), b.succeeds).ElseIf(at.behind, func() {
		b.st.Goto(stIdle) // a READ or atomic completes with its own response only, and so does what is behind it
	}).ElseIf(b.event(eventFatal).Or(b.event(eventStray).And(isRead.Not())), func() {
		b.owes.fault.SetK(1)
		b.vendor.Set(b.now.Vendor)
		b.st.Goto(stDie)
	}).ElseIf(ends, func() {
		// What is behind is not answered, but may need no response.
		b.more.Set(o.Failed.Or(o.Local))
		b.now.Kind.Set(kind(eventSweep))
		b.succeeds()
	}).Else(func() {
		b.st.Goto(stIdle)
	})
}

// leaves lets the oldest entry go, with the status of its WQE, which completes or not.
func (b *block) leaves(status, completes hdl.Bits) {
	b.status.Set(status)
	b.owes.pop.SetK(1)
	b.owes.completion.Set(completes)
	b.st.Goto(stAct)
}

// succeeds lets the oldest entry go, as done.
func (b *block) succeeds() {
	e := b.io.Replay.Oldest.Data.Entry
	b.leaves(code(format.StatusSuccess), e.Last.And(e.Signaled))
}

// flushes lets the oldest entry go, whose WQE completes as flushed, unless it has its CQE.
func (b *block) flushes() {
	e := b.io.Replay.Oldest.Data.Entry
	had := b.was.Ended.And(e.WQEIndex.Eq(b.was.Index))
	b.vendor.Set(vendor(format.VendorNone)) // whatever it would have failed with
	b.leaves(code(format.StatusFlush), e.Last.And(had.Not()))
}
