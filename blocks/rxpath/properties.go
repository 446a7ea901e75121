package rxpath

import (
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// properties states that the wire is never held up, and that Raw's buffer says
// that it has no room when the frame's status is there.
func properties(m *hdl.Module, io *IO, rawReady hdl.Bits) {
	stream.AssumeFrame(m, "in", io.In)
	stream.AssertFrame(m, "payload", io.Payload)
	stream.AssertFrame(m, "raw", io.Raw)
	stream.AssertSource(m, "header", io.Header)
	m.Assert("never_stalls", io.In.Ready)
	m.Assert("raw_never_waits", rawReady)

	reported := func(r format.Reason) hdl.Bits {
		return io.Report.Valid.And(io.Report.Reason.Is(uint64(r)))
	}
	m.Cover("passed", reported(format.ReasonEtherType))
	m.Cover("no_room", reported(format.ReasonBufferFull))
}
