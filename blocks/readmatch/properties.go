package readmatch

import (
	"gornic/hdl/stream"
)

func (b *block) properties() {
	m, io := b.m, b.io
	stream.AssumeSource(m, "packet", io.Packet)
	stream.AssumeSource(m, "issue", io.Issue)
	stream.AssumeSource(m, "config", io.Ring)
	stream.AssumeSource(m, "control", io.Control)
	stream.AssumeSource(m, "beat", io.Read.Beat)
	stream.AssertSource(m, "matched", io.Matched)
	stream.AssertSource(m, "source", io.Source)
	stream.AssertFrame(m, "value", io.Value)
	stream.AssertSource(m, "burst", io.Read.Burst)
}
