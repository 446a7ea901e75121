package events

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// judgeState is the step of judging a task or an event that is due.
type judgeState int

const (
	stTake   judgeState = iota // it comes in; the state of its queue is read
	stCount                    // indices are compared
	stDecide                   // what becomes of it
)

func (s judgeState) String() string { return [...]string{"take", "count", "decide"}[s] }

// Kinds of task.
const (
	taskConfig  = 0
	taskUpdate  = 1
	taskWritten = 2
)

// task changes the state of a completion queue.
type task struct {
	Kind      hdl.Bits `w:"2"`
	CQ        hdl.Bits
	Index     hdl.Bits `w:"16"` // consumer of a taskUpdate, producer of a taskWritten
	Arm       hdl.Bits `w:"2"`
	Solicited hdl.Bits `w:"1"`
	Exists    hdl.Bits `w:"1"`
	EQ        hdl.Bits
}

// news is a completion queue or a source of asynchronous events with an event.
type news struct {
	Async  hdl.Bits `w:"1"`
	Source hdl.Bits
}

// patience is log2 of how many tasks may go before an event that is due.
const patience = 2

// judge does one task, or writes one event, at a time.
func (b *block) judge() {
	m := b.m
	tasks, events := b.tasks(), b.news()
	st := hdl.NewFSM(m, "judge", stTake, stCount, stDecide)
	doing := hdl.NewReg(m, "task", hdl.Proto(tasks.Data))
	event := hdl.NewReg(m, "event", hdl.Proto(events.Data))
	isEvent := m.Reg("is_event", 1, 0)
	waited := m.Reg("waited", patience, 0) // tasks that went before an event

	// Who has to be woken again is, before the next one is taken.
	wakes := newWakes(b)
	open := hdl.AndAll(st.Is(stTake), b.swept(), b.io.EQConfig.Valid.Not(), wakes.done)
	first := waited.All().Or(tasks.Valid.Not()) // an event goes first
	events.Ready.Set(open.And(first))
	tasks.Ready.Set(open.And(first.Not().Or(events.Valid.Not())))
	takes := tasks.Fire().Or(events.Fire())
	cq := hdl.Mux(events.Fire(), events.Data.Source.Trunc(b.p.Sizes.CQBits), tasks.Data.CQ)
	q := hdl.Unpack(b.p.queue(), b.queues.Read("queue", cq, takes))
	a := hdl.Unpack(async{}, b.asyncs.Read("async", events.Data.Source, events.Fire()))

	now := b.compare(q, doing)
	at := b.look(hdl.Mux(event.Async, q.EQ.K(0), q.EQ))
	decides := st.Is(stDecide)
	configures := hdl.AndAll(decides, isEvent.Not(), doing.Kind.Is(taskConfig))
	moves := decides.And(hdl.OrAll(configures.Not(), b.arrives.Not()))
	b.forgets.Set(configures.And(moves))
	b.forgot.Set(doing.CQ)
	b.idle.Set(st.Is(stTake))
	st.Switch(
		hdl.On(stTake, func() {
			hdl.Set(doing, tasks.Data)
			hdl.Set(event, events.Data)
			m.If(takes, func() {
				isEvent.Set(events.Fire())
				waited.Set(hdl.Mux(events.Valid.And(tasks.Fire()), waited.AddK(1), waited.K(0)))
				st.Goto(stCount)
			})
		}),
		hdl.On(stCount, func() { st.Goto(stDecide) }),
		hdl.On(stDecide, func() { m.If(moves, func() { st.Goto(stTake) }) }),
	)
	b.decide(moves, isEvent, doing, event, q, a, now, at, wakes)
}

// tasks brings together what changes the state of completion queues.
func (b *block) tasks() hdl.Stream[task] {
	zero := func(n int) hdl.Bits { return hdl.K(n, 0) }
	eq := b.p.Sizes.EQBits
	tasks, from := stream.RoundRobin(b.m, "u_tasks",
		stream.Map(b.io.Config, func(c link.CQConfig) task {
			b.m.Unused(c.LogSize, c.Base)
			return task{Kind: hdl.K(2, taskConfig), CQ: c.CQ, Index: zero(16), Arm: zero(2), Solicited: zero(1), Exists: c.Exists, EQ: c.EQ}
		}),
		stream.Map(b.io.Update, func(u link.CQUpdate) task {
			return task{Kind: hdl.K(2, taskUpdate), CQ: u.CQ, Index: u.Index, Arm: u.Arm, Solicited: zero(1), Exists: zero(1), EQ: zero(eq)}
		}),
		stream.Map(b.io.Written, func(w link.Written) task {
			return task{Kind: hdl.K(2, taskWritten), CQ: w.CQ, Index: w.Producer, Arm: zero(2), Solicited: w.Solicited, Exists: zero(1), EQ: zero(eq)}
		}))
	b.m.Unused(from)
	return tasks
}

// news brings together what has an event.
func (b *block) news() hdl.Stream[news] {
	all, from := stream.RoundRobin(b.m, "u_news",
		stream.Map(b.due.Grant, func(q link.QPRef) news {
			return news{Async: hdl.K(1, 0), Source: q.QP.ZExt(b.p.sourceBits())}
		}),
		stream.Map(b.raised.Grant, func(q link.QPRef) news { return news{Async: hdl.K(1, 1), Source: q.QP} }))
	b.m.Unused(from)
	return all
}

// compared is the state of a completion queue behind a task, with Arm and Due as
// they are if nothing fires.
type compared struct {
	queue
	ahead hdl.Bits // there are CQEs behind the consumer index
}

// compare is what becomes of q with t, compared in registers.
func (b *block) compare(q queue, t task) compared {
	m := b.m
	wrote, consumes := t.Kind.Is(taskWritten), t.Kind.Is(taskUpdate)
	solicits := wrote.And(t.Solicited)
	next := q
	next.Producer = hdl.Mux(wrote, t.Index, q.Producer)
	next.Consumer = hdl.Mux(consumes, t.Index, q.Consumer)
	next.Solicited = hdl.Mux(solicits, t.Index, q.Solicited)
	next.Arm = hdl.Mux(consumes.And(t.Arm.Any()), t.Arm, q.Arm)
	ahead, unseen := m.RegN("ahead", 1), m.RegN("unseen", 1)
	ahead.Set(positive(next.Producer.Sub(next.Consumer)))
	unseen.Set(q.Unseen.Or(solicits).And(positive(next.Solicited.Sub(next.Consumer))))
	next.Unseen = unseen
	return compared{next, ahead}
}

// positive tells whether a difference of indices is more than zero. Rings have 2^15
// entries at most, and software is never further ahead.
func positive(d hdl.Bits) hdl.Bits { return d.SubK(1).MSB().Not() }

// place is where the next event of an event queue goes.
type place struct {
	eq     hdl.Bits
	ring   ring
	index  hdl.Bits
	used   hdl.Bits // events that software has not seen
	failed hdl.Bits
}

// look reads the state of an event queue into registers.
func (b *block) look(eq hdl.Bits) place {
	m := b.m
	at := place{
		eq: m.RegN("place_eq", eq.Width()), ring: hdl.NewReg(m, "place", b.p.ring()),
		index: m.RegN("place_index", 16), used: m.RegN("place_used", 16), failed: m.RegN("place_failed", 1),
	}
	at.eq.Set(eq)
	hdl.Set(at.ring, hdl.Unpack(b.p.ring(), b.rings.At(eq)))
	index := b.producers.At(eq)
	at.index.Set(index)
	at.used.Set(index.Sub(b.consumers.At(eq)))
	at.failed.Set(b.failed.At(eq))
	return at
}

// decide does a task, or sends an event to memory if there is room for it.
func (b *block) decide(moves, isEvent hdl.Bits, t task, e news, q queue, a async, now compared, at place, wakes *wakes) {
	cq := hdl.Mux(isEvent, e.Source.Trunc(b.p.Sizes.CQBits), t.CQ)
	configures := t.Kind.Is(taskConfig)
	waits := hdl.Mux(now.Arm.Is(link.ArmNext), now.ahead, now.Arm.Is(link.ArmSolicited).And(now.Unseen))
	fires := hdl.AndAll(moves, isEvent.Not(), configures.Not(), q.Exists, waits)

	live := hdl.Mux(e.Async, a.Live, q.Exists.And(q.Due))
	gone := at.ring.Exists.Not().Or(at.failed)
	room := hdl.AndAll(hdl.Select(at.ring.LogSize, bitsOf(at.used)...).Not(), b.jobs.In.Ready, b.flights.In.Ready)
	tells := hdl.AndAll(moves, isEvent, live, gone.Not(), room)
	again := hdl.AndAll(moves, isEvent, live, gone.Not(), room.Not())
	wakes.set(fires.Or(again.And(e.Async.Not())), cq, again.And(e.Async), e.Source)
	b.tell(tells, e, a, at)

	next := now.queue
	next.Arm = hdl.Mux(fires, next.Arm.K(link.ArmNone), next.Arm)
	next.Due = q.Due.Or(fires)
	told := q
	told.Due = again
	made := hdl.Unpack(b.p.queue(), hdl.K(hdl.WidthOf(b.p.queue()), 0))
	made.Exists, made.EQ = t.Exists, t.EQ
	value := hdl.Mux(isEvent, hdl.Pack(told), hdl.Mux(configures, hdl.Pack(made), hdl.Pack(next)))

	// After reset no completion queue exists.
	changes := moves.And(isEvent.Not().Or(e.Async.Not()))
	zero := value.K(0)
	n := b.p.Sizes.CQBits
	b.m.If(b.swept().Not(), func() { b.sweep.Set(b.sweep.AddK(1)) })
	b.queues.Write(hdl.Mux(b.swept(), cq, b.sweep.Trunc(n)), changes.Or(b.swept().Not()), hdl.Mux(b.swept(), value, zero))
}

// tell sends an event to memory, and takes its place in the ring.
func (b *block) tell(tells hdl.Bits, e news, a async, at place) {
	code := hdl.Mux(e.Async, a.Code, a.Code.K(0))
	vendor := hdl.Mux(e.Async, a.Vendor, a.Vendor.K(0))
	number := hdl.Mux(e.Async, a.Number, e.Source.Trunc(b.p.Sizes.CQBits).ZExt(24))
	kind := hdl.Mux(e.Async, hdl.K(8, format.EventAsync), hdl.K(8, format.EventCompletion))
	phase := hdl.Select(at.ring.LogSize, bitsOf(at.index)...).Not()
	mask := hdl.Ones(maxLogSize + 1).Shl(at.ring.LogSize).Not()

	b.jobs.In.Valid.Set(tells)
	hdl.Set(b.jobs.In.Data, job{
		At: at.ring.Base.Or(at.index.And(mask).ZExt(at.ring.Base.Width())),
		EQE: hdl.PackLow(format.EQE[hdl.Bits]{
			Kind: kind, Code: code, Vendor: vendor.ZExt(16), Number: number, Low: hdl.K(8, 0), High: hdl.K(63, 0), Phase: phase,
		}),
	})
	b.flights.In.Valid.Set(tells)
	hdl.Set(b.flights.In.Data, flight{EQ: at.eq, Vector: at.ring.Vector})
	b.setEQ(b.producers, at.eq, tells, at.index.AddK(1))
}

// wakes puts completion queues and sources into the queues of those that are due.
type wakes struct {
	b           *block
	due, raised hdl.Bits // one is to be woken,
	cq, source  hdl.Bits // this one
	done        hdl.Bits // none is left
}

func newWakes(b *block) *wakes {
	m := b.m
	w := &wakes{
		b: b, due: m.Reg("wakes_due", 1, 0), raised: m.Reg("wakes_raised", 1, 0),
		cq: m.RegN("wakes_cq", b.p.Sizes.CQBits), source: m.RegN("wakes_source", b.p.sourceBits()),
	}
	offer := func(to hdl.Stream[link.QPRef], owes, qp hdl.Bits) hdl.Bits {
		to.Valid.Set(owes)
		to.Data.QP.Set(qp)
		m.If(owes.And(to.Ready), func() { owes.SetK(0) })
		return owes.Not().Or(to.Ready)
	}
	w.done = offer(b.due.Wakes[0], w.due, w.cq).And(offer(b.raised.Wakes[1], w.raised, w.source))
	return w
}

// set asks for a completion queue, a source or both to be woken.
func (w *wakes) set(due, cq, raised, source hdl.Bits) {
	w.b.m.If(due, func() {
		w.due.SetK(1)
		w.cq.Set(cq)
	})
	w.b.m.If(raised, func() {
		w.raised.SetK(1)
		w.source.Set(source)
	})
}
