package serial

import (
	"gornic/hdl"
	"gornic/hdl/stream"
)

// properties states the contracts of the streams, and that accesses and answers rest on frames.
func (b *bridge) properties() {
	m, io := b.m, b.io
	stream.AssertSource(m, "send", io.Send)
	stream.AssertSource(m, "access", io.Client.Access)
	stream.AssumeSource(m, "reply", io.Client.Reply)
	var owes, ended, answering hdl.Bits
	m.Ghost(func() {
		owes = m.Reg("owes", 1, 0)   // the reply to an access is to come
		ended = m.Reg("ended", 1, 0) // a whole frame has come, to which the answer has not begun
		m.If(io.Client.Reply.Fire(), func() { owes.SetK(0) })
		m.If(io.Client.Access.Fire(), func() { owes.SetK(1) })
		m.If(b.step.Is(starts), func() { ended.SetK(0) })
		m.If(b.ends, func() { ended.SetK(1) })
		answering = m.Reg("answering", 1, 0) // the answer is on its way to the line
		m.If(io.Send.Fire().And(b.step.Is(idle)), func() { answering.SetK(0) })
		m.If(b.step.Is(starts), func() { answering.SetK(1) })
	})
	m.Assume("replies_to_accesses", io.Client.Reply.Valid.Not().Or(owes))
	m.Assert("one_access_at_a_time", io.Client.Access.Valid.Not().Or(owes.Not()))
	m.Assert("access_of_a_whole_frame", io.Client.Access.Valid.Not().Or(ended))
	m.Assert("replies_are_taken", owes.Not().Or(b.step.Is(waits)))
	m.Assert("line_is_quiet_without_answer", io.Send.Valid.Not().Or(answering))
	m.Cover("byte_taken", b.length.Any())
}
