package core

import (
	"gornic/hdl"
	"gornic/hdl/stream"
)

// receive joins what lies between a frame and memory, completions and answers.
func (c *core) receive() {
	c.arrive()
	hdl.Connect(c.psn.Header, c.rx.Header)
	hdl.Connect(c.responder.Request, c.psn.Request)
	hdl.Connect(c.psn.Outcome, c.responder.Outcome)
	hdl.Connect(c.completer.Response, stream.FIFO(c.m, "u_responses", c.psn.Response, 4))
	hdl.Connect(c.completer.Dead, c.dead[1])

	hdl.Connect(c.rq.Bell, c.doorbell.RQ)
	hdl.Connect(c.rq.Queue, c.responder.Queue)
	flush, from := stream.RoundRobin(c.m, "u_flush", c.rq.Ready, c.dead[2])
	c.m.Unused(from)
	hdl.Connect(c.responder.Flush, flush)

	hdl.Connect(c.rxPages.Segment, c.responder.Segment)
	hdl.Connect(c.responder.Translated, c.rxPages.Translated)
	hdl.Connect(c.scatter.Piece, c.rxPages.Piece)
	hdl.Connect(c.scatter.Payload, c.rx.Payload)
	hdl.Connect(c.scatter.Commit, c.responder.Commit)
	hdl.Connect(c.acks.Placed, c.scatter.Placed)

	hdl.Connect(c.cqes.Completions[0], c.completer.Completion)
	hdl.Connect(c.cqes.Completions[1], c.acks.Completion)
	hdl.Connect(c.cqes.Update, c.doorbell.CQ)
	hdl.Connect(c.events.Update, c.cqes.Seen)
	hdl.Connect(c.events.Written, c.cqes.Written)
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
	c.rx.In.Valid.Set(in.Valid.And(takes))
	hdl.Set(c.rx.In.Data, in.Data)
	in.Ready.Set(c.rx.In.Ready.Or(takes.Not()))
	m.If(in.Fire(), func() {
		inside.Set(in.Data.Last.Not())
		passes.Set(takes)
	})
	hdl.Connect(c.io.RawRx.frames(), c.rx.Raw)
	m.Event("frame_came", c.rx.In.Fire().And(c.rx.In.Data.Last))
	m.Unused(c.rx.Accepted, c.rx.Passed, c.rx.Full, c.rx.Refused, c.rx.HighWater, c.rx.RawHigh)
}

// interrupt joins events, the registers that software looks at, and the outside.
func (c *core) interrupt() {
	c.events.Moderation.Set(c.registers.Settings.Moderation)
	c.registers.Raise.Set(c.events.Raise)
	c.io.IRQ.Set(c.registers.Pending.Any())
	hdl.Connect(c.io.Interrupt, c.events.Message)
}
