package readmatch

import (
	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Proofs lists a small instance.
func Proofs() []hdl.Proof {
	p := Params{Sizes: link.Sizes{DataWidth: 64, QPBits: 1, CQBits: 1, ReadBits: 1}}
	proof := hdl.ProofOf(Def(p), 12, 0).Breaks(
		hdl.StuckAt1("fits").As("data goes beyond its SGE"),
		hdl.StuckAt1("found_whole").As("more data is placed than the READ has left"),
		hdl.StuckAt0("found_distance").As("data is placed before its turn"),
		hdl.StuckAt0("some").As("what is outstanding is not found"),
	)
	proof.NoCovers = true
	return []hdl.Proof{proof}
}

// properties states the contracts of the streams, what a placed response keeps to, and that the
// source of a payload is there before its Matched.
func (b *block) properties() {
	m, io := b.m, b.io
	stream.AssumeSource(m, "packet", io.Packet)
	stream.AssumeSource(m, "issue", io.Issue)
	stream.AssumeSource(m, "config", io.Ring)
	stream.AssumeSource(m, "control", io.Control)
	stream.AssumeSource(m, "beat", io.Read.Beat)
	stream.AssertSource(m, "matched", io.Matched)
	stream.AssertSource(m, "source", io.Source)
	stream.AssertFrame(m, "value", io.Value)
	stream.AssertSource(m, "burst", io.Read.Burst)

	busy := func(qp hdl.Bits) hdl.Bits { return b.st.Is(stIdle).Not().And(b.packet.Data.QP.Eq(qp)) }
	m.Assume("begins_anew_when_idle", hdl.OrAll(io.Control.Valid.Not(), io.Control.Data.Kind.IsNot(link.ControlClear), busy(io.Control.Data.QP).Not()))
	m.Assume("ring_made_when_idle", io.Ring.Valid.And(busy(io.Ring.Data.QP)).Not())
	m.Assume("answers_to_bursts", io.Read.Beat.Valid.Not().Or(b.st.Is(stArrive)))
	m.Assert("packet_waits", b.st.Is(stIdle).Or(b.packet.Valid))

	d, piece := b.packet.Data, b.piece()
	placed := hdl.AndAll(b.st.Is(stPlace), b.gives, b.isData(), piece.Skip.Not())
	m.Assert("only_what_is_outstanding", placed.Not().Or(b.some.And(b.state.Closed.Not())))
	m.Assert("only_what_is_due", placed.Not().Or(d.PSN.Eq(b.place.Due)))
	m.Assert("within_sge", placed.Not().Or(piece.Packet.PayloadLen.ZExt(32).Le(b.place.Rest.Length)))
	m.Assert("within_read", placed.Not().Or(d.PayloadLen.ZExt(32).Le(b.place.Left)))
	m.Assert("pieces_have_bytes", hdl.OrAll(b.gives.Not(), b.st.Is(stIdle), piece.More.Not(), piece.Packet.PayloadLen.Any()))
	b.sourceProperties()
	m.Cover("reads_sges", io.Read.Burst.Fire())
	m.Cover("fails", b.gives.And(b.st.Is(stPlace)).And(b.failed))
	m.Cover("closed", hdl.AndAll(b.passes, isResponse(d), b.before.Closed))
}

// sourceProperties states that a Matched whose payload comes from somewhere has told so.
func (b *block) sourceProperties() {
	m := b.m
	payload := hdl.Mux(b.st.Is(stIdle), b.packet.Data.PayloadLen, b.piece().Packet.PayloadLen).Any()
	var told hdl.Bits
	m.Ghost(func() {
		told = m.Reg("source_told", 1, 0) // of the packet at hand
		m.If(b.sources.Fire(), func() { told.SetK(1) })
		m.If(b.packet.Fire(), func() { told.SetK(0) })
	})
	m.Assert("source_is_told", hdl.OrAll(b.gives.Not(), payload.Not(), told, b.sources.Fire()))
	m.Assert("source_told_once", b.sources.Fire().And(told).Not())
}
