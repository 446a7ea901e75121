package scatter

import (
	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// properties states the contracts of the streams, and that beats follow their burst.
func (b *block) properties() {
	m, io := b.m, b.io
	stream.AssumeSource(m, "piece", io.Piece)
	stream.AssumeFrame(m, "payload", io.Payload)
	stream.AssumeSource(m, "commit", io.Commit)
	stream.AssertSource(m, "burst", io.Write.Burst)
	stream.AssertSource(m, "write_beat", io.Write.Beat)
	stream.AssertSource(m, "placed", io.Placed)
	m.Assume("skip_is_last", hdl.OrAll(io.Piece.Valid.Not(), io.Piece.Data.Skip.Not(), io.Piece.Data.Last))
	m.Assume("only_good_packets", io.Payload.Valid.Not().Or(io.Payload.Data.Err.Not()))

	var inside, begun hdl.Bits
	m.Ghost(func() {
		inside = m.Reg("payload_inside", 1, 0) // a frame of payload has begun and not ended
		m.If(io.Payload.Fire(), func() { inside.Set(io.Payload.Data.Last.Not()) })
		begun = m.Reg("inside_burst", 1, 0) // a burst has been announced, and not all of its beats made
		m.If(b.moves, func() { begun.Set(b.now.last.Not()) })
	})
	m.Assume("payload_never_pauses", inside.Not().Or(io.Payload.Valid))
	m.Assert("beats_wait_for_bus_only", hdl.OrAll(begun.Not(), b.moves, b.free.Not()))
	b.assumeAnswers(io.Write)
	m.Cover("drains", b.draining)
	m.Cover("two_beats", b.moves.And(b.now.span.Both))
	m.Cover("bus_error", io.Placed.Fire().And(io.Placed.Data.BusErr))
}

// assumeAnswers states that memory answers bursts that it has all beats of, and no others.
func (b *block) assumeAnswers(w link.WritePort) {
	m := b.m
	const k = 8
	var open hdl.Bits
	m.Ghost(func() {
		open = m.Reg("unanswered", k, 0)
		ends := w.Beat.Fire().And(w.Beat.Data.Last)
		m.If(ends.Xor(w.Done.Fire()), func() { open.Set(hdl.Mux(ends, open.AddK(1), open.SubK(1))) })
	})
	m.Assume("answer_to_a_burst", w.Done.Valid.Not().Or(open.Any()))
	m.Assert("answers_owed", open.LeK(outstanding+8))
}
