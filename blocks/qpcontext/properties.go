package qpcontext

import (
	"fmt"

	"gornic/hdl/stream"
)

// properties states the contracts of the streams.
func (b *block) properties() {
	m, io := b.m, b.io
	for i, c := range io.Clients {
		stream.AssumeSource(m, fmt.Sprintf("request_%d", i), c.Request)
		stream.AssertSource(m, fmt.Sprintf("reply_%d", i), c.Reply)
	}
	for i, f := range io.Faults {
		stream.AssumeSource(m, fmt.Sprintf("fault_in_%d", i), f)
	}
	stream.AssumeSource(m, "written", io.Write)
	stream.AssertSource(m, "dead", io.Dead)
	stream.AssertSource(m, "async", io.Async)
	m.Assert("write_or_fault", b.kills.And(io.Write.Fire()).Not())
	m.Assert("write_or_lookup", b.looks.And(io.Write.Fire()).Not())
	m.Cover("killed", b.kills)
	m.Cover("looks_beside_a_write", b.looks.And(io.Write.Valid))
}
