package mac

import (
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Proofs lists both directions.
func Proofs() []hdl.Proof {
	return []hdl.Proof{
		hdl.ProofOf(ReceiveDef(Params{MaxFrame: StandardFrame}), 14, 0).Breaks(
			hdl.StuckAt1("enough").As("short frames are good"),
			hdl.StuckAt1("judged").As("a frame without a start has no result"),
			hdl.Invert("beat_err").As("bad frames are taken for good"),
		),
		hdl.ProofOf(TransmitDef(), 100, 0).Breaks(
			hdl.StuckAt0("rest").As("the rest of a frame that was cut is sent as a frame"),
			hdl.StuckAt1("enough").As("frames are not padded"),
			hdl.StuckAt1("count", 1).As("the preamble is too short"),
			hdl.StuckAt0("count", 1).As("it hangs"),
		),
	}
}

// properties of the receiver: frames of bytes that keep the rules, each with one result.
func (r *receiver) properties() {
	m, io := r.m, r.io
	stream.AssumeSource(m, "in", io.In)
	m.Assume("out_taken", io.Out.Valid.Not().Or(io.Out.Ready))
	stream.AssertFrame(m, "out", io.Out)

	v := io.Result
	pulses := []hdl.Bits{v.Good, v.BadFCS, v.Short, v.Long, v.PHYError, v.Lost}
	sum := hdl.K(3, 0)
	for _, p := range pulses {
		sum = sum.Add(p.ZExt(3))
	}
	m.Assert("one_result", sum.LeK(1))
	last := io.Out.Valid.And(io.Out.Data.Last)
	m.Assert("last_has_result", last.Not().Or(sum.Is(1)))
	m.Assert("good_has_last", v.Good.Not().Or(last))
	m.Assert("err_is_not_good", last.Not().Or(io.Out.Data.Err.Eq(v.Good.Not())))

	var bytes hdl.Bits // given of this frame, before the present beat
	m.Ghost(func() {
		bytes = m.Reg("bytes", r.length.Width(), 0)
		m.If(io.Out.Valid, func() { bytes.Set(hdl.Mux(io.Out.Data.Last, bytes.K(0), bytes.AddK(1))) })
	})
	m.Assert("good_is_long_enough", v.Good.Not().Or(bytes.GeK(MinFrame-fcsBytes-1)))
	m.Assert("ends_in_time", bytes.LeK(uint64(r.p.MaxFrame-fcsBytes)))
	// What has begun has its result before the next one begins.
	begins := hdl.AndAll(io.In.Valid, io.In.Data.Enable, r.state.Is(rxIdle))
	var owed hdl.Bits
	m.Ghost(func() {
		owed = m.Reg("owed", 1, 0)
		m.If(sum.Any(), func() { owed.SetK(0) })
		m.If(begins, func() { owed.SetK(1) })
	})
	m.Assert("result_was_owed", sum.None().Or(owed).Or(v.Lost))
	m.Assert("result_comes", hdl.OrAll(begins.Not(), owed.Not(), sum.Any()))
	m.Cover("short", v.Short)
	m.Cover("without_start", v.PHYError)
	m.Cover("lost", v.Lost.And(last))
}

// properties of the transmitter: what is on the wire is a frame of the right form, whatever comes in.
func (t *transmitter) properties() {
	m, io := t.m, t.io
	stream.AssumeFrame(m, "in", io.In)
	var on, off, begun hdl.Bits
	m.Ghost(func() {
		// Byte times of the present frame, and since the last one, as far as they matter.
		on, off, begun = m.Reg("on", 7, 0), m.Reg("off", 4, 0), m.Reg("begun", 1, 0)
		m.If(io.Out.Enable, func() {
			m.If(on.IsNot(127), func() { on.Set(on.AddK(1)) })
			off.SetK(0)
			begun.SetK(1)
		}).Else(func() {
			on.SetK(0)
			m.If(off.IsNot(15), func() { off.Set(off.AddK(1)) })
		})
	})
	m.Assert("gap", hdl.OrAll(io.Out.Enable.Not(), on.Any(), begun.Not(), off.GeK(gapBytes)))
	m.Assert("no_runt", hdl.OrAll(io.Out.Enable, on.None(), on.GeK(preambleBytes+MinFrame)))
	want := hdl.Mux(on.LtK(preambleBytes-1), hdl.K(8, preambleByte), hdl.K(8, startByte))
	m.Assert("preamble", hdl.OrAll(io.Out.Enable.Not(), on.GeK(preambleBytes), io.Out.Data.Eq(want)))

	// The longest wait is behind a frame of one byte: padding, FCS, gap and preamble.
	var waits hdl.Bits
	m.Ghost(func() {
		waits = m.Reg("waits", 7, 0)
		m.If(io.In.Valid.And(io.In.Ready.Not()), func() { waits.Set(waits.AddK(1)) }).Else(func() { waits.SetK(0) })
	})
	m.Assert("no_hang", waits.LeK(padTo-1+fcsBytes+gapBytes+preambleBytes))

	v := io.Result
	m.Assert("one_result", hdl.OrAll(v.Good.And(v.Aborted), v.Good.And(v.Underrun), v.Aborted.And(v.Underrun)).Not())
	// Frames leave one by one: a result for each last byte, of the frame itself or of the rest of one that was cut.
	var inside, cut hdl.Bits
	m.Ghost(func() {
		inside, cut = m.Reg("in_frame", 1, 0), m.Reg("cut", 1, 0)
		m.If(io.In.Fire(), func() {
			inside.Set(io.In.Data.Last.Not())
			m.If(io.In.Data.Last, func() { cut.SetK(0) })
		})
		m.If(t.state.Is(txData).And(io.In.Valid.Not()), func() { cut.SetK(1) })
	})
	m.Assert("rest_is_of_cut", t.rest.Eq(cut))
	m.Assert("starts_at_start", hdl.OrAll(t.state.Is(txIdle).Not(), t.rest, inside.Not()))
	m.Cover("underrun", v.Underrun)
	m.Cover("aborted", v.Aborted)
	m.Cover("padded", t.state.Is(txPad))
}
