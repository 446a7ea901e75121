package resend

import "gornic/hdl/stream"

// properties states the contracts of the streams, and who may speak when.
func (b *block) properties() {
	m, io := b.m, b.io
	stream.AssumeSource(m, "resend", io.Resend)
	stream.AssumeSource(m, "context_reply", io.Context.Reply)
	stream.AssumeSource(m, "entry_reply", io.Entries.Reply)
	stream.AssumeSource(m, "ring_source", io.Ring)
	stream.AssumeSource(m, "read_beat", io.Read.Beat)
	stream.AssumeSource(m, "control_source", io.Control)
	stream.AssumeSource(m, "fence", io.Fence)
	stream.AssumeSource(m, "wake", io.Wake)
	stream.AssertSource(m, "resent", io.Resent)
	stream.AssertSource(m, "context_request", io.Context.Request)
	stream.AssertSource(m, "entry_request", io.Entries.Request)
	stream.AssertSource(m, "read_burst", io.Read.Burst)
	stream.AssertSource(m, "job", io.Job)
	stream.AssertSource(m, "segment", io.Segment)
	stream.AssertSource(m, "fault", io.Fault)
	stream.AssertSource(m, "passed", io.Passed)

	m.Assert("fence_between_turns", io.Passed.Fire().And(b.st.Is(stIdle).Not()).Not())
	m.Assert("job_of_an_entry_that_is_there", io.Job.Valid.Not().Or(b.same.And(b.bad.Not())))
	m.Assert("segments_have_bytes", io.Segment.Valid.Not().Or(io.Segment.Data.Len.Any()))
	m.Cover("entry_gone", b.st.Is(stCheck).And(b.entryHere).And(b.same.Not()))
	m.Cover("overtaken", b.st.Is(stCheck).And(b.entryHere).And(b.turn.newer))
	m.Cover("second_sge", b.st.Is(stNext))
	m.Cover("moved_read", b.st.Is(stCheck).And(b.passed.Any()))
	m.Cover("kept", b.st.Is(stBegin).And(b.turn.fresh.Not()))
	m.Cover("fault", io.Fault.Fire())
	m.Cover("paced", b.st.Is(stDecide).And(b.paced))
	m.Cover("fence", io.Passed.Fire())
}
