package scatter

import (
	"gornic/blocks/link"
	"gornic/blocks/pieces"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// plan is a burst, and how the bytes of payload come to its beats. The bytes of a beat of memory
// come from one beat of payload or from two.
type plan struct {
	Beat  hdl.Bits // the first one: its address in beats
	Beats hdl.Bits `w:"8"` // less one
	One   hdl.Bits `w:"1"` // it has one beat
	Start hdl.Bits // where the first byte goes in its beat
	End   hdl.Bits // and the last one
	Past  hdl.Bits // the bytes before the first one in its beat of payload,
	Then  hdl.Bits // and before that of each further beat of memory
	Turn  hdl.Bits // how far bytes turn
	Head  span     // of the first beat
	Tail  span     // of the last one
	Skip  hdl.Bits `w:"1"` // no burst: the rest of the payload is dropped
	Last  hdl.Bits `w:"1"` // of its packet
}

// span is what a beat of memory takes.
type span struct {
	Both hdl.Bits `w:"1"` // bytes of the next beat of payload, too
	Ends hdl.Bits `w:"1"` // all that is left of the present one
}

// makePlan cuts pieces into chunks and makes plans of them.
func makePlan(m *hdl.Module, p Params, piece hdl.Stream[link.Piece]) hdl.Stream[plan] {
	k, n := p.indexBits(), p.bytes()
	in := stream.FIFO(m, "u_chunks", pieces.Cut(m, "u_cut", piece, p.Sizes.DataWidth), 4)
	c := in.Data
	from := m.Reg("payload_at", k, 0) // where in its beat the next byte of payload is
	start := c.Addr.Trunc(k)
	then := from.Sub(start)
	one := c.Beats.None()
	spanOf := func(from, last hdl.Bits) span { // bytes from to from + last
		reach := from.ZExt(k + 1).Add(last.ZExt(k + 1)).AddK(1)
		return span{Both: reach.Bit(k).And(reach.Trunc(k).Any()), Ends: reach.Bit(k)}
	}
	alone := spanOf(from, c.Less.Trunc(k))
	first := span{Both: from.Gt(start), Ends: from.Ge(start)}

	m.Unused(c.Less.Slice(c.Less.Width()-1, k)) // Beats has it

	out := hdl.NewStream(m, "planned", plan{
		Beat: hdl.W(64 - k), Start: hdl.W(k), End: hdl.W(k), Past: hdl.W(n), Then: hdl.W(n), Turn: hdl.W(k),
	})
	out.Valid.Set(in.Valid)
	in.Ready.Set(out.Ready)
	hdl.Set(out.Data, plan{
		Beat: c.Addr.Slice(63, k), Beats: c.Beats, One: one, Start: start, End: c.End,
		Past: pieces.Below(from, n), Then: pieces.Below(then, n), Turn: start.Sub(from),
		Head: hdl.MuxOf(one, alone, first), Tail: hdl.MuxOf(one, alone, spanOf(then, c.End)),
		Skip: c.Skip, Last: c.Last,
	})
	m.If(in.Fire(), func() {
		from.Set(hdl.Mux(c.Last, from.K(0), from.Add(c.Less.Trunc(k)).AddK(1)))
	})
	return stream.ForwardSlice(m, "u_plan", out)
}
