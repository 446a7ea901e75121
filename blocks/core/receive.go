package core

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// receive joins what lies between a frame and memory, completions and answers.
func (c *core) receive() {
	c.arrive()
	hdl.Connect(c.psncheck.Header, c.rxpath.Header)
	hdl.Connect(c.psncheck.Dead, c.dead[1])
	hdl.Connect(c.readmatch.Packet, c.psncheck.Request)
	hdl.Connect(c.readmatch.Issue, c.requester.Issue)
	hdl.Connect(c.responder.Request, c.readmatch.Matched)
	hdl.Connect(c.psncheck.Outcome, c.responder.Outcome)

	hdl.Connect(c.wqefetchRQ.Bell, c.doorbell.RQ)
	hdl.Connect(c.wqefetchRQ.Queue, c.responder.Queue)
	if c.p.Credits {
		hdl.Connect(c.wqefetchRQ.Credits[creditAckQueue], c.ackqueue.Credits[0])
		hdl.Connect(c.wqefetchRQ.Credits[creditTransmit], c.transmit.Credits[0])
	}
	flush, from := stream.RoundRobin(c.m, "u_flush", c.wqefetchRQ.Ready, c.dead[2])
	c.m.Unused(from)
	hdl.Connect(c.responder.Flush, flush)

	hdl.Connect(c.translateRx.Segment, c.responder.Segment)
	hdl.Connect(c.responder.Translated, c.translateRx.Translated)
	hdl.Connect(c.scatter.Piece, c.translateRx.Piece)
	hdl.Connect(c.scatter.Payload, stream.Mux(c.m, "u_payload", []stream.Frame{c.rxpath.Payload, c.readmatch.Value}, c.readmatch.Source))
	hdl.Connect(c.scatter.Commit, c.responder.Commit)
	c.placed()
	c.answers()

	hdl.Connect(c.cqewriter.Completions[0], c.completer.Completion)
	hdl.Connect(c.cqewriter.Completions[1], c.ackqueue.Completion)
	hdl.Connect(c.cqewriter.Update, c.doorbell.CQ)
	hdl.Connect(c.events.Update, c.cqewriter.Seen)
	hdl.Connect(c.events.Written, c.cqewriter.Written)
	hdl.Connect(c.events.EQUpdate, c.doorbell.EQ)
	c.interrupt()
}

// placed sends what memory has answered for to the half of its queue pair that it is for.
func (c *core) placed() {
	m, in := c.m, c.scatter.Placed
	kind := in.Data.Commit.Kind
	response := kind.Is(link.CommitResponse).Or(kind.Is(link.CommitDead))
	halves := stream.Demux(m, "u_placed", in, response, 2)
	hdl.Connect(c.ackqueue.Placed, halves[0])
	hdl.Connect(c.completer.Response, stream.FIFO(m, "u_responses", stream.Map(halves[1], func(p link.Placed) link.RxResponse {
		r := p.Commit
		hdl.UnusedBut(m, p, r.Kind, r.QP, r.Match, r.PSN, r.Syndrome, r.Fault, r.Completion.QPN, r.Completion.CQ, p.BusErr)
		fault := hdl.Mux(p.BusErr, hdl.K(link.FaultBits, uint64(format.VendorBusWrite)), r.Fault)
		return link.RxResponse{
			QP: r.QP, Dead: r.Kind.Is(link.CommitDead), Match: r.Match, PSN: r.PSN, Syndrome: r.Syndrome, Fault: fault,
			QPN: r.Completion.QPN, SendCQ: r.Completion.CQ,
		}
	}), c.p.Sizes.Ahead(4)))
}

// answers joins what answers READs and atomics: resources in their order, and the unit that executes
// atomics.
func (c *core) answers() {
	m := c.m
	hdl.Connect(c.resources.Request, stream.FIFO(m, "u_resource", c.ackqueue.Resource, c.p.Sizes.Ahead(2)))
	served := stream.Fork(m, "u_served", c.resources.Served, 2)
	hdl.Connect(c.responder.Served, served[0])
	hdl.Connect(c.transmit.Served, served[1])
	c.transmit.Given.Set(c.resources.Made)
	hdl.Connect(c.ackqueue.Served, c.transmit.Left)
	if c.atomic == nil {
		c.noAtomics()
		return
	}
	hdl.Connect(c.atomic.Command, c.resources.Atomic)
	hdl.Connect(c.atomic.Operands, c.responder.Operands)
	hdl.Connect(c.resources.Result, c.atomic.Result)
	hdl.Connect(c.psncheck.AtomicDone, c.atomic.Done)
}

// noAtomics joins those who would hand atomics on with nobody.
func (c *core) noAtomics() {
	m := c.m
	link.Ignore(m, c.resources.Atomic)
	link.Ignore(m, c.responder.Operands)
	link.Silence(m, c.resources.Result)
	link.Silence(m, c.psncheck.AtomicDone)
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
