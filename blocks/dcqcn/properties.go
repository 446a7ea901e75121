package dcqcn

import (
	"gornic/hdl/stream"
)

// properties follows one queue pair through the wheel: it stands there at most once, and who is woken stood there. Nobody is
// woken before his time.
func (b *block) properties() {
	m, io := b.m, b.io
	stream.AssumeSource(m, "sent", io.Sent)
	stream.AssumeSource(m, "cnp", io.CNP)
	stream.AssumeSource(m, "control", io.Control)
	stream.AssertSource(m, "wake", io.Wake)

	one := m.AnyConst("one", b.p.Sizes.QPBits)
	m.Ghost(func() {
		inside := m.Reg("one_inside", 1, 0)
		enters := b.follow.enters.And(b.follow.qp.Eq(one))
		leaves := b.follow.wakes.And(b.follow.qp.Eq(one))
		m.If(enters, func() { inside.SetK(1) })
		m.If(leaves, func() { inside.SetK(0) })
		m.Assert("stands_once", enters.And(inside).Not())
		m.Assert("woken_stood", leaves.Not().Or(inside))
		m.Cover("woken", leaves)

		time := m.Reg("judged_time", b.p.timeBits(), 0) // of the one that has been looked at
		m.If(b.follow.judges, func() { time.Set(b.duesTime) })
		m.Assert("woken_in_time", b.follow.wakes.Not().Or(b.now.Sub(time).MSB().Not()))
	})
	m.Cover("cut", io.Cut)
	m.Cover("slowed_down_packet", b.priced.Fire())
}
