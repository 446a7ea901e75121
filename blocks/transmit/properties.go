package transmit

import (
	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// properties states the contracts of the streams.
func (b *block) properties() {
	m, io := b.m, b.io
	stream.AssumeSource(m, "ack", io.Ack)
	stream.AssumeSource(m, "job", io.Job)
	stream.AssumeSource(m, "gathered", io.Gathered)
	stream.AssumeFrame(m, "payload", io.Payload)
	stream.AssumeFrame(m, "inline", io.Inline)
	stream.AssumeSource(m, "context_reply", io.Context.Reply)
	stream.AssumeSource(m, "control", io.Control)
	stream.AssertSource(m, "context_request", io.Context.Request)
	stream.AssertSource(m, "desc", io.Desc)
	stream.AssertSource(m, "record", io.Record)
	stream.AssumeSource(m, "served", io.Served)
	stream.AssertSource(m, "left", io.Left)
	stream.AssertSource(m, "fault", io.Fault)
	stream.AssertFrame(m, "out", io.Out)
	packet := io.Record.Data.Entry.Status.None()
	m.Assert("no_packet_without_record", hdl.OrAll(io.Desc.Valid.Not(), b.isAck, b.isAnswer, packet))
	m.Cover("failed", io.Record.Fire().And(b.job.Kind.Is(link.JobPacket)).And(io.Record.Data.Entry.Status.Any()))
	m.Cover("refused", io.Fault.Fire())
	m.Cover("dropped_payload", b.routes.Fire().And(b.routes.Data.Drop))
}
