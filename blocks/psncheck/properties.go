package psncheck

import (
	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// properties states the contracts of the streams, and follows a queue pair that is
// drawn: no second request of it is with the responder, and no SEND or WRITE while an
// atomic of it has not been executed.
func (b *block) properties() {
	m, io := b.m, b.io
	stream.AssumeSource(m, "header", io.Header)
	stream.AssumeSource(m, "reply", io.Context.Reply)
	stream.AssumeSource(m, "outcome", io.Outcome)
	stream.AssumeSource(m, "control", io.Control)
	stream.AssumeSource(m, "dead", io.Dead)
	stream.AssumeSource(m, "atomic_done", io.AtomicDone)
	stream.AssumeSource(m, "fence", io.Fence)
	stream.AssertSource(m, "ask", io.Context.Request)
	stream.AssertSource(m, "request", io.Request)
	stream.AssertSource(m, "async", io.Async)
	stream.AssertSource(m, "cnp", io.CNP)
	stream.AssertSource(m, "marked", io.Marked)

	one := m.AnyConst("one", b.p.Sizes.QPBits)
	var out, owed, atomic hdl.Bits
	gives := hdl.AndAll(io.Request.Fire(), io.Request.Data.Kind.Is(link.PSNExpected), io.Request.Data.QP.Eq(one))
	m.Ghost(func() {
		out = m.Reg("one_out", 1, 0) // a request of it is with the responder
		m.If(gives, func() { out.SetK(1) })
		heard := io.Outcome.Fire().And(io.Outcome.Data.QP.Eq(one))
		m.If(heard, func() { out.SetK(0) })

		owed = m.Reg("one_atomics", atomicBits, 0) // atomics of it that have not been executed, if accepted
		atomic = m.Reg("one_atomic", 1, 0)         // the one with the responder is one
		begins := gives.And(isAtomic(io.Request.Data.Opcode))
		m.If(gives, func() { atomic.Set(begins) })
		ends := hdl.OrAll(
			hdl.AndAll(heard, atomic, io.Outcome.Data.Advance.None()),
			io.AtomicDone.Fire().And(io.AtomicDone.Data.QP.Eq(one)))
		m.If(begins.Ne(ends), func() { owed.Set(hdl.Mux(begins, owed.AddK(1), owed.SubK(1))) })
	})
	plain := gives.And(isResource(io.Request.Data.Opcode).Not())
	m.Assume("done_of_an_atomic", hdl.OrAll(io.AtomicDone.Valid.Not(), io.AtomicDone.Data.QP.Ne(one), owed.Any()))
	m.Assert("in_order_with_atomics", plain.And(owed.Any()).Not())
	m.Assume("outcomes_answer", out.Or(io.Outcome.Valid.And(io.Outcome.Data.QP.Eq(one)).Not()))
	m.Assert("one_at_a_time", gives.And(out).Not())
	m.Cover("request_waits", hdl.AndAll(b.found.Valid, b.now.known.Not(), b.locks.holds(b.found.Data.QP, hdl.K(1, 1))))
	m.Cover("waits_for_atomic", hdl.AndAll(b.found.Valid, owed.Any(), b.found.Data.QP.Eq(one), b.locks.holds(one, hdl.K(1, 0)), b.locks.holds(one, hdl.K(1, 1)).Not()))
	m.Cover("dead", hdl.AndAll(b.now.fresh, b.now.state.Dead))
}
