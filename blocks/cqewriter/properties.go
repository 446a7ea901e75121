package cqewriter

import (
	"fmt"

	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Proofs lists a small instance.
func Proofs() []hdl.Proof {
	p := Params{Sizes: link.Sizes{DataWidth: 256, QPBits: 1, CQBits: 1, EQBits: 1}, Inputs: 1}
	proof := hdl.BoundedProofOf(Def(p), 14, hdl.ABC).Breaks(
		hdl.StuckAt0("place_lost").As("a ring is never full"),
		hdl.StuckAt0("moved").As("any doorbell is believed"),
		hdl.StuckAt0("fill").As("the producer index is not read"),
	)
	proof.NoCovers = true
	return []hdl.Proof{proof.OfTopAlone()}
}

// properties states the contracts of the streams, and follows one ring, which the
// solver chooses: no CQE goes over one that software has not seen.
func (b *block) properties() {
	m, io := b.m, b.io
	for i, c := range io.Completions {
		stream.AssumeSource(m, fmt.Sprintf("completion_%d", i), c)
	}
	stream.AssumeSource(m, "update", io.Update)
	stream.AssumeSource(m, "config", io.Config)
	stream.AssumeSource(m, "done", io.Write.Done)
	stream.AssertSource(m, "burst", io.Write.Burst)
	stream.AssertSource(m, "beat", io.Write.Beat)
	stream.AssertSource(m, "written", io.Written)
	stream.AssertSource(m, "seen", io.Seen)
	stream.AssertSource(m, "fault", io.Fault)
	stream.AssertSource(m, "async", io.Async)

	one := m.AnyConst("one", b.p.Sizes.CQBits)
	var exists, unseen, size hdl.Bits
	m.Ghost(func() {
		exists = m.Reg("one_exists", 1, 0)
		unseen = m.RegN("one_unseen", 16) // CQEs in its ring that software has not said to have seen
		size = m.RegN("one_size", 16)
		consumer := m.RegN("one_consumer", 16)
		m.If(b.making.And(io.Config.Data.CQ.Eq(one)), func() {
			exists.Set(io.Config.Data.Exists)
			unseen.SetK(0)
			consumer.SetK(0)
			size.Set(hdl.K(16, 1).Shl(io.Config.Data.LogSize))
		})
		f := b.flights.In
		m.If(hdl.AndAll(f.Fire(), f.Data.Lost.Not(), f.Data.CQ.Eq(one)), func() { unseen.Set(unseen.AddK(1)) })
		m.If(io.Seen.Fire().And(io.Seen.Data.CQ.Eq(one)), func() {
			unseen.Set(unseen.Sub(io.Seen.Data.Index.Sub(consumer)))
			consumer.Set(io.Seen.Data.Index)
		})
	})
	m.Assert("never_over_unseen", exists.Not().Or(unseen.Le(size)))
	m.Cover("lost", b.flights.In.Fire().And(b.flights.In.Data.Lost))
	m.Cover("many_on_their_way", b.flights.In.Ready.Not())
	m.Cover("failed_behind_a_failure", b.flights.Out.Fire().And(b.flights.Out.Data.Lost.Not()).And(b.failed.At(b.flights.Out.Data.CQ)))
}
