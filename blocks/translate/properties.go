package translate

import (
	"fmt"

	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Proofs lists a small instance.
func Proofs() []hdl.Proof {
	p := Params{Sizes: link.Sizes{DataWidth: 512}, Lines: 2}
	proof := hdl.BoundedProofOf(Def(p), 14, hdl.ABC).OfTopAlone().Breaks(
		hdl.StuckAt1("line_held").As("a line is taken for another"),
		hdl.StuckAt1("ends").As("a segment ends with its first page"),
		hdl.StuckAt0("swallow").As("what is behind a fault comes out"),
		hdl.StuckAt0("line_bad").As("an entry that could not be read is used"),
		hdl.Invert("work_at", 3).As("another entry of the line is read"),
	)
	proof.NoCovers = true
	return []hdl.Proof{proof}
}

// properties states the contracts of the streams, and what becomes of one packet.
func (b *block) properties() {
	m, io, w := b.m, b.io, b.work
	stream.AssumeSource(m, "segment", io.Segment)
	stream.AssumeSource(m, "reply", io.Key.Reply)
	stream.AssertSource(m, "request", io.Key.Request)
	stream.AssertSource(m, "burst", io.Read.Burst)
	stream.AssertSource(m, "piece", io.Piece)
	stream.AssertSource(m, "translated", io.Translated)
	m.Assume("beats_are_asked_for", io.Read.Beat.Valid.Not().Or(b.st.Is(stFill)))
	m.Assume("segment_not_empty", io.Segment.Valid.Not().Or(io.Segment.Data.Len.Any()))
	m.Assert("piece_not_empty", io.Piece.Valid.Not().Or(io.Piece.Data.Skip).Or(io.Piece.Data.Len.Any()))

	var over hdl.Bits
	m.Ghost(func() {
		over = m.Reg("packet_over", 1, 0) // its last piece is out, and not its last segment
		m.If(io.Piece.Fire().And(io.Piece.Data.Last), func() { over.SetK(1) })
		m.If(b.leaves.And(w.Last), func() { over.SetK(0) })
	})
	m.Assert("nothing_behind_last", io.Piece.Valid.Not().Or(over.Not()))
	page := b.st.Is(stGive).And(io.Piece.Valid)
	m.Assert("segment_whole", b.leaves.And(page).Not().Or(io.Piece.Data.Len.Eq(w.Len)))
	b.follow(page)
	m.Cover("swallows", b.leaves.And(b.swallow))
	m.Cover("second_page", page.And(w.In.None()))
}

// follow takes one entry of a page list, which the solver chooses, for granted wherever it
// is read, and states that the pieces of its page lie in that page.
func (b *block) follow(page hdl.Bits) {
	m, beat := b.m, b.io.Read.Beat
	one, frame := m.AnyConst("one_entry", 64-logEntry), m.AnyConst("one_frame", frameBits)
	words := beat.Data.Data.Width() / 64
	within := logLine - logEntry - hdl.Log2(words) // bits of a number of a beat
	is := one.Slice(one.Width()-1, logLine-logEntry).Eq(b.work.At.Slice(63, logLine))
	if within > 0 {
		is = is.And(one.Slice(logLine-logEntry-1, hdl.Log2(words)).Eq(b.beat))
	}
	for i := range words {
		mine := hdl.AndAll(beat.Valid, beat.Data.Err.Not(), is)
		if words > 1 {
			mine = mine.And(one.Trunc(hdl.Log2(words)).Is(uint64(i)))
		}
		got := beat.Data.Data.Slice(64*i+63, 64*i+64-frameBits)
		m.Assume(fmt.Sprintf("one_entry_read_%d", i), mine.Not().Or(got.Eq(frame)))
	}
	differ := b.io.Piece.Data.Addr.Slice(63, 64-frameBits).Xor(frame)
	lies := differ.And(inPage(b.work.Order).ZExt(frameBits).Not()).None()
	m.Assert("piece_in_page", page.And(b.work.At.Slice(63, logEntry).Eq(one)).Not().Or(lies))
}
