package hostnet

import (
	"slices"

	"gornic/format"
	"gornic/fpga/blocks/port"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// idxBits is the width of a beat's number in a frame: as many as the longest has, and more.
const idxBits = 8

// filter looks at frames while they come, two registers long, marks those that are none of the protocol's, and
// keeps the good ones until they are looked at. What passes has a whole header and as many words as the header says.
func (b *block) filter() stream.Frame {
	m, in := b.m, b.io.In
	q := hdl.Instance(m, "u_receive", stream.FrameFIFODef(stream.FrameFIFOOptions{Width: port.DataWidth, Depth: b.p.Receive, DropWhenFull: true}))
	m.Unused(q.Level, q.HighWater, q.In.Ready) // always ready
	in.Ready.SetK(1)

	idx := m.Reg("filter_next", idxBits, 0)
	there, at := m.Reg("filter_valid", 1, 0), m.RegN("filter_index", idxBits)
	beat := hdl.NewReg(m, "filter_beat", in.Data)
	there.Set(in.Valid)
	m.If(in.Valid, func() {
		hdl.Set(beat, in.Data)
		at.Set(idx)
		m.If(in.Data.Last, func() { idx.SetK(0) }).ElseIf(idx.All().Not(), func() { idx.Set(idx.AddK(1)) })
	})

	checked, verdict := m.Reg("checked_valid", 1, 0), hdl.NewReg(m, "checked_beat", in.Data)
	fields, whole, number := m.RegN("checked_fields", headerBeats), m.RegN("checked_whole", 1), m.RegN("checked_number", idxBits)
	checked.Set(there)
	hdl.Set(verdict, beat)
	number.Set(at)
	header, length := b.fits(beat, at, there)
	fields.Set(header)
	whole.Set(length)

	bad := m.Reg("checked_bad", 1, 0) // a beat before it does not fit
	fit := make([]hdl.Bits, headerBeats)
	for i := range fit {
		fit[i] = fields.Bit(i)
	}
	fits := number.GeK(headerBeats).Or(hdl.Select(number.Trunc(3), fit...))
	wrong := fits.And(whole).Not().Or(number.Any().And(bad))
	m.If(checked, func() { bad.Set(wrong) })
	q.In.Valid.Set(checked)
	hdl.Set(q.In.Data, stream.Beat{
		Data: verdict.Data, Keep: verdict.Keep, Last: verdict.Last, Err: verdict.Last.And(wrong.Or(verdict.Err)),
	})

	dropped := m.Reg("dropped_now", 1, 0)
	dropped.Set(q.DroppedErr.Or(q.DroppedFull))
	b.io.Dropped.Set(dropped)
	m.Event("dropped", dropped)
	return q.Out
}

// fits returns a bit for each beat of a header, which is one where the beat could be that one; and whether the end is where it has to be.
func (b *block) fits(beat stream.Beat, at, valid hdl.Bits) (header, whole hdl.Bits) {
	m := b.m
	wire := hdl.SwapBytes(beat.Data) // the first byte in the highest bits
	byteAt := func(i, n int) hdl.Bits { return wire.Slice(63-8*i, 64-8*(i+n)) }
	end, words := m.RegN("filter_end", 13), m.RegN("filter_words", 13) // number of the last beat, and of words, as the UDP header has it
	length := byteAt(6, 2)
	m.If(valid.And(at.Is(4)), func() {
		end.Set(length.Slice(15, 3).AddK(headerBeats - 1 - udpBytes/8))
		words.Set(length.Slice(15, 3).SubK(udpBytes / 8))
	})

	anything := hdl.K(1, 1)
	header = hdl.Cat(reversed(
		byteAt(0, 6).Eq(b.io.MAC),
		byteAt(4, 3).Is(format.EtherTypeIPv4<<8|0x45),
		hdl.AndAll(byteAt(4, 2).And(hdl.K(16, 0x3FFF)).None(), byteAt(7, 1).Is(format.ProtocolUDP)), // not a fragment
		byteAt(6, 2).Eq(b.io.IP.Slice(31, 16)),
		hdl.AndAll(byteAt(0, 2).Eq(b.io.IP.Trunc(16)), byteAt(4, 2).Is(format.HostnetPort), length.Trunc(3).Is(udpBytes%8)),
		byteAt(2, 2).Is(format.HostnetMagic),
		anything,
		hdl.AndAll(byteAt(5, 1).ZExt(13).Eq(words), byteAt(5, 1).LeK(format.HostnetWords)),
	)...)
	ends := hdl.AndAll(at.GeK(headerBeats-1), at.ZExt(13).Eq(end), beat.Keep.All())
	return header, beat.Last.Not().Or(ends)
}

// reversed has the first value last: in the lowest bit of a Cat.
func reversed(xs ...hdl.Bits) []hdl.Bits {
	slices.Reverse(xs)
	return xs
}
