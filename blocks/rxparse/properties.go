package rxparse

import (
	"gornic/hdl"
	"gornic/hdl/stream"
)

// properties states the contracts of the streams.
func properties(m *hdl.Module, io *IO, p *pipeline) {
	stream.AssumeFrame(m, "in", io.In)
	stream.AssertFrame(m, "payload", io.Payload)
	stream.AssertFrame(m, "raw", io.Raw)
	stream.AssertSource(m, "header", io.Header)
	stream.AssertSource(m, "status", io.Status)
}
