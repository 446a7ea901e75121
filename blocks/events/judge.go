package events

import (
	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// judgeState is the step of doing a task, or of telling an event.
type judgeState int

const (
	stTake   judgeState = iota // it comes in; what is known is read
	stCount                    // indices are compared
	stDecide                   // what becomes of it
)

func (s judgeState) String() string { return [...]string{"take", "count", "decide"}[s] }

// due is who has an event to tell: a completion queue, or a source of asynchronous events.
type due struct {
	Async  hdl.Bits `w:"1"`
	Source hdl.Bits // the completion queue in its low bits, or the source
}

// judging is what is being judged, and what is known of it. What is read from
// memories is there from stCount on, what is compared in stDecide.
type judging struct {
	isDue hdl.Bits // an event is to be told; else a task is to be done
	task  task
	due   due

	queue  queue // before the task
	source source
	next   queue    // behind the task, if nothing fires
	ahead  hdl.Bits // there are CQEs behind the consumer index
	place  place
}

// patience is log2 of one more than the tasks that may go before an event that waits.
const patience = 2

// judge does one task, or tells one event, at a time.
func (b *block) judge() {
	m := b.m
	tasks := b.tasks()
	waiting := hdl.Instance(m, "u_due", stream.BlockFIFODef(due{Source: hdl.W(b.p.sourceBits())}, b.p.sources()))
	m.Unused(waiting.Level, waiting.HighWater, waiting.In.Ready)
	m.Assert("room_for_all", waiting.In.Ready.Or(waiting.In.Valid.Not()))
	events := waiting.Out

	st := hdl.NewFSM(m, "judge", stTake, stCount, stDecide)
	doing, telling := hdl.NewReg(m, "task", hdl.Proto(tasks.Data)), hdl.NewReg(m, "event", hdl.Proto(events.Data))
	isDue := m.Reg("is_event", 1, 0)
	waited := m.Reg("waited", patience, 0) // tasks that went before an event

	open := hdl.AndAll(st.Is(stTake), b.swept(), b.io.EQConfig.Valid.Not())
	first := waited.All().Or(tasks.Valid.Not()) // an event goes first
	events.Ready.Set(open.And(first))
	tasks.Ready.Set(open.And(first.Not().Or(events.Valid.Not())))
	takes := tasks.Fire().Or(events.Fire())
	cq := hdl.Mux(events.Fire(), events.Data.Source.Trunc(b.p.Sizes.CQBits), tasks.Data.CQ)
	from := hdl.Mux(events.Fire(), events.Data.Source, tasks.Data.Source)
	q := hdl.Unpack(b.p.queue(), b.queues.Read("queue", cq, takes))

	j := judging{
		isDue: isDue, task: doing, due: telling, queue: q,
		source: hdl.Unpack(source{}, b.sources.Read("source", from, takes)),
	}
	b.compare(&j)
	j.place = b.look(hdl.Mux(telling.Async, q.EQ.K(0), q.EQ))
	b.idle.Set(st.Is(stTake))
	st.Switch(
		hdl.On(stTake, func() {
			hdl.Set(doing, tasks.Data)
			hdl.Set(telling, events.Data)
			m.If(takes, func() {
				isDue.Set(events.Fire())
				waited.Set(hdl.Mux(events.Valid.And(tasks.Fire()), waited.AddK(1), waited.K(0)))
				st.Goto(stCount)
			})
		}),
		hdl.On(stCount, func() { st.Goto(stDecide) }),
		hdl.On(stDecide, func() { st.Goto(stTake) }),
	)
	b.decide(st.Is(stDecide), j, waiting.In)
}

// compare is what a task makes of its completion queue, compared in registers.
func (b *block) compare(j *judging) {
	m, q, t := b.m, j.queue, j.task
	wrote, consumes := t.Kind.Is(taskWritten), t.Kind.Is(taskUpdate)
	solicits := wrote.And(t.Solicited)
	next := q
	next.Producer = hdl.Mux(wrote, t.Index, q.Producer)
	next.Consumer = hdl.Mux(consumes, t.Index, q.Consumer)
	next.Solicited = hdl.Mux(solicits, t.Index, q.Solicited)
	arms := hdl.AndAll(consumes, t.Arm.Any(), q.Arm.IsNot(link.ArmNext)) // which includes the other
	next.Arm = hdl.Mux(arms, t.Arm, q.Arm)
	ahead, unseen := m.RegN("ahead", 1), m.RegN("unseen", 1)
	ahead.Set(behind(next.Producer, next.Consumer))
	unseen.Set(q.Unseen.Or(solicits).And(behind(next.Solicited, next.Consumer)))
	next.Unseen = unseen
	j.next, j.ahead = next, ahead
}

// behind tells whether index a lies behind b: a - b - 1 is not negative. Rings have 2^15
// entries at most, and software is never as far ahead of what we know.
func behind(a, b hdl.Bits) hdl.Bits { return a.Add(b.Not()).MSB().Not() }

// place is where the next event of an event queue goes, in registers.
type place struct {
	eq    hdl.Bits
	ring  ring
	index hdl.Bits
	full  hdl.Bits // of events that software has not seen
	gone  hdl.Bits // nothing can be told to it
}

// look reads the state of an event queue.
func (b *block) look(eq hdl.Bits) place {
	m := b.m
	at := place{
		eq: m.RegN("place_eq", eq.Width()), ring: hdl.NewReg(m, "place", b.p.ring()),
		index: m.RegN("place_index", 16), full: m.RegN("place_full", 1), gone: m.RegN("place_gone", 1),
	}
	r, index := hdl.Unpack(b.p.ring(), b.rings.At(eq)), b.producers.At(eq)
	at.eq.Set(eq)
	hdl.Set(at.ring, r)
	at.index.Set(index)
	at.full.Set(hdl.Select(r.LogSize, bitsOf(index.Sub(b.consumers.At(eq)))...))
	at.gone.Set(r.Exists.Not().Or(b.failed.At(eq)))
	m.Unused(at.ring.Exists)
	return at
}
