package psncheck

import (
	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// properties states the contracts of the streams, and follows a queue pair that is
// drawn: no second request of it is with the responder.
func (b *block) properties() {
	m, io := b.m, b.io
	stream.AssumeSource(m, "header", io.Header)
	stream.AssumeSource(m, "reply", io.Context.Reply)
	stream.AssumeSource(m, "outcome", io.Outcome)
	stream.AssumeSource(m, "control", io.Control)
	stream.AssumeSource(m, "fence", io.Fence)
	stream.AssertSource(m, "ask", io.Context.Request)
	stream.AssertSource(m, "request", io.Request)
	stream.AssertSource(m, "response", io.Response)
	stream.AssertSource(m, "async", io.Async)

	one := m.AnyConst("one", b.p.Sizes.QPBits)
	var out hdl.Bits
	gives := hdl.AndAll(io.Request.Fire(), io.Request.Data.Kind.Is(link.PSNExpected), io.Request.Data.QP.Eq(one))
	m.Ghost(func() {
		out = m.Reg("one_out", 1, 0) // a request of it is with the responder
		m.If(gives, func() { out.SetK(1) })
		m.If(io.Outcome.Fire().And(io.Outcome.Data.QP.Eq(one)), func() { out.SetK(0) })
	})
	m.Assume("outcomes_answer", out.Or(io.Outcome.Valid.And(io.Outcome.Data.QP.Eq(one)).Not()))
	m.Assert("one_at_a_time", gives.And(out).Not())
	m.Cover("request_waits", hdl.AndAll(b.found.Valid, b.now.known.Not(), b.locks.held(b.found.Data.QP)))
	m.Cover("dead", hdl.AndAll(b.now.fresh, b.now.state.Dead))
}
