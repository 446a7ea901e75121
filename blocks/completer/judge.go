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

// standings are what an oldest entry is, whatever the event's PSN is: one at most.
type standings struct {
	flushed hdl.Bits // its queue pair has failed
	caused  hdl.Bits // its queue pair is dead, for a failure of it that was heard
	failed  hdl.Bits // it was not sent
	free    hdl.Bits // it waits for nothing; or it is part of a WQE that has failed since, and nobody may ever acknowledge it
	waits   hdl.Bits // it waits for a response
}

// standing says what the oldest entry is.
func (b *block) standing() standings {
	o := b.io.Replay.Oldest.Data
	lives := b.was.Failed.Not().And(b.event(eventDead).Not())
	open, sent := hdl.AndAll(lives, b.was.Dying.Not(), o.Any), o.Entry.Status.None()
	free := o.Entry.Kind.Is(link.EntryLocal).Or(o.Failed.And(o.Entry.WQEIndex.Eq(o.Cause)))
	return standings{
		flushed: b.was.Failed.And(o.Any), caused: hdl.AndAll(b.was.Failed.Not(), b.event(eventDead), b.was.Dying),
		failed: open.And(sent.Not()), free: hdl.AndAll(open, sent, free), waits: hdl.AndAll(open, sent, free.Not()),
	}
}

func (b *block) event(kind uint64) hdl.Bits { return b.now.Kind.Is(kind) }

// answers are what a response says of an entry that waits: one at most.
type answers struct {
	done     hdl.Bits // it is answered,
	ends     hdl.Bits // and nothing behind it
	fails    hdl.Bits
	progress hdl.Bits // data of it has come
	restarts hdl.Bits // it is to be sent again,
	sequence hdl.Bits // as it did not come: else as an answer to it did not
	notReady hdl.Bits
}

// answer compares the event with an entry that waits (protocol section 4.4). A READ or atomic completes with its own
// response only, and so does what is behind it.
func (b *block) answer(at place) answers {
	o := b.io.Replay.Oldest.Data
	is, no := b.event, hdl.Bits.Not
	isRead := o.Entry.Kind.IsNot(link.EntryRequest)
	live := hdl.AndAll(no(is(eventSweep)), no(at.unsent), no(at.before))
	response, within := live.And(no(is(eventFailure))), live.And(no(at.behind))
	owed := within.And(at.first.Or(no(isRead))) // no data before it is missing
	ends := hdl.AndAll(live, at.last, hdl.Mux(isRead, is(eventDone), is(eventACK)))
	lost := hdl.OrAll(at.behind, is(eventACK), is(eventGap), no(at.first).And(is(eventSequence).Or(is(eventRNR))))
	return answers{
		done: hdl.AndAll(response, at.behind, no(isRead)).Or(ends), ends: ends,
		fails:    hdl.OrAll(within.And(is(eventFatal).Or(is(eventStray).And(no(isRead)))), hdl.AndAll(live, is(eventFailure), at.first)),
		progress: hdl.AndAll(within, isRead, is(eventData)),
		restarts: hdl.AndAll(response, isRead, lost).Or(within.And(is(eventSequence))),
		sequence: owed.And(is(eventSequence)), notReady: owed.And(is(eventRNR)),
	}
}

// judge decides what becomes of the oldest entry.
func (b *block) judge() {
	m, o := b.m, b.io.Replay.Oldest.Data
	at := b.place(o)
	is, a := b.standing(), b.answer(at)
	when := func(x hdl.Bits) hdl.Bits { return is.waits.And(x) }
	answered, dies := when(a.done), when(a.fails)
	pops := hdl.OrAll(is.flushed, is.caused, is.failed, is.free, answered)
	// If entries that are no packets have left, there may be no timer for the one that is now the oldest.
	tells := when(hdl.OrAll(a.progress, a.restarts, a.notReady, b.left.And(hdl.OrAll(a.done, a.fails).Not())))
	m.If(b.io.Replay.Oldest.Valid, func() {
		hdl.Set(b.entry, o.Entry)
		b.st.Goto(stAct) // which is over at once where there is nothing to be done
		m.If(dies, func() { b.st.Goto(stDie) })
		m.If(hdl.AndAll(b.was.Failed.Not(), b.event(eventDead), b.was.Dying.Not()), func() { b.st.Goto(stFail) })
		b.first.Set(hdl.AndAll(b.first, o.Entry.Kind.Is(link.EntryLocal), b.was.Failed.Not()))

		b.leaves(is, answered, pops)
		b.owes.fault.Set(is.failed.Or(dies)) // of what is caused, qpcontext has heard
		b.owes.heard.Set(answered.Or(tells))
		b.fails.Set(is.caused.Or(is.failed))
		// What is behind an entry that ends an event is not answered, but may need no response.
		b.more.Set(pops.And(when(a.ends).And(o.Failed.Or(o.Local).Not()).Not()))
		m.If(when(a.ends), func() { b.now.Kind.Set(kind(eventSweep)) })
		b.left.Set(b.left.Or(is.free).And(answered.Not()))
		b.hears(at, a)
		b.part.Set(pops.Not().And(b.was.Part.Or(when(a.progress))))
	})
}

// leaves lets the oldest entry go, and says how its WQE completes, if it does.
func (b *block) leaves(is standings, answered, pops hdl.Bits) {
	e := b.io.Replay.Oldest.Data.Entry
	had := b.was.Ended.And(e.WQEIndex.Eq(b.was.Index)) // it has its CQE
	success := hdl.AndAll(is.free.Or(answered), e.Last, e.Signaled)
	b.owes.pop.Set(pops)
	b.owes.completion.Set(hdl.OrAll(is.caused, is.failed, success, hdl.AndAll(is.flushed, e.Last, had.Not())))
	b.status.Set(hdl.Mux(is.flushed, code(format.StatusFlush), hdl.Mux(is.caused, b.is.Status, e.Status)))
	b.vendor.Set(hdl.Mux(is.flushed, vendor(format.VendorNone), hdl.Mux(is.caused, b.is.Vendor, e.Vendor)))
}

// hears says what the retry engine is told, if it is.
func (b *block) hears(at place, a answers) {
	e := b.io.Replay.Oldest.Data.Entry
	isRead := e.Kind.IsNot(link.EntryRequest)
	progress := hdl.OrAll(a.done, a.progress)
	cause := func(c uint64) hdl.Bits { return hdl.K(2, c) }
	// Progress 0, local 1, restart 2, not ready 3: the bits of Kind apart.
	b.heard.Kind.Set(hdl.Cat(a.restarts.Or(a.notReady), progress.Or(a.restarts).Not()))
	b.heard.Cause.Set(hdl.Mux(b.event(eventGap), cause(link.CauseGap), hdl.Mux(a.sequence, cause(link.CauseSequence), cause(link.CauseImplied))))
	b.heard.Owed.Set(at.owed)
	b.heard.After.Set(hdl.Mux(isRead.And(b.event(eventData)), b.now.PSN, e.LastPSN).AddK(1))
}
