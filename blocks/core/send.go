package core

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// send joins what lies between a doorbell and a frame.
func (c *core) send() {
	hdl.Connect(c.wqefetchSQ.Bell, c.doorbell.SQ)
	hdl.Connect(c.wqefetchSQ.Queue, c.requester.Queue)

	retired := stream.Fork(c.m, "u_retired", c.replay.Retired, 2)
	hdl.Connect(c.requester.Retired, retired[0])
	freed := stream.Map(retired[1], func(r link.Retired) link.QPRef {
		c.m.Unused(r.Count, r.Reads)
		return link.QPRef{QP: r.QP}
	})
	for at, wake := range [wakers]hdl.Stream[link.QPRef]{
		wakeFetched: c.wqefetchSQ.Ready, wakeAgain: c.requester.Again, wakeRetired: freed, wakeDead: c.dead[0], wakeKeyOp: c.keyDone(),
		wakeRetry: c.retry.Wake, wakeCommand: c.command.Wake,
	} {
		hdl.Connect(c.scheduler.Wakes[at], wake)
	}
	c.congestion()
	hdl.Connect(c.requester.Grant, c.scheduler.Grant)

	c.jobs()
	c.again()
	hdl.Connect(c.gather.Piece, c.translateTx.Piece)
	hdl.Connect(c.gather.Translated, c.translateTx.Translated)
	hdl.Connect(c.transmit.Gathered, c.gather.Gathered)
	hdl.Connect(c.transmit.Payload, c.gather.Payload)
	hdl.Connect(c.transmit.Inline, c.inline())
	hdl.Connect(c.transmit.Ack, c.ackqueue.Ack)
	hdl.Connect(c.packetbuild.Desc, c.descriptors())
	hdl.Connect(c.packetbuild.Payload, c.transmit.Out)
	hdl.Connect(c.replay.Record, c.transmit.Record)
	hdl.Connect(c.replay.User, c.completer.Replay)
	c.frames()
}

// jobsAhead is how many packets wait for their payload.
const jobsAhead = 8

// Where packets come from.
const (
	fromRequester = iota
	fromResources
	fromResend
	sources
)

// jobs merges requests, responses, and what is sent again, a packet at a time, and their segments in the same order.
func (c *core) jobs() {
	m := c.m
	job, from := stream.RoundRobin(m, "u_jobs", c.requester.Job, c.resources.Job, c.resend.Job)
	type chosen struct {
		Job    link.TxJob
		Source hdl.Bits `w:"2"`
	}
	copies := 2
	if !c.p.NoCongestion {
		copies++ // for those who count what is sent
	}
	both := stream.Fork(m, "u_job", stream.Map(job, func(j link.TxJob) chosen { return chosen{Job: j, Source: from} }), copies)
	hdl.Connect(c.transmit.Job, stream.FIFO(m, "u_tx_jobs", stream.Map(both[0], func(x chosen) link.TxJob {
		m.Unused(x.Source)
		return x.Job
	}), jobsAhead))
	if !c.p.NoCongestion {
		c.pay(stream.Map(both[2], func(x chosen) link.TxJob {
			m.Unused(x.Source)
			return x.Job
		}))
	}
	order := stream.Filter(m, "segments_follow", both[1], both[1].Data.Job.HasSegments())
	source := stream.FIFO(m, "u_segment_order", stream.Map(order, func(x chosen) hdl.Bits {
		m.Unused(hdl.Pack(x.Job))
		return x.Source
	}), jobsAhead)
	hdl.Connect(c.translateTx.Segment, link.Cut(m, c.p.Sizes, "u_tx_segment_cut", stream.Mux(m, "u_tx_segment", []hdl.Stream[link.Segment]{
		fromRequester: stream.FIFO(m, "u_tx_segments", c.requester.Segment, jobsAhead),
		fromResources: stream.FIFO(m, "u_answer_segments", c.resources.Segment, c.p.Sizes.Ahead(2)),
		fromResend:    stream.FIFO(m, "u_resend_segments", c.resend.Segment, 2),
	}, source)))
}

// again joins those who have packets sent again: what was heard, when it is time, and the packets.
func (c *core) again() {
	m := c.m
	hdl.Connect(c.retry.Heard, c.completer.Heard)
	hdl.Connect(c.completer.Failure, c.retry.Failure)
	hdl.Connect(c.retry.Started, c.replay.Started)
	hdl.Connect(c.replay.Waits, c.retry.Waits)
	hdl.Connect(c.replay.Reader, c.resend.Entries)
	hdl.Connect(c.retry.Held, c.requester.Held)
	hdl.Connect(c.requester.Mark, c.retry.Mark)
	hdl.Connect(c.retry.Marked, c.transmit.Marked)
	hdl.Connect(c.resend.Resend, c.retry.Resend)
	hdl.Connect(c.retry.Resent, c.resend.Resent)
	faults, from := stream.RoundRobin(m, "u_resend_faults", c.transmit.ResendFault, c.resend.Fault)
	m.Unused(from)
	hdl.Connect(c.retry.ResendFault, faults)
}

// keyDone tells of a work request on a key that has ended: who waits for it, and the scheduler.
func (c *core) keyDone() hdl.Stream[link.QPRef] {
	if c.keyops == nil {
		link.Silence(c.m, c.requester.KeyOpDone)
		none := hdl.NewStream(c.m, "no_keyop_done", c.p.Sizes.QPRef())
		link.Silence(c.m, none)
		return none
	}
	done := stream.Fork(c.m, "u_keyop_done", c.keyops.Done, 2)
	hdl.Connect(c.requester.KeyOpDone, done[0])
	return stream.Map(done[1], func(d link.KeyOpDone) link.QPRef {
		c.m.Unused(d.Status, d.Vendor)
		return link.QPRef{QP: d.QP}
	})
}

// descriptors has the next descriptor ready when packetbuild is done with one: up to 256 bits that is when the header
// has left, which is all there is of an acknowledgement, and transmit takes some cycles to the next. At 512 bits packetbuild has
// registers of its own.
func (c *core) descriptors() hdl.Stream[format.TxDescriptor[hdl.Bits]] {
	if c.p.Sizes.DataWidth == 512 {
		return c.transmit.Desc
	}
	return stream.ForwardSlice(c.m, "u_tx_desc", c.transmit.Desc)
}

// inlineBytes is room for the inline data of two WQEs.
const inlineBytes = 256

// inline holds inline data whole before its packet leaves.
func (c *core) inline() stream.Frame {
	width := c.p.Sizes.DataWidth
	q := hdl.Instance(c.m, "u_inline", stream.FrameFIFODef(stream.FrameFIFOOptions{Width: width, Depth: inlineBytes * 8 / width}))
	hdl.Connect(q.In, c.requester.Inline)
	c.m.Unused(q.Level, q.HighWater, q.DroppedErr, q.DroppedFull)
	return q.Out
}

// frames merges packets and the frames of the host's network stack, each whole
// before it begins.
func (c *core) frames() {
	q := hdl.Instance(c.m, "u_raw_tx", stream.FrameFIFODef(stream.FrameFIFOOptions{Width: c.p.Sizes.DataWidth, Depth: c.p.Rx.RawBeats}))
	hdl.Connect(q.In, c.io.RawTx.frames())
	c.m.Unused(q.Level, q.HighWater, q.DroppedErr, q.DroppedFull)
	out, from := stream.RoundRobin(c.m, "u_frames", c.packetbuild.Out, q.Out)
	c.m.Unused(from)
	hdl.Connect(c.io.Tx.frames(), stream.Slice(c.m, "u_tx", out))
	tx := c.io.Tx
	c.m.Event("frame_sent", hdl.AndAll(tx.TValid, tx.TReady, tx.TLast))
}
