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

// raise notes asynchronous events, the newest of each source, and forgets those of a
// completion queue that is made or removed.
func (b *block) raise() {
	m := b.m
	in, from := stream.RoundRobin(m, "u_asyncs", b.io.Asyncs...)
	m.Unused(from)
	source := b.source(in.Data)
	wake := b.raised.Wakes[0]
	wake.Valid.Set(in.Valid)
	wake.Data.QP.Set(source)
	in.Ready.Set(wake.Ready)
	b.arrives.Set(in.Fire())

	none := hdl.Cat(hdl.K(2, groupCQ), b.forgot.ZExt(b.p.sourceBits()-2))
	entry := async{Live: b.forgets.Not(), Code: in.Data.Code, Vendor: in.Data.Vendor, Number: in.Data.Number}
	b.asyncs.Write(hdl.Mux(b.forgets, none, source), b.forgets.Or(b.arrives), hdl.Pack(entry))
}

// source is the number of an event's source.
func (b *block) source(a link.Async) hdl.Bits {
	n := b.p.sourceBits() - 2
	is := func(e format.AsyncEvent) hdl.Bits { return a.Code.Is(uint64(e)) }
	group := hdl.K(2, groupError)
	group = hdl.Mux(is(format.EventCommEst), hdl.K(2, groupEstab), group)
	group = hdl.Mux(is(format.EventSQDrained), hdl.K(2, groupDrained), group)
	group = hdl.Mux(is(format.EventCQErr), hdl.K(2, groupCQ), group)
	qp, cq := a.Number.Trunc(b.p.Sizes.QPBits).ZExt(n), a.Number.Trunc(b.p.Sizes.CQBits).ZExt(n)
	return hdl.Cat(group, hdl.Mux(is(format.EventCQErr), cq, qp))
}
