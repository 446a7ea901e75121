package readmatch

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
)

// measure compares the SGE with what is left of the payload.
func (b *block) measure() {
	rest := b.place.Rest.Length
	b.fits.Set(rest.Ge(b.owed.ZExt(32)))
	b.none.Set(rest.None())
}

// isData is one where the payload has a place.
func (b *block) isData() hdl.Bits {
	return b.found.Match.Is(link.MatchData).Or(b.found.Match.Is(link.MatchDone))
}

// lacks is one where the SGE takes not all of the payload.
func (b *block) lacks() hdl.Bits {
	return hdl.AndAll(b.isData(), b.failed.Not(), b.fits.Not())
}

// putPiece gives the piece of the payload that the SGE takes, or all there is to be said of
// the packet.
func (b *block) putPiece() {
	m, rest := b.m, b.place.Rest
	moves := b.room.And(b.free)
	m.If(b.room, func() { b.told.SetK(1) })
	m.If(moves.And(b.lacks()), func() {
		b.owed.Set(b.owed.Sub(rest.Length.Trunc(link.LengthBits)))
		b.st.Goto(stNext)
	}).ElseIf(moves, func() {
		rest.Addr.Set(rest.Addr.Add(b.owed.ZExt(64)))
		rest.Length.Set(rest.Length.Sub(b.owed.ZExt(32)))
		b.st.Goto(stSave)
	})
}

// piece is the Matched of a response that was judged.
func (b *block) piece() link.RxMatched {
	d, rest, lacks := b.packet.Data, b.place.Rest, b.lacks()
	data := b.isData()
	bytes := hdl.Mux(lacks, rest.Length.Trunc(link.LengthBits), b.owed)
	d.PayloadLen = hdl.Mux(data, bytes, d.PayloadLen)
	d.Ext = local(d, format.RETH[hdl.Bits]{VA: rest.Addr, RKey: rest.LKey, DMALen: bytes.ZExt(32)})
	return link.RxMatched{
		Packet: d, Match: b.found.Match,
		Fault: hdl.Mux(data.And(b.failed), hdl.K(link.FaultBits, uint64(format.VendorWQERead)), hdl.K(link.FaultBits, 0)),
		Skip:  hdl.Mux(data, b.failed, d.PayloadLen.Any()), More: lacks,
	}
}

// local is the extension headers of a response on its way to a place of local memory.
func local(d link.RxRequest, r format.RETH[hdl.Bits]) [7]hdl.Bits {
	words := d.Ext
	packed := hdl.Pack(r)
	for i := range 4 {
		words[i] = packed.Slice(127-32*i, 96-32*i)
	}
	words[4] = aeth(d)
	return words
}
