package hostqueue

import "gornic/hdl/stream"

// properties states the contracts of the streams.
func (b *block) properties() {
	m, io := b.m, b.io
	stream.AssumeFrame(m, "in", io.In)
	stream.AssertFrame(m, "out", io.Out)
	stream.AssertSource(m, "receive_read", io.ReceiveRead.Burst)
	stream.AssertSource(m, "send_read", io.SendRead.Burst)
	stream.AssertSource(m, "receive_burst", io.ReceiveWrite.Burst)
	stream.AssertSource(m, "receive_beat", io.ReceiveWrite.Beat)
	stream.AssertSource(m, "send_burst", io.SendWrite.Burst)
	stream.AssertSource(m, "send_beat", io.SendWrite.Beat)
	stream.AssertSource(m, "to_host", io.Message)
}
