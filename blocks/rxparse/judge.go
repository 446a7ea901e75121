package rxparse

import (
	"fmt"

	"gornic/format"
	"gornic/hdl"
)

// facts are what stage 2 knows about the frame of its beat, as far as the
// frame has come. A fact about a header holds once all its bytes are there.
type facts struct {
	// The frame, so far, ends inside the header.
	ShortTag, ShortIP, ShortUDP, ShortBTH hdl.Bits

	RoCEv1    hdl.Bits `name:"rocev1"`
	NotIP     hdl.Bits // neither ethertype
	Version   hdl.Bits // wrong, or an IPv4 header too short
	NotUDP    hdl.Bits
	Fragment  hdl.Bits
	Options   hdl.Bits // IPv4 options
	Swapped   hdl.Bits // from port 4791, not to it
	OtherPort hdl.Bits // neither from nor to port 4791
	Length    hdl.Bits // UDP length wrong
	QP1       hdl.Bits
	TVer      hdl.Bits `name:"tver"` // not 0
	PKey      hdl.Bits `name:"pkey"` // not the default one
	QP0       hdl.Bits
	Transport hdl.Bits // not one of ours

	Sound  hdl.Bits // none of those from RoCEv1 on, but for Length
	NoICRC hdl.Bits // the IP packet is too short for a BTH and an ICRC

	Behind hdl.Bits // bytes of the frame, so far, from where the IP length counts; not below zero if not ShortIP
	Size   hdl.Bits // IP length
	VLAN   hdl.Bits // the frame has a tag
	IPv6   hdl.Bits `name:"ipv6"`
	Less   hdl.Bits // payload length less one; below zero and above 4095 it is no length
	Start  hdl.Bits // position of the payload's first word, less one
}

// Widths of facts.
const (
	lessBits  = 17 // signed
	startBits = 5
)

// judge works out the facts of stage 1's frame. total is the length of the
// frame so far, less one.
func judge(m *hdl.Module, h judged, total hdl.Bits) facts {
	var f facts
	v6 := h.ip6
	f.VLAN, f.IPv6 = h.vlan, v6
	f.lengths(m, h, total)

	f.RoCEv1 = h.rocev1
	f.NotIP = h.ip4.Or(v6).Not()
	wrong4 := h.version.IsNot(4).Or(h.ihl.LtK(wordIPv4))
	f.Version = hdl.Mux(v6, h.version.IsNot(6), wrong4)
	f.NotUDP = h.protocol.IsNot(format.ProtocolUDP)
	f.Fragment = v6.Not().And(h.fragment.Any())
	f.Options = v6.Not().And(h.ihl.IsNot(wordIPv4))

	toRoCE, fromRoCE := h.dstPort.Is(format.PortRoCEv2), h.srcPort.Is(format.PortRoCEv2)
	f.Swapped = toRoCE.Not().And(fromRoCE)
	f.OtherPort = toRoCE.Or(fromRoCE).Not()

	f.QP1, f.QP0 = h.destQP.Is(format.QP1), h.destQP.None()
	f.TVer = h.tver.Any()
	m.Unused(h.pkey.MSB()) // the membership
	f.PKey = h.pkey.Trunc(15).All().Not()
	f.Transport = h.opcode.Slice(7, 5).Any().And(h.opcode.IsNot(uint64(format.OpCNP)))
	f.payload(m, h)
	f.Sound = hdl.OrAll(f.RoCEv1, f.NotIP, f.Version, f.NotUDP, f.Fragment, f.Options,
		toRoCE.Not(), f.QP1, f.TVer, f.PKey, f.QP0, f.Transport).Not()
	return f
}

// lengths compares the frame's length with where its headers end, and the IP
// length with the UDP length. Offsets count from where IP lengths count: the
// IPv4 header, or what follows the IPv6 header.
func (f *facts) lengths(m *hdl.Module, h judged, total hdl.Bits) {
	v6, vlan := h.ip6, h.vlan
	// A frame of 13 bytes ends in the Ethernet header, one of 17 in the tag.
	f.ShortTag = total.LtK(13).Or(vlan.And(total.LtK(17)))

	offset := hdl.Select(hdl.Cat(v6, vlan), total.K(13), total.K(17), total.K(53), total.K(57))
	behind := m.Wire("behind", lengthMax+1)
	behind.Set(total.ZExt(lengthMax + 1).Sub(offset.ZExt(lengthMax + 1)))
	before := func(words hdl.Bits) hdl.Bits { // the frame ends before that many words
		low := behind.Slice(6, 2)
		far := behind.Slice(lengthMax-1, 7).Any()
		return behind.MSB().Or(far.Not().And(low.Lt(words)))
	}
	header := h.ihl.ZExt(5)
	f.ShortIP = before(hdl.Mux(v6, hdl.K(5, 0), hdl.K(5, wordIPv4)))
	f.ShortUDP = before(hdl.Mux(v6, hdl.K(5, wordUDP), header.AddK(wordUDP)))
	f.ShortBTH = before(hdl.Mux(v6, hdl.K(5, wordUDP+wordBTH), hdl.K(5, wordIPv4+wordUDP+wordBTH)))
	f.Behind = behind.Trunc(lengthMax)

	size := h.length
	least := hdl.Mux(v6, size.K(leastLength), size.K(leastLength+4*wordIPv4))
	tooShort := size.Lt(least)
	headerBytes := hdl.Mux(v6, hdl.K(17, 0), hdl.K(17, 4*wordIPv4))
	f.Length = tooShort.Or(h.udpLength.ZExt(17).Add(headerBytes).Ne(size.ZExt(17)))
	f.Size = size
	f.NoICRC = tooShort
}

// leastLength is the least UDP length: UDP header, BTH and ICRC.
const leastLength = 4*(wordUDP+wordBTH) + format.ICRCSize

// payload works out where the payload is from the opcode, the pad count and the
// UDP length.
func (f *facts) payload(m *hdl.Module, h judged) {
	words := m.Wire("header_words", 4) // extension headers, and six for UDP, BTH and ICRC
	words.Set(hdl.Cat(headerWords(h.opcode, 3), headerWords(h.opcode, 2), headerWords(h.opcode, 1), headerWords(h.opcode, 0)))

	// length - (4*words + pad) - 1, without a second carry chain.
	taken := hdl.Cat(words, h.padCnt).ZExt(lessBits)
	f.Less = h.udpLength.ZExt(lessBits).Add(taken.Not())

	base := func(i int) hdl.Bits { return hdl.K(startBits, uint64(variants[i].end()-leastLength/4-1)) }
	f.Start = hdl.Select(hdl.Cat(h.ip6, h.vlan), base(0), base(1), base(2), base(3)).Add(words.ZExt(startBits))
}

// headerWords is one bit of the number of words of an opcode's extension
// headers, and six. Opcodes beyond those of the table are judged elsewhere: five
// bits of the opcode will do. It is written as a sum of opcodes because synthesis
// makes a ROM of a case statement and moves its address register behind it.
func headerWords(opcode hdl.Bits, bit int) hdl.Bits {
	var ones []hdl.Bits
	for op := range uint64(32) {
		info, _ := format.Lookup(format.Opcode(op))
		if words := info.ExtBytes()/4 + leastLength/4; words>>bit&1 == 1 {
			ones = append(ones, opcode.Trunc(5).Is(op))
		}
	}
	return hdl.OrAll(ones...)
}

// optionPort finds the UDP destination port behind IPv4 options: whether it is
// 4791, once its beat is in stage 2.
func optionPort(m *hdl.Module, r *reader, p *pipeline, h judged) hdl.Bits {
	n := len(r.words)
	matches := make([]hdl.Bits, n)
	for i := range matches {
		matches[i] = m.RegN(fmt.Sprintf("port_matches_%d", i), 1)
		m.If(r.move, func() { matches[i].Set(r.words[i].Trunc(16).Is(format.PortRoCEv2)) })
	}

	found := m.RegN("option_port", 1)
	position := h.ihl.ZExt(5).Add(hdl.Mux(h.vlan, hdl.K(5, wordTag+1), hdl.K(5, wordTag)))
	k := hdl.Log2(n)
	number := p.first.Number
	w := max(number.Width(), 5-k)
	here := number.ZExt(w).Eq(position.Slice(4, k).ZExt(w)).And(hdl.Select(position.Trunc(k), matches...))
	m.If(p.toSecond, func() { found.Set(here.Or(found.And(number.Any()))) })
	return found
}
