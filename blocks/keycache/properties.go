package keycache

import (
	"fmt"

	"gornic/hdl/stream"
)

// properties states the contracts of the streams.
func (b *block) properties() {
	m, io := b.m, b.io
	stream.AssumeSource(m, "command_in", io.Command)
	stream.AssertSource(m, "done", io.Done)
	stream.AssertSource(m, "burst", io.Read.Burst)
	stream.AssertSource(m, "write", io.Write.Burst)
	stream.AssertSource(m, "write_beat", io.Write.Beat)
	for i, c := range io.Clients {
		stream.AssumeSource(m, fmt.Sprintf("request_%d", i), c.Request)
		stream.AssertSource(m, fmt.Sprintf("answer_%d", i), c.Reply)
	}
}
