package readmatch

import (
	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

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

	busy := func(qp hdl.Bits) hdl.Bits { return hdl.AndAll(b.packet.Valid, b.works(), b.packet.Data.QP.Eq(qp)) }
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
		told = m.Reg("source_told", 1, 0) // that of the packet at hand
		m.If(b.sources.Fire(), func() { told.SetK(1) })
		m.If(b.packet.Fire(), func() { told.SetK(0) })
	})
	m.Assert("source_is_told", hdl.OrAll(b.gives.Not(), payload.Not(), told, b.sources.Fire()))
	m.Assert("source_told_once", b.sources.Fire().And(told).Not())
}
