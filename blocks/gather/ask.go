package gather

import (
	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// ask sends bursts as there is room for what they complete, and notes them.
func (b *block) ask(in hdl.Stream[burst]) {
	m, k, w := b.m, b.p.indexBits(), b.room.Width()
	mine := m.Reg("packet_claims", w, 0) // words claimed by the packet so far
	c := in.Data
	claim := c.Claim.ZExt(w)
	ends := c.Note.Last

	bursts, notes := hdl.NewStream(m, "ask", link.ReadBurst{}), hdl.NewStream(m, "note", b.p.note())
	short := b.room.ZExt(w + 1).Sub(claim.ZExt(w + 1)).MSB() // of room
	open := hdl.AndAll(c.Skip.Not(), short.Not(), ends.Not().Or(b.waiting.IsNot(outstanding)))
	both := bursts.Ready.And(notes.Ready)
	asks := hdl.AndAll(in.Valid, open, both)
	bursts.Valid.Set(hdl.AndAll(in.Valid, open, notes.Ready))
	notes.Valid.Set(hdl.AndAll(in.Valid, open, bursts.Ready))
	in.Ready.Set(c.Skip.Or(open.And(both)))
	hdl.Set(bursts.Data, link.ReadBurst{Addr: hdl.Cat(c.Beat, hdl.K(k, 0)), Len: c.Beats})
	hdl.Set(notes.Data, c.Note)

	b.claims = hdl.Mux(asks, claim, claim.K(0))
	b.forgets = hdl.Mux(in.Valid.And(c.Skip), mine, mine.K(0))
	b.whole = asks.And(ends)
	m.If(in.Fire(), func() { mine.Set(hdl.Mux(ends, mine.K(0), mine.Add(claim))) })
	b.notes = stream.FIFO(m, "u_notes", notes, outstanding)
	hdl.Connect(b.io.Read.Burst, stream.Slice(m, "u_ask", bursts))
}
