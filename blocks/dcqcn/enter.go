package dcqcn

import (
	"gornic/blocks/link"
	"gornic/blocks/scheduler"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// enter queues those that have a CNP, and the one that begins anew: in the same queue, so that no CNP of what it was is
// behind that. Other kinds of Control mean nothing here.
func (b *block) enter() {
	m, in := b.m, b.io.Control
	clears := in.Valid.And(in.Data.Kind.Is(link.ControlClear))
	control := hdl.NewStream(m, "control_turn", b.p.Sizes.QPRef())
	entered := m.Reg("control_entered", 1, 0)
	control.Valid.Set(clears.And(entered.Not()))
	control.Data.QP.Set(in.Data.QP)
	m.Unused(in.Data.PSN)

	turns, from := stream.RoundRobin(m, "u_turns", b.io.CNP, control)
	m.Unused(from)
	queue := hdl.Instance(m, "u_queue", scheduler.Def(scheduler.Params{Sizes: link.Sizes{QPBits: b.p.Sizes.QPBits}, Wakes: 1}))
	hdl.Connect(queue.Wakes[0], stream.Slice(m, "u_turn", turns))
	b.turn = queue.Grant
	b.begins = entered
	in.Ready.Set(b.begun.Or(clears.Not()))
	m.If(control.Fire(), func() { entered.SetK(1) })
	m.If(b.begun, func() { entered.SetK(0) })
}
