package wqefetch

import (
	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Proofs lists a small instance.
func Proofs() []hdl.Proof {
	p := Params{Sizes: link.Sizes{DataWidth: 512, QPBits: 1, SlotBits: 1}}
	proof := hdl.ProofOf(Def(p), 14, 0).Breaks(
		hdl.Invert("fetch_room").As("more is fetched than there is room for"),
		hdl.StuckAt1("landed").As("a burst ends early"),
	)
	proof.NoCovers = true
	return []hdl.Proof{proof}
}

// properties states the order of the indices, of a queue pair that the solver
// chooses, and the contracts of the streams.
func (b *block) properties() {
	m, io, n := b.m, b.io, b.p.slotBits()
	stream.AssumeSource(m, "bell", io.Bell)
	stream.AssumeSource(m, "config", io.Config)
	stream.AssumeSource(m, "request", io.Queue.Request)
	stream.AssumeSource(m, "read", io.Queue.Read)
	stream.AssumeSource(m, "take", io.Queue.Take)
	stream.AssertSource(m, "burst", io.Read.Burst)
	stream.AssertSource(m, "ready", io.Ready)
	stream.AssertSource(m, "head", io.Queue.Head)
	stream.AssertSource(m, "granule", io.Queue.Granule)
	taken := io.Queue.Take
	m.Assume("take_what_is_here", taken.Valid.Not().Or(b.here.At(taken.Data.QP).Ne(b.head.At(taken.Data.QP))))

	one := m.AnyConst("one", b.p.Sizes.QPBits)
	var made, head, here, fetched, stride hdl.Bits
	m.Ghost(func() {
		made = m.Reg("one_made", 1, 0)
		m.If(b.making.And(b.toMake.Eq(one)), func() { made.SetK(1) })
		head, here, fetched = b.head.At(one), b.here.At(one), b.fetched.At(one)
		stride = hdl.Unpack(ring{}, b.rings.At(one)).LogStride
	})
	capacity := hdl.Mux(stride, hdl.K(16, 1<<(n-1)), hdl.K(16, 1<<n))
	m.Assert("fetched_has_room", made.Not().Or(fetched.Sub(head).Le(capacity)))
	m.Assert("here_was_fetched", made.Not().Or(here.Sub(head).Le(fetched.Sub(head))))
	m.Cover("waits", io.Queue.Request.Ready.Not())
	m.Cover("fault", io.Queue.Head.Valid.And(io.Queue.Head.Data.Fault))
}
