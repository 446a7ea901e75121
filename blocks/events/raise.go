package events

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Groups of sources of asynchronous events. Events of one group and number
// replace each other: the errors of a queue pair, of which it has one.
const (
	groupCQ      = 0 // EventCQErr
	groupError   = 1 // EventQPFatal, EventQPReqErr, EventQPAccessErr
	groupEstab   = 2 // EventCommEst
	groupDrained = 3 // EventSQDrained
)

// sourced is an asynchronous event with the number of its source.
type sourced struct {
	Event  link.Async
	Source hdl.Bits
}

// raised brings asynchronous events together, and finds their sources.
func (b *block) raised() hdl.Stream[sourced] {
	in, from := stream.RoundRobin(b.m, "u_asyncs", b.io.Asyncs...)
	b.m.Unused(from)
	return stream.Slice(b.m, "u_raised", stream.Map(in, func(a link.Async) sourced {
		return sourced{Event: a, Source: b.source(a)}
	}))
}

// source is the number of an event's source.
func (b *block) source(a link.Async) hdl.Bits {
	n := b.p.sourceBits() - 2
	is := func(e format.AsyncEvent) hdl.Bits { return a.Code.Is(uint64(e)) }
	group := hdl.K(2, groupError)
	group = hdl.Mux(is(format.EventCommEst), hdl.K(2, groupEstab), group)
	group = hdl.Mux(is(format.EventSQDrained), hdl.K(2, groupDrained), group)
	group = hdl.Mux(is(format.EventCQErr), hdl.K(2, groupCQ), group)
	qp, cq := a.Number.Trunc(b.p.Sizes.QPBits).ZExt(n), a.Number.Trunc(b.p.Sizes.CQBits)
	return hdl.Cat(group, hdl.Mux(is(format.EventCQErr), cq.ZExt(n), qp))
}

// ofCQ is the source that a completion queue is.
func (b *block) ofCQ(cq hdl.Bits) hdl.Bits {
	return hdl.Cat(hdl.K(2, groupCQ), cq.ZExt(b.p.sourceBits()-2))
}
