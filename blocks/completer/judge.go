package completer

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
)

// place is where the PSN of an event stands against an entry.
type place struct {
	owed   hdl.Bits // the first PSN of it that is owed (24 bits)
	before hdl.Bits // of all its PSNs that are owed
	first  hdl.Bits // it is the first of these
	last   hdl.Bits // it is its last PSN
	behind hdl.Bits // of all its PSNs
	unsent hdl.Bits // behind everything that was sent
}

// place compares (protocol sections 3.2 and 4.3).
func (b *block) place(o link.Oldest) place {
	p, part, d := b.now.PSN, b.was.Part, b.due
	refuses := b.event(eventFatal) // a READ at any of its PSNs, also where data has come (protocol section 10, row 12)
	return place{
		owed:   hdl.Mux(part, b.was.Due, o.Entry.PSN),
		before: hdl.Mux(part.And(refuses.Not()), d.before, p.Sub(o.Entry.PSN).MSB()), first: hdl.Mux(part, d.first, p.Eq(o.Entry.PSN)),
		last: p.Eq(o.Entry.LastPSN), behind: o.Entry.LastPSN.Sub(p).MSB(), unsent: o.Newest.Sub(p).MSB(),
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
		b.part.Set(b.was.Part)
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
			b.left.SetK(1)
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
	fails := hdl.OrAll(b.event(eventFatal), b.event(eventStray).And(isRead.Not()), b.event(eventFailure).And(at.first))
	b.heard.Owed.Set(at.owed)
	b.heard.After.Set(hdl.Mux(isRead.And(b.event(eventData)), b.now.PSN, o.Entry.LastPSN).AddK(1))
	m.If(hdl.OrAll(b.event(eventSweep), at.unsent, at.before), b.nothing).ElseIf(b.event(eventFailure).And(at.first.Not()), func() {
		b.nothing() // it came too late
	}).ElseIf(at.behind.And(isRead.Not()), b.acknowledged).ElseIf(at.behind, func() {
		// A READ or atomic completes with its own response only, and so does what is behind it.
		b.restarts(hdl.Mux(b.event(eventGap), hdl.K(2, link.CauseGap), hdl.K(2, link.CauseImplied)))
	}).ElseIf(fails, func() {
		b.owes.fault.SetK(1)
		b.vendor.Set(b.now.Vendor)
		b.st.Goto(stDie)
	}).ElseIf(ends, func() {
		// What is behind is not answered, but may need no response.
		b.more.Set(o.Failed.Or(o.Local))
		b.now.Kind.Set(kind(eventSweep))
		b.acknowledged()
	}).Else(func() { b.within(at, isRead) })
}

// within is for a response at a PSN of the entry that neither ends nor fails it.
func (b *block) within(at place, isRead hdl.Bits) {
	m := b.m
	cause := func(c uint64) hdl.Bits { return hdl.K(2, c) }
	refuses := b.event(eventSequence).Or(b.event(eventRNR))
	skips := hdl.AndAll(isRead, refuses, at.first.Not()) // what it refuses is behind data that is owed
	m.If(isRead.And(b.event(eventData)), func() {
		b.part.SetK(1)
		b.tells(link.HeardProgress)
	}).ElseIf(isRead.And(b.event(eventGap)), func() {
		b.restarts(cause(link.CauseGap))
	}).ElseIf(isRead.And(b.event(eventACK)).Or(skips), func() {
		b.restarts(cause(link.CauseImplied))
	}).ElseIf(b.event(eventSequence), func() {
		b.restarts(cause(link.CauseSequence))
	}).ElseIf(b.event(eventRNR), func() {
		b.tells(link.HeardRNR)
	}).Else(b.nothing)
}

// nothing ends the event. If entries that are no packets have left, the one that is now the oldest may have no timer.
func (b *block) nothing() {
	b.st.Goto(stIdle)
	b.m.If(b.left, func() { b.tells(link.HeardLocal) })
}

// restarts tells that the oldest entry is to be sent again.
func (b *block) restarts(cause hdl.Bits) {
	b.heard.Cause.Set(cause)
	b.tells(link.HeardRestart)
}

// tells tells the retry engine something about the entry, which stays.
func (b *block) tells(kind uint64) {
	b.heard.Kind.Set(hdl.K(2, kind))
	b.owes.heard.SetK(1)
	b.more.SetK(0)
	b.st.Goto(stAct)
}

// acknowledged lets the oldest entry go, as done: its peer has answered it.
func (b *block) acknowledged() {
	b.heard.Kind.Set(hdl.K(2, link.HeardProgress))
	b.owes.heard.SetK(1)
	b.left.SetK(0)
	b.succeeds()
}

// leaves lets the oldest entry go, with the status of its WQE, which completes or not.
func (b *block) leaves(status, completes hdl.Bits) {
	b.status.Set(status)
	b.part.SetK(0)
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
