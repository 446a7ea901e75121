package resources

import (
	"gornic/blocks/link"
	"gornic/hdl/stream"
)

// properties states the contracts of the streams, and where answering can be.
func (b *block) properties() {
	m, io := b.m, b.io
	stream.AssumeSource(m, "request", io.Request)
	stream.AssumeSource(m, "context_reply", io.Context.Reply)
	stream.AssumeSource(m, "result", io.Result)
	stream.AssumeSource(m, "control", io.Control)
	stream.AssumeSource(m, "fence_in", io.FenceIn)
	stream.AssumeSource(m, "rx_fence_in", io.RxFenceIn)
	stream.AssertSource(m, "context_request", io.Context.Request)
	stream.AssertSource(m, "job", io.Job)
	stream.AssertSource(m, "segment", io.Segment)
	stream.AssertSource(m, "served", io.Served)
	stream.AssertSource(m, "atomic", io.Atomic)
	stream.AssertSource(m, "fence_out", io.FenceOut)
	stream.AssertSource(m, "rx_fence_out", io.RxFenceOut)
	m.Assume("request_is_one", io.Request.Valid.Not().Or(io.Request.Data.Resource.Kind.IsNot(link.ResourceNone)))
	m.Assume("result_was_asked_for", io.Result.Valid.Not().Or(b.inFlight.Any()))

	making := b.st.Is(stMake)
	m.Assert("makes_what_is_left", making.Not().Or(b.remaining.MSB().Not()).Or(b.isAtomic(b.entry.Kind)))
	m.Assert("duplicate_stays", b.st.Is(stJudge).Not().Or(io.Request.Valid.And(b.isDuplicate)))
	m.Cover("only", b.makes.And(b.was.Index.None()))
	m.Cover("from_the_middle", b.makes.And(b.was.Anew).And(b.was.Index.Any()))
	m.Cover("atomic_waits", making.And(b.waits()))
	m.Cover("duplicate_dropped", b.settles.And(b.fits.Not()))
}
