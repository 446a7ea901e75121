package rxbuffer

import (
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// properties states the contracts of the streams, what the buffer takes for
// granted of the parser, and the order of the pointers.
func (b *buffer) properties() {
	m, io := b.m, b.io
	stream.AssumeSource(m, "status", io.Status)
	stream.AssumeSource(m, "header", io.Header)
	stream.AssumeFrame(m, "payload", io.Payload)
	stream.AssumeSource(m, "verdict", io.Verdict)
	stream.AssertSource(m, "out_header", io.OutHeader)
	stream.AssertFrame(m, "out_payload", io.OutPayload)

	acceptable := io.Status.Valid.And(io.Status.Data.Reason.Is(uint64(format.ReasonOK)))
	m.Assume("header_with_status", acceptable.Not().Or(io.Header.Valid.And(b.idle)))
	b.wholePayload(acceptable)

	used, kept := b.write.Sub(b.read), b.start.Sub(b.read)
	m.Assert("ring_holds", used.LeK(uint64(b.p.Beats)))
	m.Assert("kept_within_written", kept.Le(used))
	places, judged := b.free.Sub(b.fetch), b.next.Sub(b.fetch)
	m.Assert("places_hold", places.LeK(uint64(b.p.Frames)))
	m.Assert("judged_within_kept", judged.Le(places))
	m.Assert("queue_holds", b.last.Sub(b.first).LeK(waiting))
	m.Assert("payload_never_waits", io.Payload.Ready)

	m.Cover("goes_back", b.goBack)
	m.Cover("passes_over", b.job.valid.And(b.job.skip))
	m.Cover("no_room", b.takes.And(b.keep.Not()).And(acceptable))
	m.Cover("packet_leaves", io.OutHeader.Fire())
}

// wholePayload takes for granted that a packet with a status of ReasonOK came with
// as many beats as its payload length takes.
func (b *buffer) wholePayload(acceptable hdl.Bits) {
	m, io := b.m, b.io
	k := log2(b.p.DataWidth / 8)
	width := format.PayloadLenBits - k
	var came hdl.Bits
	m.Ghost(func() {
		came = m.Reg("payload_beats_came", width, 0)
		came.Set(came.Add(b.arrives.ZExt(width)))
		m.If(b.takes, func() { came.SetK(0) })
	})
	beats := io.Header.Data.PayloadLen.SubK(1).Slice(format.PayloadLenBits-1, k).AddK(1)
	m.Assume("payload_is_whole", acceptable.Not().Or(came.Add(b.arrives.ZExt(width)).Eq(beats)))
}
