package core

import (
	"gornic/hdl"
	"gornic/hdl/stream"
)

// receive joins what lies between a frame and memory, completions and answers.
func (c *core) receive() {
	c.arrive()
	hdl.Connect(c.psncheck.Header, c.rxpath.Header)
	hdl.Connect(c.responder.Request, c.psncheck.Request)
	hdl.Connect(c.psncheck.Outcome, c.responder.Outcome)
	hdl.Connect(c.completer.Response, stream.FIFO(c.m, "u_responses", c.psncheck.Response, 4))
	hdl.Connect(c.completer.Dead, c.dead[1])

	hdl.Connect(c.wqefetchRQ.Bell, c.doorbell.RQ)
	hdl.Connect(c.wqefetchRQ.Queue, c.responder.Queue)
	flush, from := stream.RoundRobin(c.m, "u_flush", c.wqefetchRQ.Ready, c.dead[2])
	c.m.Unused(from)
	hdl.Connect(c.responder.Flush, flush)

	hdl.Connect(c.translateRx.Segment, c.responder.Segment)
	hdl.Connect(c.responder.Translated, c.translateRx.Translated)
	hdl.Connect(c.scatter.Piece, c.translateRx.Piece)
	hdl.Connect(c.scatter.Payload, c.rxpath.Payload)
	hdl.Connect(c.scatter.Commit, c.responder.Commit)
	hdl.Connect(c.ackqueue.Placed, c.scatter.Placed)

	hdl.Connect(c.cqewriter.Completions[0], c.completer.Completion)
	hdl.Connect(c.cqewriter.Completions[1], c.ackqueue.Completion)
	hdl.Connect(c.cqewriter.Update, c.doorbell.CQ)
	hdl.Connect(c.events.Update, c.cqewriter.Seen)
	hdl.Connect(c.events.Written, c.cqewriter.Written)
	hdl.Connect(c.events.EQUpdate, c.doorbell.EQ)
	c.interrupt()
}

// arrive takes frames while the core is enabled: whole ones, since it may be
// switched in the middle of a frame.
func (c *core) arrive() {
	m, in := c.m, c.io.Rx.frames()
	inside := m.Reg("rx_inside", 1, 0) // a frame has begun,
	passes := m.Reg("rx_passes", 1, 0) // and is taken
	takes := hdl.Mux(inside, passes, c.registers.Settings.Enabled)
	c.rxpath.In.Valid.Set(in.Valid.And(takes))
	hdl.Set(c.rxpath.In.Data, in.Data)
	in.Ready.Set(c.rxpath.In.Ready.Or(takes.Not()))
	m.If(in.Fire(), func() {
		inside.Set(in.Data.Last.Not())
		passes.Set(takes)
	})
	hdl.Connect(c.io.RawRx.frames(), c.rxpath.Raw)
	m.Event("frame_came", c.rxpath.In.Fire().And(c.rxpath.In.Data.Last))
	m.Unused(c.rxpath.Accepted, c.rxpath.Passed, c.rxpath.Full, c.rxpath.Refused, c.rxpath.HighWater, c.rxpath.RawHigh)
}

// interrupt joins events, the registers that software looks at, and the outside.
func (c *core) interrupt() {
	c.events.Moderation.Set(c.registers.Settings.Moderation)
	c.registers.Raise.Set(c.events.Raise)
	c.io.IRQ.Set(c.registers.Pending.Any())
	hdl.Connect(c.io.Interrupt, c.events.Message)
}
