package events

import (
	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Kinds of task.
const (
	taskConfig  = 0
	taskUpdate  = 1
	taskWritten = 2
	taskAsync   = 3
)

// task changes the state of a completion queue or of a source of asynchronous events.
type task struct {
	Kind      hdl.Bits `w:"2"`
	CQ        hdl.Bits
	Index     hdl.Bits `w:"16"` // consumer of a taskUpdate, producer of a taskWritten
	Arm       hdl.Bits `w:"2"`
	Solicited hdl.Bits `w:"1"`
	Exists    hdl.Bits `w:"1"`
	EQ        hdl.Bits
	Source    hdl.Bits // of a taskAsync; of a taskConfig the one that is forgotten
	Event     link.Async
}

// tasks brings together what there is to do.
func (b *block) tasks() hdl.Stream[task] {
	none := hdl.Unpack(task{
		CQ: hdl.W(b.p.Sizes.CQBits), EQ: hdl.W(b.p.Sizes.EQBits), Source: hdl.W(b.p.sourceBits()),
	}, hdl.K(b.p.taskBits(), 0))
	of := func(kind uint64, fill func(*task)) task {
		t := none
		t.Kind = hdl.K(2, kind)
		fill(&t)
		return t
	}
	tasks, from := stream.RoundRobin(b.m, "u_tasks",
		stream.Map(b.io.Config, func(c link.CQConfig) task {
			b.m.Unused(c.Keep, c.LogSize, c.Base) // nobody sends one to keep here
			return of(taskConfig, func(t *task) { t.CQ, t.Exists, t.EQ, t.Source = c.CQ, c.Exists, c.EQ, b.ofCQ(c.CQ) })
		}),
		stream.Map(b.io.Update, func(u link.CQUpdate) task {
			return of(taskUpdate, func(t *task) { t.CQ, t.Index, t.Arm = u.CQ, u.Index, u.Arm })
		}),
		stream.Map(b.io.Written, func(w link.Written) task {
			return of(taskWritten, func(t *task) { t.CQ, t.Index, t.Solicited = w.CQ, w.Producer, w.Solicited })
		}),
		stream.Map(b.raised(), func(s sourced) task {
			return of(taskAsync, func(t *task) { t.Source, t.Event = s.Source, s.Event })
		}))
	b.m.Unused(from)
	return tasks
}

// taskBits is the width of a task.
func (p Params) taskBits() int {
	return hdl.WidthOf(task{CQ: hdl.W(p.Sizes.CQBits), EQ: hdl.W(p.Sizes.EQBits), Source: hdl.W(p.sourceBits())})
}
