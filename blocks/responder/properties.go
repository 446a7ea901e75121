package responder

import (
	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// properties states the contracts of the streams.
func (b *block) properties() {
	m, io := b.m, b.io
	stream.AssumeSource(m, "request", io.Request)
	stream.AssumeSource(m, "translated", io.Translated)
	stream.AssumeSource(m, "served_in", io.Served)
	stream.AssumeSource(m, "head_reply", io.Queue.Head)
	stream.AssumeSource(m, "granule", io.Queue.Granule)
	stream.AssumeSource(m, "flush", io.Flush)
	stream.AssumeSource(m, "context_reply", io.Context.Reply)
	stream.AssumeSource(m, "control", io.Control)
	stream.AssertSource(m, "segment", io.Segment)
	stream.AssertSource(m, "head_request", io.Queue.Request)
	stream.AssertSource(m, "read", io.Queue.Read)
	stream.AssertSource(m, "take", io.Queue.Take)
	stream.AssertSource(m, "commit", io.Commit)
	stream.AssertSource(m, "operands", io.Operands)
	stream.AssertSource(m, "outcome", io.Outcome)
	stream.AssertSource(m, "context_request", io.Context.Request)

	in, segment := io.Request.Data, io.Segment.Data
	asked := io.Segment.Valid.And(segment.Rights.Any())
	piece := in.Packet
	response := io.Request.Valid.And(piece.Kind.Is(link.PSNResponse))
	m.Assume("pieces_have_bytes", hdl.OrAll(response.Not(), in.More.Not(), piece.PayloadLen.Any()))
	m.Assume("pieces_of_responses", hdl.OrAll(io.Request.Valid.Not(), response, in.More.Not()))
	m.Assert("segment_has_bytes", hdl.OrAll(io.Segment.Valid.Not(), segment.Probe, segment.Len.Any()))
	m.Assert("key_has_range", hdl.OrAll(asked.Not(), segment.Rights.Is(link.RightRevoke), segment.Range.Any()))
	m.Assert("range_covers_payload", hdl.OrAll(asked.Not(), segment.Skip, segment.Probe, segment.Range.Ge(segment.Len.ZExt(32))))
	m.Assert("written_with_rights", hdl.OrAll(io.Segment.Valid.Not(), segment.Skip, asked))
	c := io.Commit.Data
	m.Assert("fault_or_completion", hdl.OrAll(io.Commit.Valid.Not(), c.Fatal.Not(), c.HasEvent.Xor(c.Complete)))
	m.Cover("flushed", b.flush.ends.And(b.flush.more))
	m.Cover("refused", io.Commit.Fire().And(c.Fatal))
	m.Cover("rnr", io.Outcome.Fire().And(io.Outcome.Data.NAKSent))
	m.Cover("second_sge", b.extra.Comes)
	m.Cover("fence", io.Commit.Fire().And(c.Kind.Is(link.CommitFence)))
	m.Cover("revokes", io.Segment.Fire().And(segment.Rights.Is(link.RightRevoke)))
	m.Cover("further_piece", response.And(in.More))
	m.Cover("key_of_dropped_payload", hdl.AndAll(io.Segment.Fire(), segment.Skip, asked))
}
