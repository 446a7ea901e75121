package packetbuild

import (
	"gornic/format"
	"gornic/hdl"
)

// Everything that is computed of a descriptor is computed in two steps of a
// cycle each, lengths and then plan, before it is needed.

// lengths is the first step.
type lengths struct {
	UDPLength hdl.Bits `w:"16"`
	HeadLast  hdl.Bits `w:"5"` // number of the header's last word
	// The 16-bit words that the IPv4 checksum is of, but for the total length, in
	// two sums.
	Fields    hdl.Bits `w:"18"`
	Addresses hdl.Bits `w:"18"`
}

func lengthsOf(m *hdl.Module, d descriptor) lengths {
	ext := m.Table("ext_words", d.Opcode, 3, extWords()...)
	last := func(tagged, ipv6 bool) hdl.Bits { return hdl.K(5, uint64(headWords(tagged, ipv6)-1)) }
	fixed := hdl.Mux(d.IPv6,
		hdl.Mux(d.VLAN, last(true, true), last(false, true)),
		hdl.Mux(d.VLAN, last(true, false), last(false, false)))
	payload := d.PayloadLen.ZExt(14).AddK(3).Slice(13, 2) // in words, padded
	const udpBTHAndICRC = 2 + 3 + 1
	words := payload.Add(ext.ZExt(12)).AddK(udpBTHAndICRC)

	sum := func(xs ...hdl.Bits) hdl.Bits {
		total := xs[0].ZExt(18)
		for _, x := range xs[1:] {
			total = total.Add(x.ZExt(18))
		}
		return total
	}
	return lengths{
		UDPLength: hdl.Cat(hdl.K(2, 0), words, hdl.K(2, 0)),
		HeadLast:  fixed.Add(ext.ZExt(5)),
		Fields: sum(hdl.Cat(hdl.K(8, 0x45), d.TrafficClass), d.IPID,
			hdl.Cat(hdl.K(1, 0), d.DF, hdl.K(14, 0)), hdl.Cat(d.HopLimit, hdl.K(8, format.ProtocolUDP))),
		Addresses: sum(d.SrcLo.Slice(31, 16), d.SrcLo.Slice(15, 0), d.DstLo.Slice(31, 16), d.DstLo.Slice(15, 0)),
	}
}

// extWords is the number of words of each opcode's extension headers.
func extWords() []uint64 {
	counts := make([]uint64, 256)
	for op := range counts {
		info, _ := format.Lookup(format.Opcode(op))
		counts[op] = uint64(info.ExtBytes() / 4)
	}
	return counts
}

// plan is the second step.
type plan struct {
	UDPLength  hdl.Bits `w:"16"`
	IPv4Length hdl.Bits `w:"16" name:"ipv4_length"`
	Checksum   hdl.Bits `w:"16"` // of the IPv4 header
	HeadBeat   hdl.Bits // number of the header's last beat
	Payload    hdl.Bits `w:"1"` // there is some
	Layout     layout
}

// layout is how header and payload fall into the beats of the frame.
type layout struct {
	HeadSlot hdl.Bits // slot of the header's last word; the payload begins in the one after it
	LastSlot hdl.Bits // slot of the last word before the ICRC, in the frame's last beat
	More     hdl.Bits // payload beats after the first one
	LastByte hdl.Bits // number of the payload's last byte in its beat
	Spill    hdl.Bits `w:"1"` // the last payload beat fills two beats of the frame
}

func layoutProto(p Params) layout {
	return layout{
		HeadSlot: hdl.W(p.wordBits()), LastSlot: hdl.W(p.wordBits()),
		More: hdl.W(format.PayloadLenBits - p.laneBits()), LastByte: hdl.W(p.laneBits()),
	}
}

func planProto(p Params) plan {
	return plan{HeadBeat: hdl.W(5 - p.wordBits()), Layout: layoutProto(p)}
}

func planOf(p Params, d descriptor, l lengths) plan {
	w := p.wordBits()
	headSlot := l.HeadLast.Trunc(w)
	some := d.PayloadLen.Any()
	last := d.PayloadLen.SubK(1) // number of the payload's last byte
	// Where the payload's last word falls, counted from slot 0 of the beat that
	// the payload's last beat goes to.
	end := headSlot.ZExt(w + 1).Add(last.Slice(p.laneBits()-1, 2).ZExt(w + 1)).AddK(1)
	total := l.UDPLength.AddK(20)
	return plan{
		UDPLength:  l.UDPLength,
		IPv4Length: total,
		Checksum:   checksumOf(l, total),
		HeadBeat:   l.HeadLast.Slice(4, w),
		Payload:    some,
		Layout: layout{
			HeadSlot: headSlot,
			LastSlot: hdl.Mux(some, end.Trunc(w), headSlot),
			More:     last.Slice(format.PayloadLenBits-1, p.laneBits()),
			LastByte: last.Trunc(p.laneBits()),
			Spill:    end.MSB(),
		},
	}
}

// checksumOf ends the Internet checksum: the carries are added to the sum, and
// the carry of that too.
func checksumOf(l lengths, totalLength hdl.Bits) hdl.Bits {
	total := l.Fields.ZExt(20).Add(l.Addresses.ZExt(20)).Add(totalLength.ZExt(20))
	once := total.Trunc(16).ZExt(17).Add(total.Slice(19, 16).ZExt(17))
	return once.Trunc(16).Add(once.MSB().ZExt(16)).Not()
}
