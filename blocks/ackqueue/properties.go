package ackqueue

import (
	"gornic/hdl/stream"
)

// properties states the contracts of the streams.
func (b *block) properties() {
	m, io := b.m, b.io
	stream.AssumeSource(m, "placed", io.Placed)
	stream.AssumeSource(m, "control", io.Control)
	stream.AssertSource(m, "completion", io.Completion)
	stream.AssertSource(m, "ack", io.Ack)
	stream.AssertSource(m, "fault", io.Fault)
	m.Cover("bus_error", io.Fault.Fire().And(b.now.BusErr))
	m.Cover("merged", b.owing.Wakes[0].Fire().And(io.Ack.Valid))
}
