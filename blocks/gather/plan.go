package gather

import (
	"gornic/blocks/pieces"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// burst is what a chunk means: what is asked for, and what is done with it.
type burst struct {
	Beat  hdl.Bits // the first one: its address in beats
	Beats hdl.Bits `w:"8"` // less one
	Skip  hdl.Bits `w:"1"` // nothing is asked for: the packet is given up
	Claim hdl.Bits // words of payload that it completes
	Note  note
}

// note is what is to be known of a burst when it comes. Its beats are turned by
// Turn bytes, so that the first byte comes to where the bytes before it end.
type note struct {
	Turn  hdl.Bits
	Next  hdl.Bits // where in a word the bytes behind it come
	Head  hdl.Bits `w:"1"` // its first beat completes a word
	Tail  hdl.Bits `w:"1"` // its last one does
	First hdl.Bits `w:"1"` // of its packet
	Last  hdl.Bits `w:"1"`
}

func (p Params) note() note {
	return note{Turn: hdl.W(p.indexBits()), Next: hdl.W(p.indexBits())}
}

func (p Params) burst() burst {
	k := p.indexBits()
	return burst{Beat: hdl.W(64 - k), Claim: hdl.W(pieces.ChunkBits(p.Sizes.DataWidth) + 1 - k), Note: p.note()}
}

// plan cuts pieces into chunks and makes bursts of them.
func (b *block) plan() hdl.Stream[burst] {
	m, k := b.m, b.p.indexBits()
	in := pieces.Cut(m, "u_cut", b.io.Piece, b.p.Sizes.DataWidth)
	c := in.Data
	fresh := m.Reg("plan_fresh", 1, 1) // the next chunk is the first of its packet
	fill := m.Reg("plan_fill", k, 0)   // bytes of the word that is not whole yet
	offset := c.Addr.Trunc(k)

	wide := c.Less.Width() + 1
	through := fill.ZExt(wide).Add(c.Less.ZExt(wide)).AddK(1) // bytes with that word's
	whole, next := through.Slice(wide-1, k), through.Trunc(k)
	turn := fill.Sub(offset)
	single := c.Beats.None() // a beat completes one word at most
	head := hdl.Mux(single, through.Bit(k), fill.Ge(offset))
	tail := hdl.Mux(single, through.Bit(k), turn.ZExt(k+1).Add(c.End.ZExt(k+1)).AddK(1).Bit(k))

	out := hdl.NewStream(m, "planned", b.p.burst())
	out.Valid.Set(in.Valid)
	in.Ready.Set(out.Ready)
	hdl.Set(out.Data, burst{
		Beat: c.Addr.Slice(63, k), Beats: c.Beats, Skip: c.Skip,
		Claim: whole.Add(c.Last.And(next.Any()).ZExt(whole.Width())),
		Note:  note{Turn: turn, Next: next, Head: head, Tail: tail, First: fresh, Last: c.Last},
	})
	m.If(in.Fire(), func() {
		fresh.Set(c.Last)
		fill.Set(hdl.Mux(c.Last, fill.K(0), next))
	})
	return stream.ForwardSlice(m, "u_plan", out)
}
