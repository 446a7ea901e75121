package icrc

import (
	"math/bits"

	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Byte offsets into a frame: of its first ethertype, of the one behind an
// 802.1Q tag, and of the IP header without and with a tag.
const (
	typeAt       = 12
	taggedTypeAt = 16
	ipAt         = 14
	taggedIPAt   = 18
)

// A reader looks at the beats of a frame as they are taken.
type reader struct {
	m     *hdl.Module
	p     Params
	take  hdl.Bits // one bit: a beat is taken
	data  hdl.Bits
	index hdl.Bits // which beat of its frame, exact while there are headers
}

func newReader(m *hdl.Module, p Params, in stream.Frame) *reader {
	r := &reader{m: m, p: p, take: in.Fire(), data: in.Data.Data}
	r.index = m.Reg("index", bits.Len(uint(maskedEnd/p.bytes()+1)), 0) // stays at all ones once there
	m.If(r.take, func() {
		r.index.Set(r.index.Add(r.index.All().Not().ZExt(r.index.Width())))
		m.If(in.Data.Last, func() { r.index.SetK(0) })
	})
	return r
}

// here returns one bit: the beat holds the byte at that offset of its frame.
func (r *reader) here(offset int) hdl.Bits { return r.index.Is(uint64(offset / r.p.bytes())) }

// byteAt is the byte at that offset, when here.
func (r *reader) byteAt(offset int) hdl.Bits { return r.data.Byte(offset % r.p.bytes()) }

// wordAt is the big-endian 16-bit word at that even offset, when here.
func (r *reader) wordAt(offset int) hdl.Bits {
	return hdl.Cat(r.byteAt(offset), r.byteAt(offset+1))
}

// A fact is learned from one beat of a frame and holds for the rest of it.
type fact struct {
	now  hdl.Bits // for the beat that is taken
	then hdl.Bits // the same a cycle later, from a register
}

func (r *reader) learn(name string, seen hdl.Bits) fact {
	f := fact{then: r.m.Reg(name, 1, 0), now: r.m.Wire(name+"_now", 1)}
	f.now.Set(f.then.And(r.index.Any()).Or(seen))
	r.m.If(r.take, func() { f.then.Set(f.now) })
	return f
}

// headers is what the Ethernet and IP headers tell.
type headers struct {
	tagged fact // there is an 802.1Q tag
	ipv4   fact // ethertype and version are those of IPv4
	ipv6   fact // ethertype and version are those of IPv6
}

func (r *reader) headers() headers {
	var h headers
	h.tagged = r.learn("has_tag", r.here(typeAt).And(r.wordAt(typeAt).Is(format.EtherTypeVLAN)))
	ip := func(name string, etherType, version uint64) fact {
		plain := r.wordAt(typeAt).Is(etherType).And(r.byteAt(ipAt).Slice(7, 4).Is(version))
		behind := r.wordAt(taggedTypeAt).Is(etherType).And(r.byteAt(taggedIPAt).Slice(7, 4).Is(version))
		return r.learn("is_"+name, hdl.Mux(h.tagged.now, r.here(taggedTypeAt).And(behind), r.here(typeAt).And(plain)))
	}
	h.ipv4 = ip("ipv4", format.EtherTypeIPv4, 4)
	h.ipv6 = ip("ipv6", format.EtherTypeIPv6, 6)
	return h
}

// packetEnd is where the last byte of a packet is. It comes from registers, a
// cycle after the beat with the IP length.
type packetEnd struct {
	known hdl.Bits // of an IP packet long enough for a BTH
	here  hdl.Bits // where known: the last byte is in this beat
	lane  hdl.Bits // its number there
}

// end finds the packet's end from the IP length, which every variant has in one
// beat. The reader is a cycle behind the one that found the headers; leaves, one
// bit, says that the beat after the reader's goes on.
func (r *reader) end(h headers, leaves hdl.Bits) packetEnd {
	const totalLength, payloadLength = 2, 4 // from the IP header
	tagged, ipv6 := h.tagged.then, h.ipv6.then
	length := hdl.Mux(tagged,
		hdl.Mux(ipv6, r.wordAt(taggedIPAt+payloadLength), r.wordAt(taggedIPAt+totalLength)),
		hdl.Mux(ipv6, r.wordAt(ipAt+payloadLength), r.wordAt(ipAt+totalLength)))
	const udpToICRC = 8 + 12 + 4
	enough := hdl.Mux(ipv6, length.GeK(udpToICRC), length.GeK(20+udpToICRC))

	// The last byte's offset is counted from the beat with the length, and the beats of it
	// down to zero.
	const width = 17
	start := taggedTypeAt / r.p.bytes() * r.p.bytes()
	from := func(offset int) hdl.Bits { return hdl.K(width, uint64(offset-1-start)&(1<<width-1)) }
	last := length.ZExt(width).Add(hdl.Mux(tagged,
		hdl.Mux(ipv6, from(taggedIPAt+40), from(taggedIPAt)),
		hdl.Mux(ipv6, from(ipAt+40), from(ipAt))))
	beats := last.Slice(width-1, r.p.laneBits())

	here := r.here(taggedTypeAt)
	left, none := r.m.RegN("end_left", beats.Width()), r.m.RegN("end_here", 1)
	lane := r.m.RegN("end_lane", r.p.laneBits())
	r.m.If(leaves, func() {
		left.Set(left.SubK(1))
		none.Set(left.Is(1))
	})
	r.m.If(r.take.And(here), func() {
		left.Set(beats)
		none.Set(beats.None())
		lane.Set(last.Trunc(r.p.laneBits()))
	})
	return packetEnd{
		known: r.learn("end_known", here.And(h.ipv4.then.Or(ipv6)).And(enough)).then,
		here:  none, lane: lane,
	}
}
