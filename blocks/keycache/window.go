package keycache

import (
	"gornic/format"
	"gornic/hdl"
)

// placed is where in its region a window comes to be. A question on the window looks at
// the entry of the window alone: so that has the translation of the region, from the
// window's first byte on. Of a page list that is the address of the entry of its first page.
type placed struct {
	Before    hdl.Bits `w:"1"`  // it begins before the region
	Longer    hdl.Bits `w:"1"`  // it is longer
	Offset    hdl.Bits `w:"64"` // of its first byte from that of the region
	Room      hdl.Bits `w:"64"` // the last offset at which so many bytes fit
	First     hdl.Bits `w:"21"` // low bits of the region's first virtual address
	PageShift hdl.Bits `w:"8"`
	Region    hdl.Bits `w:"64"` // translation of the region

	From        hdl.Bits `w:"52"` // offset of its first byte from the beginning of the list's first page, in units of 4096 bytes
	Further     hdl.Bits `w:"64"` // how far its translation is behind that of the region
	Translation hdl.Bits `w:"64"`
}

// lay notes the entry that has been read as the region.
func (c *commander) lay(region format.KeyEntry[hdl.Bits]) {
	in, x := c.io.Command.Data.Entry, c.place
	offset, before := minus(in.VA, region.VA)
	room, longer := minus(region.Length, in.Length)
	x.Before.Set(before)
	x.Longer.Set(longer)
	x.Offset.Set(offset)
	x.Room.Set(room)
	x.First.Set(region.VA.Trunc(format.PageShiftMax))
	x.PageShift.Set(region.PageShift)
	x.Region.Set(region.Translation)
}

// outside returns one bit: the window does not lie in the region.
func (c *commander) outside() hdl.Bits {
	return hdl.OrAll(c.place.Before, c.place.Longer, c.place.Offset.Gt(c.place.Room))
}

// pageEntry is log2 of the bytes of a page list's entry.
const pageEntry = 3

// move finds the translation of the window, in three cycles behind lay. It is written much
// later.
func (c *commander) move() {
	x := c.place
	order := x.PageShift.SubK(format.PageShiftMin).Trunc(4) // pages of 4096 << order bytes
	const least = format.PageShiftMin
	inPage := hdl.Cat(hdl.Ones(format.PageShiftMax-least).Shl(order).Not(), hdl.Ones(least))
	x.From.Set(x.Offset.Add(x.First.And(inPage).ZExt(64)).Slice(63, least))
	entries := hdl.Cat(x.From.Shr(order), hdl.K(pageEntry, 0)).ZExt(64)
	x.Further.Set(hdl.Mux(x.PageShift.Any(), entries, x.Offset))
	x.Translation.Set(x.Region.Add(x.Further))
}
