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
	stream.AssumeSource(m, "cnp", io.CNP)
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
	stream.AssertSource(m, "marked", io.Marked)
	stream.AssertSource(m, "resend_fault", io.ResendFault)
	m.Assume("resend_has_segments", hdl.AndAll(io.Job.Valid, io.Job.Data.Kind.Is(link.JobResend), io.Job.Data.Inline).Not())
	stream.AssertFrame(m, "out", io.Out)
	m.Assert("fence_behind_marks", io.Fence.Valid.And(io.Marked.Valid).Not())
	m.Assert("resend_is_not_recorded", io.Record.Valid.And(b.isResend()).Not())
	packet := io.Record.Data.Entry.Status.None()
	m.Assert("no_packet_without_record", hdl.OrAll(io.Desc.Valid.Not(), b.isAck, b.isAnswer, packet))
	m.Cover("failed", io.Record.Fire().And(b.job.Kind.Is(link.JobPacket)).And(io.Record.Data.Entry.Status.Any()))
	m.Cover("resent", io.Resent)
	m.Cover("resend_failed", io.ResendFault.Fire())
	m.Cover("mark_waits", hdl.AndAll(io.Marked.Valid, io.Job.Valid, io.Job.Data.Kind.Is(link.JobMark)))
	m.Cover("refused", io.Fault.Fire())
	m.Cover("dropped_payload", b.routes.Fire().And(b.routes.Data.Drop))
}
