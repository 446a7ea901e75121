package packetbuild

import (
	"gornic/hdl"
	"gornic/hdl/stream"
)

func properties(m *hdl.Module, io *IO) {
	stream.AssumeSource(m, "desc", io.Desc)
	stream.AssumeFrame(m, "payload", io.Payload)
	stream.AssertFrame(m, "out", io.Out)
}
