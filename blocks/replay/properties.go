package replay

import (
	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Proofs lists a small instance, for as many cycles as fill and drain its rings: that the queue of Started has room follows from what
// stands in it, which its own proof does not say.
func Proofs() []hdl.Proof {
	p := Params{Sizes: link.Sizes{QPBits: 1, ReplayBits: 1}}
	return []hdl.Proof{hdl.BoundedProofOf(Def(p), 10, hdl.Z3).Breaks(
		hdl.StuckAt1("retired_ready").As("removed before its taker has it"),
		hdl.StuckAt1("user_recorded_ready").As("the completer does not hear of an entry"),
		hdl.StuckAt0("user_request_op", 1).As("rings are not cleared"),
		hdl.StuckAt1("started_ready").As("a packet waits before it is told of"),
	)}
}

// properties states the contracts of the streams, and follows a ring that the
// solver chooses.
func (b *block) properties() {
	m, io := b.m, b.io
	stream.AssumeSource(m, "record", io.Record)
	stream.AssumeSource(m, "request", io.User.Request)
	stream.AssertSource(m, "answer", io.User.Oldest)
	stream.AssertSource(m, "recorded", io.User.Recorded)
	stream.AssertSource(m, "gone", io.Retired)
	stream.AssumeSource(m, "reader_asks", io.Reader.Request)
	stream.AssertSource(m, "reader_told", io.Reader.Reply)
	stream.AssertSource(m, "started", io.Started)
	b.assumeUse()

	one := m.AnyConst("one", b.p.Sizes.QPBits)
	var made, held, inside, asked hdl.Bits
	m.Ghost(func() {
		made = m.Reg("one_made", 1, 0)
		held = m.Reg("one_held", indexBits, 0)
		m.If(io.Record.Fire().And(io.Record.Data.QP.Eq(one)), func() { held.Set(held.AddK(1)) })
		m.If(io.Retired.Fire().And(io.Retired.Data.QP.Eq(one)), func() { held.Set(held.SubK(1)) })
		m.If(hdl.AndAll(io.Record.Fire(), io.Retired.Fire(), io.Record.Data.QP.Eq(one), io.Retired.Data.QP.Eq(one)), func() { held.Set(held) })
		m.If(b.clears.And(io.User.Request.Data.QP.Eq(one)), func() {
			made.SetK(1)
			held.SetK(0)
		})
		inside = b.tails.At(one).Sub(b.heads.At(one))
		asked = m.Reg("one_asked", 1, 0) // the last question was about this ring
		m.If(io.User.Request.Fire().And(b.asks(link.ReplayPeek)), func() { asked.Set(io.User.Request.Data.QP.Eq(one)) })
	})
	m.Assert("ring_holds_what_came", made.Not().Or(inside.Eq(held)))
	b.startProperties(one, made)
	m.Cover("told", io.User.Recorded.Fire())
	m.Cover("asked_of_one", asked.And(io.User.Oldest.Fire()).And(io.User.Oldest.Data.Any))
	m.Cover("read_removed", io.Retired.Fire().And(io.Retired.Data.Reads.Any()))
}

// startProperties states that whoever looks at the ring sees packets, if and only if there are some and all
// that was to be told of has been.
func (b *block) startProperties(one, made hdl.Bits) {
	m, io := b.m, b.io
	var owed, packets hdl.Bits
	m.Ghost(func() {
		owed = m.Reg("one_owed", 1, 0) // its first packet has been recorded, and not been told of
		packets = m.Reg("one_packets", indexBits, 0)
		came := b.enters.And(b.packet).And(io.Record.Data.QP.Eq(one))
		left := hdl.AndAll(io.Retired.Fire(), b.leaves, io.Retired.Data.QP.Eq(one))
		m.If(came.And(left.Not()), func() { packets.Set(packets.AddK(1)) })
		m.If(left.And(came.Not()), func() { packets.Set(packets.SubK(1)) })
		m.If(came.And(packets.None()), func() { owed.SetK(1) })
		m.If(io.Started.Fire().And(io.Started.Data.QP.Eq(one)), func() { owed.SetK(0) })
		m.If(b.clears.And(io.User.Request.Data.QP.Eq(one)), func() {
			packets.SetK(0)
			owed.SetK(0)
		})
	})
	looks := made.And(io.Waits.QP.Eq(one))
	m.Assert("waits_for_packets", looks.And(io.Waits.Waits).Not().Or(packets.Any().And(owed.Not())))
	m.Assert("packets_wait", looks.And(packets.Any()).Not().Or(io.Waits.Waits.Or(b.starts.stand(one))))
	m.Cover("reader_told", io.Reader.Reply.Fire().And(io.Reader.Reply.Data.Any))
	m.Cover("started", io.Started.Fire())
}

// assumeUse says how the block is used: no ring overflows, questions are asked one at a time, and what
// is removed is what was answered last.
func (b *block) assumeUse() {
	m, io := b.m, b.io
	ask := io.User.Request
	var used, waits, seen, about hdl.Bits
	m.Ghost(func() {
		used = b.tails.At(io.Record.Data.QP).Sub(b.heads.At(io.Record.Data.QP)) // entries of the ring that the record is for
		waits = m.Reg("asked", 1, 0)                                            // a question
		seen = m.Reg("answered", 1, 0)                                          // it had an entry, which is still the oldest,
		about = m.Reg("answered_qp", b.p.Sizes.QPBits, 0)                       // of this queue pair
		m.If(io.User.Oldest.Fire(), func() {
			waits.SetK(0)
			seen.Set(io.User.Oldest.Data.Any)
		})
		m.If(ask.Fire(), func() {
			waits.Set(b.asks(link.ReplayPeek))
			seen.SetK(0)
			about.Set(ask.Data.QP)
		})
	})
	m.Assume("within_quota", io.Record.Valid.Not().Or(used.LtK(1<<b.p.Sizes.ReplayBits)))
	m.Assume("one_at_a_time", ask.Valid.And(waits).Not())
	m.Assume("pop_what_was_answered", b.pops.Not().Or(seen.And(about.Eq(ask.Data.QP))))
	m.Assert("answer_is_asked_for", waits.Eq(b.reading.Or(b.answered)))
	m.Assert("one_under_way", b.reading.And(b.answered).Not())
	m.Assert("answered_and_asked", waits.And(seen).Not())
}
