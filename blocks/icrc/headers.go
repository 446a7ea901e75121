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
	take := in.Fire()
	index := count(m, "index", maskedEnd/p.bytes(), take, in.Data.Last)
	return &reader{m: m, p: p, take: take, data: in.Data.Data, index: index}
}

// count is the number of a frame's beats before the one that is taken. It is
// exact up to limit at least and then stays at all ones.
func count(m *hdl.Module, name string, limit int, take, last hdl.Bits) hdl.Bits {
	n := m.Reg(name, bits.Len(uint(limit+1)), 0)
	m.If(take, func() {
		n.Set(n.Add(n.All().Not().ZExt(n.Width())))
		m.If(last, func() { n.SetK(0) })
	})
	return n
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

// endMax is more than the highest offset at which a packet's last byte can be.
const endMax = 1<<16 + taggedIPAt + 40

// packetEnd is where the last byte of a packet is. It comes from registers, a
// cycle after the beat with the IP length.
type packetEnd struct {
	known hdl.Bits // of an IP packet long enough for a BTH
	beat  hdl.Bits
	lane  hdl.Bits
}

// end finds the packet's end from the IP length, which every variant has in one
// beat. The reader is a cycle behind the one that found the headers.
func (r *reader) end(h headers) packetEnd {
	const totalLength, payloadLength = 2, 4 // from the IP header
	tagged, ipv6 := h.tagged.then, h.ipv6.then
	length := hdl.Mux(tagged,
		hdl.Mux(ipv6, r.wordAt(taggedIPAt+payloadLength), r.wordAt(taggedIPAt+totalLength)),
		hdl.Mux(ipv6, r.wordAt(ipAt+payloadLength), r.wordAt(ipAt+totalLength)))
	last := hdl.Mux(tagged,
		hdl.Mux(ipv6, hdl.K(17, taggedIPAt+40-1), hdl.K(17, taggedIPAt-1)),
		hdl.Mux(ipv6, hdl.K(17, ipAt+40-1), hdl.K(17, ipAt-1)))
	const udpToICRC = 8 + 12 + 4
	enough := hdl.Mux(ipv6, length.GeK(udpToICRC), length.GeK(20+udpToICRC))

	here := r.here(taggedTypeAt)
	at := r.m.RegN("end_at", 17)
	r.m.If(r.take.And(here), func() { at.Set(length.ZExt(17).Add(last)) })
	lane := r.p.laneBits()
	return packetEnd{
		known: r.learn("end_known", here.And(h.ipv4.then.Or(ipv6)).And(enough)).then,
		beat:  at.Slice(16, lane),
		lane:  at.Trunc(lane),
	}
}
