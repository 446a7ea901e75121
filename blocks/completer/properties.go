package completer

import (
	"gornic/hdl/stream"
)

// properties states the contracts of the streams.
func (b *block) properties() {
	m, io := b.m, b.io
	stream.AssumeSource(m, "response", io.Response)
	stream.AssumeSource(m, "oldest", io.Replay.Oldest)
	stream.AssumeSource(m, "recorded", io.Replay.Recorded)
	stream.AssumeSource(m, "context_reply", io.Context.Reply)
	stream.AssumeSource(m, "control", io.Control)
	stream.AssertSource(m, "context_request", io.Context.Request)
	stream.AssertSource(m, "request", io.Replay.Request)
	stream.AssertSource(m, "completion", io.Completion)
	stream.AssertSource(m, "fault", io.Fault)
	stream.AssertSource(m, "heard", io.Heard)
	stream.AssumeSource(m, "failure", io.Failure)
	m.Cover("failure_heard", b.st.Is(stDie))
}
