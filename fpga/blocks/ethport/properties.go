package ethport

import (
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Proofs lists the part that has one clock. The FIFOs between clocks have theirs in hdl/stream, both MACs in mac.
func Proofs() []hdl.Proof {
	return []hdl.Proof{
		hdl.ProofOf(shedDef(16), 12, 0).Breaks(
			hdl.StuckAt0("owes").As("a frame that was cut has no end"),
			hdl.StuckAt0("cut").As("the rest of a frame that was cut goes on"),
			hdl.StuckAt1("beat_err").As("whole frames are bad"),
			hdl.StuckAt0("beat_err").As("frames that were cut are good"),
		),
	}
}

// shedProperties: what leaves without Err came in like that, to the last bit.
func shedProperties(m *hdl.Module, io *shedIO, takes hdl.Bits) {
	in, out := io.In, io.Out
	stream.AssumeFrame(m, "in", in)
	stream.AssertFrame(m, "out", out)

	mix := func(sum hdl.Bits, b stream.Beat) hdl.Bits {
		w := sum.Width()
		turned := hdl.Cat(sum.Trunc(w-1), sum.MSB())
		return turned.Xor(b.Data).Xor(b.Keep.ZExt(w))
	}
	var came, left, whole, inBad hdl.Bits
	m.Ghost(func() {
		w := in.Data.Data.Width()
		// Sums of the beats of the frames at both ends, and that of the frame whose last beat is in the register.
		inSum, outSum := m.Reg("in_sum", w, 0), m.Reg("out_sum", w, 0)
		came, inBad = m.Reg("came", w, 0), m.Reg("came_bad", 1, 0)
		now := mix(inSum, in.Data)
		left = mix(outSum, out.Data)
		m.If(in.Valid, func() { inSum.Set(hdl.Mux(in.Data.Last, now.K(0), now)) })
		m.If(out.Fire(), func() { outSum.Set(hdl.Mux(out.Data.Last, left.K(0), left)) })
		m.If(takes, func() {
			came.Set(now)
			inBad.Set(in.Data.Err)
		})
		whole = m.Reg("whole", 1, 0) // the register holds what came
		m.If(valid0(out), func() { whole.Set(takes) })
	})
	ends := out.Valid.And(out.Data.Last)
	m.Assert("good_is_whole", ends.Not().Or(out.Data.Err).Or(left.Eq(came)))
	m.Assert("bad_for_a_reason", hdl.OrAll(ends.Not(), out.Data.Err.Not(), inBad, whole.Not()))
	m.Cover("lost_whole", io.Lost.And(out.Valid).And(out.Data.Last))
	m.Cover("ends_bad", ends.And(out.Data.Err).And(whole.Not()))
}

// valid0 says that the register behind a stream may change.
func valid0(out stream.Frame) hdl.Bits { return out.Valid.Not().Or(out.Ready) }
