package ethport

import (
	"math/bits"

	"gornic/fpga/blocks/mac"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// transmit goes from Tx to the pins; it returns the results in domain net.
func transmit(m *hdl.Module, p Params, io *IO, c clocks) mac.Sent {
	var narrow stream.Frame
	m.In(c.core, func() { narrow = stream.Narrow(m, "u_tx_narrow", io.Tx, between) })
	words := crossFrames(m, "u_tx", narrow, p.Words, c.core, c.net)
	var sent mac.Sent
	m.In(c.net, func() {
		frames := whole(m, p, words)
		t := hdl.Instance(m, "u_transmit", mac.TransmitDef())
		hdl.Connect(t.In, stream.Narrow(m, "u_narrow", frames, 8))
		setPins(io.TxPins, t.Out)
		sent = t.Result
	})
	return sent
}

// whole holds a frame back until its first words have come, or its last.
func whole(m *hdl.Module, p Params, in stream.Frame) stream.Frame {
	queue := hdl.Instance(m, "u_start", stream.FIFODef(in.Data, startWords))
	hdl.Connect(queue.In, in)
	m.Unused(queue.HighWater)

	ends := m.Reg("ends", bits.Len(startWords), 0) // frames in the queue that are there to their end
	open := m.Reg("frame_open", 1, 0)
	enters := queue.In.Fire().And(queue.In.Data.Last)
	leaves := queue.Out.Fire().And(queue.Out.Data.Last)
	m.If(enters.And(leaves.Not()), func() { ends.Set(ends.AddK(1)) })
	m.If(leaves.And(enters.Not()), func() { ends.Set(ends.SubK(1)) })
	m.If(open, func() {
		open.Set(leaves.Not())
	}).Else(func() {
		open.Set(ends.Any().Or(queue.Level.GeK(uint64(p.Start))))
	})
	m.Assert("ends_within_level", ends.Le(queue.Level))
	return stream.Gate(m, "frame", queue.Out, open)
}
