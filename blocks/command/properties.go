package command

import "gornic/hdl/stream"

// properties states the contracts of the streams.
func (b *block) properties() {
	m, io := b.m, b.io
	stream.AssumeSource(m, "go", io.Go)
	stream.AssumeSource(m, "context_reply", io.Context.Reply)
	stream.AssertSource(m, "ended", io.Done)
	stream.AssertSource(m, "context_request", io.Context.Request)
	stream.AssertSource(m, "written", io.Write)
	stream.AssertSource(m, "control", io.Control)
	stream.AssertSource(m, "sq", io.SQ)
	stream.AssertSource(m, "rq", io.RQ)
	stream.AssertSource(m, "owner", io.Owner)
	stream.AssertSource(m, "cq", io.CQ)
	stream.AssertSource(m, "eq", io.EQ)
	stream.AssertSource(m, "key", io.Key)
	stream.AssertSource(m, "wake", io.Wake)
	m.Cover("refused", io.Done.Valid.And(b.status.Any()))
	m.Cover("passed", b.passed.tx.And(b.passed.rx))
}
