package cnp

import (
	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Proofs lists a small instance: two queue pairs, and a tick of a cycle.
func Proofs() []hdl.Proof {
	p := Params{Sizes: link.Sizes{QPBits: 1}, Tick: 1}
	return []hdl.Proof{hdl.BoundedProofOf(Def(p), 18, hdl.ABC).Breaks(
		hdl.StuckAt0("recent").As("no CNP is remembered"),
		hdl.StuckAt1("age", 3).As("ages are too old"),
		hdl.StuckAt0("qp").As("a CNP of another queue pair"),
	)}
}

// properties follows one queue pair, which the solver chooses: its CNPs are apart, and each has a mark of its own.
func (b *block) properties() {
	m, io := b.m, b.io
	stream.AssumeSource(m, "marked", io.Marked)
	stream.AssumeSource(m, "control", io.Control)
	stream.AssertSource(m, "cnp", io.CNP)

	one := m.AnyConst("one", b.p.Sizes.QPBits)
	is := func(s hdl.Stream[link.QPRef]) hdl.Bits { return s.Fire().And(s.Data.QP.Eq(one)) }
	begins := b.begins.And(b.qp.Eq(one))
	const cycles = 28 // of the longest gap of the longest tick
	const most = 8    // width of the number of marks that are told apart
	var marks, known, since, still, apart hdl.Bits
	m.Ghost(func() {
		marks = m.Reg("one_marks", most, 0)   // that have had no CNP, as far as they are counted
		known = m.Reg("one_known", 1, 0)      // it has sent a CNP since it began anew,
		since = m.Reg("one_since", cycles, 0) // so many cycles ago
		gap := m.Reg("one_gap", gapBits, 0)   // what Gap was then,
		still = m.Reg("one_still", 1, 0)      // and has been since
		m.If(since.All().Not(), func() { since.Set(since.AddK(1)) })
		still.Set(still.And(io.Gap.Eq(gap)))
		apart = hdl.OrAll(known.Not(), still.Not(), since.Ge(gap.Mul(hdl.K(cycles-gapBits, uint64(b.p.Tick)))))
		more, less := is(io.Marked).And(marks.All().Not()), is(io.CNP).And(marks.All().Not())
		marks.Set(marks.Add(more.ZExt(most)).Sub(less.ZExt(most)))
		m.If(is(io.CNP), func() {
			known.SetK(1)
			since.SetK(1)
			gap.Set(io.Gap)
			still.SetK(1)
		})
		m.If(begins, func() { known.SetK(0) })
	})
	sends := io.CNP.Valid.And(io.CNP.Data.QP.Eq(one))
	m.Assert("cnp_was_marked", sends.Not().Or(marks.Any()))
	m.Assert("cnps_are_apart", sends.Not().Or(apart))
	m.Cover("second_cnp", hdl.AndAll(sends, known, still, io.Gap.Any()))
	m.Cover("begins_with_mark", begins.And(marks.Any()))
}
