package events

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
)

// decide does a task, or sends an event to memory if there is room for it. Who has
// an event to tell goes to waiting, unless it is there.
func (b *block) decide(decides hdl.Bits, j judging, waiting hdl.Stream[due]) {
	does, is := decides.And(j.isDue.Not()), func(kind uint64) hdl.Bits { return j.task.Kind.Is(kind) }
	configures, raises := does.And(is(taskConfig)), does.And(is(taskAsync))
	waits := hdl.Mux(j.next.Arm.Is(link.ArmNext), j.ahead, j.next.Arm.Is(link.ArmSolicited).And(j.next.Unseen))
	fires := hdl.AndAll(does, is(taskConfig).Not(), is(taskAsync).Not(), j.queue.Exists, waits)

	live := hdl.Mux(j.due.Async, j.source.Live, j.queue.Due)
	room := hdl.AndAll(j.place.full.Not(), b.jobs.In.Ready, b.flights.In.Ready)
	tells := hdl.AndAll(decides, j.isDue, live, j.place.gone.Not(), room)
	again := hdl.AndAll(decides, j.isDue, live, j.place.gone.Not(), room.Not())
	b.tell(tells, j)
	b.m.Event("armed", hdl.AndAll(does, is(taskUpdate), j.task.Arm.Any()), hdl.Field("cq", j.task.CQ), hdl.Field("arm", j.task.Arm))
	b.m.Event("told", tells, hdl.Field("async", j.due.Async), hdl.Field("source", j.due.Source))

	enters := hdl.OrAll(fires.And(j.queue.Queued.Not()), raises.And(j.source.Queued.Not()), again)
	waiting.Valid.Set(enters)
	hdl.Set(waiting.Data, hdl.MuxOf(j.isDue, j.due, due{
		Async: is(taskAsync), Source: hdl.Mux(is(taskAsync), j.task.Source, j.task.CQ.ZExt(b.p.sourceBits())),
	}))
	b.keepQueue(decides, j, fires, again)
	b.keepSource(decides.And(hdl.OrAll(configures, raises, j.isDue.And(j.due.Async))), j, again)
}

// keepQueue writes the state of a completion queue. After reset none exists.
func (b *block) keepQueue(decides hdl.Bits, j judging, fires, again hdl.Bits) {
	next := j.next
	next.Arm = hdl.Mux(fires, next.Arm.K(link.ArmNone), next.Arm)
	next.Due = j.queue.Due.Or(fires)
	next.Queued = j.queue.Queued.Or(fires)
	told := j.queue
	told.Due, told.Queued = again, again
	none := hdl.Unpack(b.p.queue(), hdl.K(hdl.WidthOf(b.p.queue()), 0))
	made := none
	made.Exists, made.EQ, made.Queued = j.task.Exists, j.task.EQ, j.queue.Queued

	cq := hdl.Mux(j.isDue, j.due.Source.Trunc(b.p.Sizes.CQBits), j.task.CQ)
	changes := decides.And(hdl.Mux(j.isDue, j.due.Async, j.task.Kind.Is(taskAsync)).Not())
	value := hdl.MuxOf(j.isDue, told, hdl.MuxOf(j.task.Kind.Is(taskConfig), made, next))
	b.queues.Write(
		hdl.Mux(b.swept(), cq, b.sweep.Trunc(b.p.Sizes.CQBits)), changes.Or(b.swept().Not()), hdl.Pack(hdl.MuxOf(b.swept(), value, none)))
}

// keepSource writes the state of a source: the newest event, or that it is forgotten.
func (b *block) keepSource(changes hdl.Bits, j judging, again hdl.Bits) {
	e := j.task.Event
	raised := source{Live: hdl.K(1, 1), Queued: hdl.K(1, 1), Code: e.Code, Vendor: e.Vendor, Number: e.Number}
	forgot := j.source
	forgot.Live = hdl.K(1, 0)
	told := j.source
	told.Live, told.Queued = again, again
	none := hdl.Unpack(source{}, hdl.K(hdl.WidthOf(source{}), 0))

	from := hdl.Mux(j.isDue, j.due.Source, j.task.Source)
	value := hdl.MuxOf(j.isDue, told, hdl.MuxOf(j.task.Kind.Is(taskConfig), forgot, raised))
	b.sources.Write(
		hdl.Mux(b.swept(), from, b.sweep.Trunc(b.p.sourceBits())), changes.Or(b.swept().Not()), hdl.Pack(hdl.MuxOf(b.swept(), value, none)))
}

// tell sends an event to memory, and takes its place in the ring.
func (b *block) tell(tells hdl.Bits, j judging) {
	at, a := j.place, j.source
	event := format.EQE[hdl.Bits]{
		Kind: hdl.K(8, format.EventCompletion), Code: hdl.K(8, 0), Vendor: hdl.K(16, 0),
		Number: j.due.Source.Trunc(b.p.Sizes.CQBits).ZExt(24), Low: hdl.K(8, 0), High: hdl.K(63, 0),
		Phase: hdl.Select(at.ring.LogSize, bitsOf(at.index)...).Not(),
	}
	async := event
	async.Kind, async.Code, async.Vendor, async.Number = hdl.K(8, format.EventAsync), a.Code, a.Vendor.ZExt(16), a.Number
	mask := hdl.Ones(maxLogSize + 1).Shl(at.ring.LogSize).Not()

	b.jobs.In.Valid.Set(tells)
	hdl.Set(b.jobs.In.Data, job{
		At:  at.ring.Base.Or(at.index.And(mask).ZExt(at.ring.Base.Width())),
		EQE: hdl.PackLow(hdl.MuxOf(j.due.Async, async, event)),
	})
	b.flights.In.Valid.Set(tells)
	hdl.Set(b.flights.In.Data, flight{EQ: at.eq, Vector: at.ring.Vector})
	b.setEQ(b.producers, at.eq, tells, at.index.AddK(1))
}
