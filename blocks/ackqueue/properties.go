package ackqueue

import (
	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// properties states the contracts of the streams.
func (b *block) properties() {
	m, io := b.m, b.io
	stream.AssumeSource(m, "placed", io.Placed)
	stream.AssumeSource(m, "control", io.Control)
	stream.AssumeSource(m, "served_in", io.Served)
	stream.AssertSource(m, "completion", io.Completion)
	stream.AssertSource(m, "resource", io.Resource)
	stream.AssertSource(m, "ack", io.Ack)
	stream.AssertSource(m, "fault", io.Fault)
	p := io.Placed
	kind := p.Data.Commit.Kind
	m.Assume("requests_and_fences", hdl.OrAll(p.Valid.Not(), kind.Is(link.CommitRequest), kind.Is(link.CommitFence)))
	m.Assert("one_writer_of_debts", b.gives.And(b.changes).Not())
	m.Cover("bus_error", io.Fault.Fire().And(b.now.BusErr))
	m.Cover("merged", b.owing.Wakes[0].Fire().And(io.Ack.Valid))
}
