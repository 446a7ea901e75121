package requester

import "gornic/hdl"

// turnOfMark returns one bit, a register: a mark is to be given, and no turn begins before it has been. Before each one a turn
// begins, if one is due, so that neither keeps the other from coming.
func (b *block) turnOfMark() hdl.Bits {
	m, mark, grant := b.m, b.io.Mark, b.io.Grant
	due := m.Reg("mark_due", 1, 0)
	m.If(mark.Fire(), func() { due.SetK(0) }).
		ElseIf(mark.Valid.And(grant.Fire().Or(grant.Valid.Not())), func() { due.SetK(1) })
	return due
}

// mark gives a mark where no turn is under way. So every turn that began before it has given its job, and those behind it find
// what is held by then. It returns one bit: a mark is offered. One that is stays, though a fence comes.
func (s *sender) mark(between hdl.Bits) hdl.Bits {
	m, io := s.m, s.io
	stays := m.Reg("mark_stays", 1, 0)
	fence := io.Fence.Valid.And(s.keyHeld.Not())
	offered := hdl.AndAll(s.marks, between, stays.Or(fence.Not()))
	stays.Set(offered.And(io.Job.Ready.Not()))
	io.Mark.Ready.Set(offered.And(io.Job.Ready))
	m.Event("mark", io.Mark.Fire(), hdl.Field("qp", io.Mark.Data.QP))
	return offered
}
