package translate

import (
	"gornic/hdl/stream"
)

// properties states the contracts of the streams.
func (b *block) properties() {
	m, io := b.m, b.io
	stream.AssumeSource(m, "segment", io.Segment)
	stream.AssumeSource(m, "reply", io.Key.Reply)
	stream.AssertSource(m, "request", io.Key.Request)
	stream.AssertSource(m, "burst", io.Read.Burst)
	stream.AssertSource(m, "piece", io.Piece)
	stream.AssertSource(m, "translated", io.Translated)
	m.Assert("piece_not_empty", io.Piece.Valid.Not().Or(io.Piece.Data.Skip).Or(io.Piece.Data.Len.Any()))
	m.Assume("beats_are_asked_for", io.Read.Beat.Valid.Not().Or(b.st.Is(stFill)))
	m.Cover("swallows", b.leaves.And(b.swallow))
	m.Cover("second_page", io.Piece.Fire().And(b.st.Is(stGive)).And(b.work.In.None()))
}
