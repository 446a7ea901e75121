package rxparse

import (
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Proofs lists the narrowest parser, in which a header takes the most beats.
func Proofs() []hdl.Proof {
	p := Params{DataWidth: 64}
	control := hdl.ProofOf(Def(p), 14, 0).Breaks(
		hdl.StuckAt0("s2_last").As("frames run together"),
		hdl.StuckAt1("flow").As("waits for nobody"),
	)
	return append(dataProofs(p), control, control.ByZ3(8))
}

// properties states the contracts of the streams, that each frame gives one
// status, and that the parser waits for nothing but its takers.
func (t *third) properties(io *IO) {
	m, p := t.m, t.p
	stream.AssumeFrame(m, "in", io.In)
	stream.AssertFrame(m, "payload", io.Payload)
	stream.AssertFrame(m, "raw", io.Raw)
	stream.AssertSource(m, "header", io.Header)
	stream.AssertSource(m, "status", io.Status)
	t.oneStatus(io)

	m.Assert("waits_for_takers_only", hdl.AndAll(io.Status.Ready, io.Header.Ready, io.Payload.Ready, io.Raw.Ready).Not().Or(io.In.Ready))
	given := m.PastReset("gave_header", p.flow.And(t.newHeader()), 0)
	accepted := io.Status.Valid.And(io.Status.Data.Reason.Is(uint64(format.ReasonOK)))
	m.Assert("header_with_status", given.Not().Or(accepted.And(io.Header.Valid)))
	m.Assert("accepted_has_packet", accepted.Not().Or(io.Status.Data.Packet))

	m.Cover("accepted", accepted)
	m.Cover("passed", io.Raw.Fire().And(io.Raw.Data.Last).And(io.Raw.Data.Err.Not()))
	m.Cover("stalled", io.In.Valid.And(io.In.Ready.Not()))
}

// oneStatus counts the frames between In and Status: each is in one of the
// stages, with its last beat.
func (t *third) oneStatus(io *IO) {
	m, p := t.m, t.p
	var inside hdl.Bits
	m.Ghost(func() {
		inside = m.Reg("frames_inside", 3, 0)
		in, out := p.take.And(io.In.Data.Last), io.Status.Fire()
		inside.Set(inside.Add(in.ZExt(3)).Sub(out.ZExt(3)))
	})
	sum := hdl.K(3, 0)
	for _, last := range []hdl.Bits{p.first.Valid.And(p.first.Last), p.second.Valid.And(p.second.Last), t.ends, io.Status.Valid} {
		sum = sum.Add(last.ZExt(3))
	}
	m.Assert("one_status_a_frame", inside.Eq(sum))
}
