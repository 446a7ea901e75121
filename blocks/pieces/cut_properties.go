package pieces

import (
	"gornic/blocks/link"
	"gornic/hdl"
)

// Proofs lists the cutter at the widths whose chunks differ.
func Proofs() []hdl.Proof {
	var proofs []hdl.Proof
	for _, width := range []int{64, 512} {
		proofs = append(proofs, hdl.ProofOf(CutDef(width), 5, 1).Breaks(
			hdl.StuckAt0("last").As("a packet without end"),
			hdl.Invert("less", 0).As("a byte too many or too few"),
			hdl.Invert("addr", 12).As("another page"),
		))
	}
	return proofs
}

// cutProperties states that the chunks of a piece follow each other, from its first
// byte to its last, and that none crosses a boundary.
func cutProperties(m *hdl.Module, io *CutIO, less, isLast hdl.Bits) {
	in, out := io.In, io.Out
	var next, left, skip, last hdl.Bits // what is still to come of the piece inside
	m.Ghost(func() {
		next, left = m.RegN("next", 64), m.Reg("left", link.LengthBits, 0)
		skip, last = m.Reg("is_skip", 1, 0), m.RegN("is_last", 1)
		m.If(out.Fire(), func() {
			bytes := out.Data.Less.ZExt(link.LengthBits).AddK(1)
			next.Set(next.Add(bytes.ZExt(64)))
			left.Set(hdl.Mux(skip, left, left.Sub(bytes)))
			skip.SetK(0)
		})
		m.If(in.Fire(), func() {
			next.Set(in.Data.Addr)
			left.Set(hdl.Mux(in.Data.Skip, in.Data.Len.K(0), in.Data.Len))
			skip.Set(in.Data.Skip)
			last.Set(in.Data.Last)
		})
	})
	has := out.Valid.And(out.Data.Skip.Not())
	whole := out.Data.Less.ZExt(link.LengthBits).AddK(1).Eq(left)
	implies := func(name string, a, b hdl.Bits) { m.Assert(name, a.Not().Or(b)) }
	implies("skip_passes", out.Valid, out.Data.Skip.Eq(skip))
	implies("skip_is_one_chunk", out.Valid.And(out.Data.Skip), out.Data.Last.Eq(last))
	implies("follows", has, out.Data.Addr.Eq(next))
	implies("inside_piece", has, left.Any().And(out.Data.Less.ZExt(link.LengthBits).Lt(left)))
	implies("last_is_whole", has, out.Data.Last.Eq(last.And(whole)))
	implies("rest_is_left", has, less.ZExt(link.LengthBits).AddK(1).Eq(left))
	implies("none_left_of_skip", out.Valid.And(out.Data.Skip), left.None())
	implies("last_is_kept", out.Valid, isLast.Eq(last))
	implies("whole_piece", out.Valid.Not(), left.None().Or(skip))

	n, k := out.Data.Less.Width(), out.Data.End.Width()
	reach := out.Data.Addr.Trunc(n).AddC(out.Data.Less)
	beats := out.Data.Addr.Trunc(n).Slice(n-1, k).ZExt(8).Add(out.Data.Beats)
	implies("no_boundary_inside", has, reach.Bit(n).Not())
	implies("end_is_last_byte", has, out.Data.End.Eq(reach.Trunc(k)))
	implies("beats_reach_end", has, beats.Eq(reach.Slice(n-1, k).ZExt(8)))
	m.Cover("crosses", has.And(whole.Not()))
}
