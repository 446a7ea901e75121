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
		hdl.StuckAt0("tail_bad").As("a probe behind a payload that failed is asked"),
		hdl.StuckAt0("tail_waits").As("a probe behind a payload does not wait for it"),
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
	m.Assume("segment_not_empty", hdl.OrAll(io.Segment.Valid.Not(), io.Segment.Data.Probe, io.Segment.Data.Len.Any()))
	x := io.Segment.Data
	m.Assume("bus_is_payload", hdl.OrAll(io.Segment.Valid.Not(), x.Bus.Not(), hdl.OrAll(x.Probe, x.Skip, x.Find, x.Probed).Not()))
	m.Assert("piece_not_empty", io.Piece.Valid.Not().Or(io.Piece.Data.Skip).Or(io.Piece.Data.Len.Any()))

	b.tailProperties()

	var over hdl.Bits
	m.Ghost(func() {
		over = m.Reg("packet_over", 1, 0) // its last piece is out, and not its last segment
		m.If(io.Piece.Fire().And(io.Piece.Data.Last), func() { over.SetK(1) })
		m.If(b.leaves.And(w.Kind.Last), func() { over.SetK(0) })
	})
	m.Assert("nothing_behind_last", io.Piece.Valid.Not().Or(over.Not()))
	page := b.st.Is(stGive).And(io.Piece.Valid)
	m.Assert("segment_whole", b.leaves.And(page).Not().Or(io.Piece.Data.Len.Eq(w.Len)))
	b.follow(page)
	m.Cover("swallows", b.leaves.And(b.swallow))
	m.Cover("second_page", page.And(w.In.None()))
}

// tailProperties takes the shape of packets for granted, and states that a Probe behind a
// payload is asked when all that payload has its pieces, and only then.
func (b *block) tailProperties() {
	m, in, t := b.m, b.io.Segment, b.tail
	x, w := in.Data, b.work
	var failed, whole hdl.Bits
	m.Ghost(func() {
		failed, whole = m.Reg("payload_failed", 1, 0), m.Reg("payload_whole", 1, 0)
		m.If(b.io.Piece.Fire(), func() { failed.Set(w.Fault.Any().Or(failed)) })
		m.If(b.leaves.And(w.Kind.Probed), func() { whole.SetK(1) })
		m.If(in.Fire(), func() { whole.SetK(0) })
		m.If(in.Fire().And(t.next).Or(hdl.AndAll(b.leaves, w.Kind.Last, w.Kind.Probed.Not())), func() { failed.SetK(0) })
	})
	m.Assume("probed_is_last", hdl.OrAll(in.Valid.Not(), x.Probed.Not(), x.Last.And(x.Probe.Not())))
	m.Assume("find_is_probe", hdl.OrAll(in.Valid.Not(), x.Find.Not(), x.Probe))
	m.Assume("tail_is_probe", hdl.OrAll(in.Valid.Not(), t.next.Not(), x.Probe.And(x.Last)))
	m.Assert("tail_behind_payload", hdl.OrAll(b.io.Key.Request.Valid.Not(), t.next.Not(), whole))
	m.Assert("tail_of_whole_payload", hdl.AndAll(b.io.Key.Request.Valid, t.next, failed).Not())
	m.Cover("found_in_page", hdl.AndAll(b.leaves, w.Kind.Probe, b.st.Is(stGive)))
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
