package retry

import (
	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Proofs lists a small instance, in which ticks come as often as they can. How far timers go is left to simulation.
func Proofs() []hdl.Proof {
	p := hdl.BoundedProofOf(Def(Params{Sizes: link.Sizes{QPBits: 1}, Tick: 2, Slots: 4}), 26, hdl.ABC)
	p.NoCovers = true
	return []hdl.Proof{p.Breaks(
		hdl.StuckAt1("pays").As("who owes nothing pays"),
		hdl.StuckAt1("mark_owed").As("a mark is given again and again"),
		hdl.StuckAt0("to_deadline", 1).As("a deadline is too early"),
		hdl.StuckAt0("to_queued").As("a queue pair stands in the queue twice"),
	)}
}

// properties states the contracts of the streams, and follows a queue pair that the solver chooses.
func (b *block) properties() {
	m, io := b.m, b.io
	stream.AssumeSource(m, "heard", io.Heard)
	stream.AssumeSource(m, "started", io.Started)
	stream.AssumeSource(m, "marked", io.Marked)
	stream.AssumeSource(m, "resent", io.Resent)
	stream.AssumeSource(m, "resend_fault", io.ResendFault)
	stream.AssumeSource(m, "control", io.Control)
	stream.AssertSource(m, "mark", io.Mark)
	stream.AssertSource(m, "resend", io.Resend)
	stream.AssertSource(m, "failure", io.Failure)
	stream.AssertSource(m, "wake", io.Wake)
	m.Assert("room_for_all", b.enters.Valid.Not().Or(b.enters.Ready))
	m.Assert("payer_stands_in_the_queue", b.queue.Ready.Not().Or(b.queue.Valid))

	one := m.AnyConst("one", b.p.Sizes.QPBits)
	b.follow(one)
	b.followMark(one)
	m.Cover("timeout", io.Timeout)
	m.Cover("wait_ends", b.st.Is(stDecide).And(b.now.What.Is(opVisit)).And(b.in(phaseWaiting)).And(b.expired()))
	m.Cover("changes_slots", b.st.Is(stUnlink))
	m.Cover("lags", b.wheel.behind.All())
}

// follow says that a queue pair is held as its phase says, that who is visited stands in the present slot, and
// that no ACK timer is early.
func (b *block) follow(one hdl.Bits) {
	m, w := b.m, b.wheel
	var now, first state
	var since, ticks hdl.Bits
	m.Ghost(func() {
		now = hdl.Unpack(b.to, b.states.At(one))
		first = hdl.Unpack(b.to, b.states.At(w.first.QP))
		since = m.RegN("one_since", tickBits) // when its timer began last
		ends := b.now.What.Is(opResent).And(b.answered())
		arms := hdl.OrAll(b.now.What.Is(opProgress), b.now.What.Is(opLocal), b.now.What.Is(opTimers), ends)
		m.If(hdl.AndAll(b.st.Is(stDecide), b.now.QP.Eq(one), arms), func() { since.Set(b.tick) })
		ticks = hdl.K(tickBits, 1).Shl(b.to.Timers.Timeout)
	})
	swept := b.st.Is(stSweep).Not()
	m.Assert("held_as_the_phase_says", swept.Not().Or(b.held.At(one).Eq(held(now.Phase))))
	m.Assert("no_other_phase", swept.Not().Or(now.Phase.LeK(phaseDead)))
	m.Assert("first_stands_in_the_present_slot", w.first.Any.Not().Or(first.Listed.And(first.Slot.Eq(w.slot))))
	m.Assert("never_early", hdl.AndAll(b.io.Timeout, b.now.QP.Eq(one)).Not().Or(b.tick.Sub(since).Gt(ticks)))
}

// followMark says that a mark is given to a queue pair when the one before is back, and that packets are sent again
// only then.
func (b *block) followMark(one hdl.Bits) {
	m, io := b.m, b.io
	var out hdl.Bits
	m.Ghost(func() {
		out = m.Reg("one_marked", 1, 0)
		m.If(io.Marked.Fire().And(io.Marked.Data.QP.Eq(one)), func() { out.SetK(0) })
		m.If(io.Mark.Fire().And(io.Mark.Data.QP.Eq(one)), func() { out.SetK(1) })
	})
	m.Assume("mark_comes_back_once", io.Marked.Valid.And(io.Marked.Data.QP.Eq(one)).Not().Or(out))
	m.Assert("one_mark_at_a_time", io.Mark.Valid.And(io.Mark.Data.QP.Eq(one)).Not().Or(out.Not()))
	sends := hdl.AndAll(io.Resend.Valid, io.Resend.Data.QP.Eq(one), io.Resend.Data.Stop.Not())
	m.Assert("sends_when_marked", sends.Not().Or(out.Not()))
}
