package scatter

import (
	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// present is the beat of memory that is made next.
type present struct {
	first hdl.Bits // of its burst
	last  hdl.Bits // of its burst
	ends  hdl.Bits // of its packet
	span  span
	past  hdl.Bits // bytes of the present beat of payload that are used up
}

// step goes through the beats of a burst. The first one waits until the burst can be announced.
func (b *block) step() {
	m, x := b.m, b.plan.Data
	begun := m.Reg("burst_begun", 1, 0)
	left := m.RegN("beats_left", 8) // of the burst, less one
	none := m.RegN("none_left", 1)  // that is zero
	n := &b.now
	n.first = begun.Not()
	count := hdl.Mux(begun, left, x.Beats)
	n.last = hdl.Mux(begun, none, x.One)
	n.ends = n.last.And(x.Last)
	n.past = hdl.Mux(begun, x.Then, x.Past)
	whole := span{Both: x.Then.Bit(0), Ends: hdl.K(1, 1)}
	n.span = hdl.MuxOf(n.first, x.Head, hdl.MuxOf(n.last, x.Tail, whole))

	ready := hdl.AndAll(b.plan.Valid, b.has, b.draining.Not())
	announces := b.bursts.Ready.And(b.tickets.Ready).Or(begun)
	bytes := n.span.Both.Not().Or(b.io.Payload.Valid)
	b.moves = hdl.AndAll(ready, x.Skip.Not(), announces, bytes, b.free)
	b.skips = hdl.AndAll(ready, x.Skip, b.tickets.Ready)
	b.plan.Ready.Set(b.skips.Or(b.moves.And(n.last)))
	m.If(b.moves, func() {
		begun.Set(n.last.Not())
		left.Set(count.SubK(1))
		none.Set(count.Is(1))
	})
}

// front keeps the beat of payload whose bytes are due. At the end of a packet, the
// rest of its frame is dropped.
func (b *block) front() {
	m, in, n := b.m, b.io.Payload, b.now
	over := b.skips.Or(b.moves.And(n.ends))                                   // a packet ends here,
	reached := hdl.Mux(b.skips.Not().And(n.span.Both), in.Data.Last, b.final) // and its frame with it
	next := b.moves.And(n.span.Both)                                          // the next beat is begun
	empties := hdl.Mux(over, reached, b.moves.And(n.span.Ends))               // the present one is done with
	in.Ready.Set(hdl.OrAll(b.draining, b.has.Not(), next, empties))
	m.If(in.Fire(), func() {
		b.beat.Set(in.Data.Data)
		b.final.Set(in.Data.Last)
	})
	m.If(b.draining, func() {
		m.If(in.Fire(), func() { b.draining.Set(in.Data.Last.Not()) })
	}).ElseIf(over, func() {
		b.has.Set(hdl.AndAll(reached, next.Not(), in.Valid))
		b.draining.Set(reached.Not())
	}).ElseIf(b.has.Not().Or(next).Or(empties), func() {
		b.has.Set(in.Valid)
	})
	m.Unused(in.Data.Keep, in.Data.Err) // pieces have the length; only good packets come
	m.Assume("payload_is_long_enough", next.Not().Or(b.final.Not()))
}

// announce sends a burst with its first beat, and notes what will be answered.
func (b *block) announce() {
	x, k := b.plan.Data, b.p.indexBits()
	begins := b.moves.And(b.now.first)
	b.bursts.Valid.Set(begins)
	hdl.Set(b.bursts.Data, link.WriteBurst{Addr: hdl.Cat(x.Beat, hdl.K(k, 0)), Len: x.Beats})
	hdl.Connect(b.io.Write.Burst, stream.Slice(b.m, "u_burst", b.bursts))
	b.tickets.Valid.Set(begins.Or(b.skips))
	hdl.Set(b.tickets.Data, ticket{Burst: b.skips.Not(), Last: x.Last})
}
