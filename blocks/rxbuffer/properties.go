package rxbuffer

import (
	"gornic/format"
	"gornic/hdl/stream"
)

// properties states the contracts of the streams and the order of the pointers.
func (b *buffer) properties() {
	m, io := b.m, b.io
	stream.AssumeSource(m, "status", io.Status)
	stream.AssumeSource(m, "header", io.Header)
	acceptable := io.Status.Valid.And(io.Status.Data.Reason.Is(uint64(format.ReasonOK)))
	m.Assume("header_with_status", acceptable.Not().Or(io.Header.Valid.And(b.idle)))
	stream.AssumeFrame(m, "payload", io.Payload)
	stream.AssumeSource(m, "verdict", io.Verdict)
	stream.AssertSource(m, "out_header", io.OutHeader)
	stream.AssertFrame(m, "out_payload", io.OutPayload)

	used, kept := b.write.Sub(b.read), b.start.Sub(b.read)
	m.Assert("ring_holds", used.LeK(uint64(b.p.Beats)))
	m.Assert("kept_within_written", kept.Le(used))
	places, judged := b.free.Sub(b.fetch), b.next.Sub(b.fetch)
	m.Assert("places_hold", places.LeK(uint64(b.p.Frames)))
	m.Assert("judged_within_kept", judged.Le(places))
	m.Assert("queue_holds", b.last.Sub(b.first).LeK(waiting))
}
