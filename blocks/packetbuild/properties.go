package packetbuild

import (
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Proofs lists a small instance of the builder's own part; the ICRC has its own
// proofs.
func Proofs() []hdl.Proof {
	p := Params{DataWidth: 64}
	control := hdl.ProofOf(frame(p), 13, 0).Breaks(
		hdl.StuckAt1("u_out.out_ready").As("waits for nobody"),
		hdl.StuckAt1("payload_valid").As("payload made up"),
	)
	return append(dataProofs(p), control, control.ByZ3(11))
}

// properties states the contracts of the streams, and that every descriptor
// makes one frame, whatever the payload does.
func properties(m *hdl.Module, io *IO, h header, j *joiner) {
	stream.AssumeSource(m, "desc", io.Desc)
	stream.AssumeFrame(m, "payload", io.Payload)
	stream.AssertFrame(m, "out", io.Out)

	frames := hdl.OrAll(j.st.Is(stHead), j.st.Is(stJoin), j.st.Is(stFlush))
	ends := j.out.Fire().And(j.out.Data.Last)
	var open, inHeader hdl.Bits
	m.Ghost(func() {
		open = m.Reg("frame_open", 1, 0) // a header has begun whose frame has not ended
		inHeader = m.Reg("header_open", 1, 0)
		m.If(ends, func() { open.SetK(0) })
		m.If(h.taken, func() {
			open.SetK(1)
			inHeader.Set(h.last.Not())
		})
	})
	m.Assert("one_frame_a_header", open.Eq(frames))
	m.Assert("headers_do_not_mix", inHeader.Eq(j.st.Is(stHead)))
	m.Assert("header_goes_on", inHeader.Not().Or(h.valid))
	m.Assert("begins_after_the_last", h.taken.And(inHeader.Not()).And(open).Not().Or(ends))
	m.Assert("payload_is_wanted", io.Payload.Fire().Not().Or(j.st.Is(stJoin)).Or(j.st.Is(stDrain)))
	m.Assert("fault_ends_frame", j.st.Is(stDrain).Not().Or(open.Not()))

	m.Cover("header_in_one_after_the_other", h.taken.And(ends))
	m.Cover("payload_too_long", j.st.Is(stDrain))
	m.Cover("payload_joins", j.st.Is(stJoin).And(j.out.Fire()))
	m.Cover("rest_alone", j.st.Is(stFlush).And(j.isRest))
}
