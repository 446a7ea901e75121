package gather

import (
	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// properties states the contracts of the streams, and that no frame pauses.
func (b *block) properties() {
	m, io := b.m, b.io
	stream.AssumeSource(m, "piece", io.Piece)
	stream.AssumeSource(m, "translated", io.Translated)
	stream.AssertSource(m, "burst", io.Read.Burst)
	stream.AssertSource(m, "gathered", io.Gathered)
	stream.AssertFrame(m, "payload", io.Payload)
	m.Assume("skip_is_last", hdl.OrAll(io.Piece.Valid.Not(), io.Piece.Data.Skip.Not(), io.Piece.Data.Last))
	m.Assume("no_tail", io.Translated.Valid.And(io.Translated.Data.Tail).Not())
	b.assumeBeats(io.Read.Beat)

	var inside hdl.Bits
	m.Ghost(func() {
		inside = m.Reg("payload_inside_frame", 1, 0)
		m.If(io.Payload.Fire(), func() { inside.Set(io.Payload.Data.Last.Not()) })
	})
	m.Assert("frame_never_pauses", inside.Not().Or(io.Payload.Valid))
	m.Assert("room_at_most_all", b.room.LeK(uint64(b.p.words())))
	m.Assert("waiting_at_most_all", b.waiting.LeK(outstanding))
	m.Cover("gives_up", b.forgets.Any())
	m.Cover("fails", b.drops.Any())
	m.Cover("probe_waits_for_payload", hdl.AndAll(io.Translated.Fire(), io.Translated.Data.Probe, b.waiting.Any()))
	m.Cover("key_fault", io.Gathered.Fire().And(io.Gathered.Data.Fault.Any()))
}

// assumeBeats states that memory answers what it was asked, in order.
func (b *block) assumeBeats(beat hdl.Stream[link.ReadBeat]) {
	m, burst := b.m, b.io.Read.Burst
	var some, last hdl.Bits
	m.Ghost(func() {
		asked := m.LUTRAM("asked", 2*outstanding, 8) // lengths of the bursts on their way
		head, tail := m.Reg("asked_head", asked.AddrWidth(), 0), m.Reg("asked_tail", asked.AddrWidth(), 0)
		come := m.Reg("asked_come", 8, 0) // beats of the first of them
		asked.Write(tail, burst.Fire(), burst.Data.Len)
		m.If(burst.Fire(), func() { tail.Set(tail.AddK(1)) })
		some, last = head.Ne(tail), come.Eq(asked.At(head))
		m.If(beat.Valid, func() {
			come.Set(hdl.Mux(last, come.K(0), come.AddK(1)))
			head.Set(head.Add(last.ZExt(head.Width())))
		})
	})
	m.Assume("beat_was_asked_for", beat.Valid.Not().Or(some))
	m.Assume("beat_ends_burst", beat.Valid.Not().Or(beat.Data.Last.Eq(last)))
}
