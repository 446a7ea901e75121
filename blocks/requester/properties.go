package requester

import (
	"gornic/blocks/link"
	"gornic/hdl/stream"
)

// properties states the contracts of the streams.
func (b *block) properties() {
	m, io := b.m, b.io
	stream.AssumeSource(m, "grant", io.Grant)
	stream.AssumeSource(m, "context_reply", io.Context.Reply)
	stream.AssumeSource(m, "head_reply", io.Queue.Head)
	stream.AssumeSource(m, "granule", io.Queue.Granule)
	stream.AssumeSource(m, "control", io.Control)
	stream.AssumeSource(m, "fence", io.Fence)
	stream.AssumeSource(m, "mark", io.Mark)
	stream.AssumeSource(m, "retired_source", io.Retired)
	stream.AssumeSource(m, "key_op_done", io.KeyOpDone)
	stream.AssertSource(m, "context_request", io.Context.Request)
	stream.AssertSource(m, "head_request", io.Queue.Request)
	stream.AssertSource(m, "read", io.Queue.Read)
	stream.AssertSource(m, "take", io.Queue.Take)
	stream.AssertSource(m, "job", io.Job)
	stream.AssertSource(m, "segment", io.Segment)
	stream.AssertSource(m, "issue", io.Issue)
	stream.AssertSource(m, "key_op", io.KeyOp)
	stream.AssertSource(m, "again", io.Again)
	stream.AssertSource(m, "async", io.Async)
	stream.AssertFrame(m, "inline", io.Inline)
	m.Cover("record", io.Job.Fire().And(io.Job.Data.Entry.Status.Any()))
	m.Cover("second_sge", b.st.Is(stNext))
	m.Cover("fence", io.Fence.Fire())
	m.Cover("mark", io.Mark.Fire())
	m.Cover("mark_and_fence", io.Mark.Fire().And(io.Fence.Valid))
	m.Cover("drained", io.Async.Fire())
	m.Cover("probe", io.Segment.Fire().And(io.Segment.Data.Probe))
	if b.keyRequests() {
		m.Cover("settled", io.Job.Fire().And(io.Job.Data.Entry.Kind.Is(link.EntryLocal)))
		m.Cover("invited", b.st.Is(stInvite))
	}
}
