package rxparse

import (
	"fmt"

	"gornic/format"
	"gornic/hdl"
)

// facts are what stage 2 knows about the frame of its beat, as far as the
// frame has come. A fact about a header holds once all its bytes are there.
type facts struct {
	ShortTag, ShortIP, ShortUDP, ShortBTH hdl.Bits // the frame, so far, ends inside the header

	RoCEv1, NotIP, Version, NotUDP, Fragment, Options hdl.Bits
	Swapped, OtherPort, Length                        hdl.Bits
	QP1, TVer, PKey, QP0, Transport                   hdl.Bits

	Sound  hdl.Bits // none of the above from RoCEv1 on
	NoICRC hdl.Bits // the IP packet is too short for BTH and ICRC, or not of port 4791

	Behind hdl.Bits // bytes of the frame, so far, from where the IP length counts; not below zero if not ShortIP
	Size   hdl.Bits // IP length
	Less   hdl.Bits // payload length less one; below zero and above 4095 it is no length
	Start  hdl.Bits // position of the payload's first word, less one
}

// Widths of facts.
const (
	lessBits  = 17 // signed
	startBits = 5
)

func newFacts() facts {
	w := hdl.W(1)
	return facts{
		w, w, w, w,
		w, w, w, w, w, w,
		w, w, w,
		w, w, w, w, w,
		w, w,
		hdl.W(lengthMax), hdl.W(16), hdl.W(lessBits), hdl.W(startBits),
	}
}

// judge works out the facts of stage 1's frame. total is the length of the
// frame so far, less one.
func judge(m *hdl.Module, h *headers, total hdl.Bits) facts {
	f := newFacts()
	bth := hdl.Unpack(format.BTH[hdl.Bits]{}, hdl.Cat(h.bth[0].now, h.bth[1].now, h.bth[2].now))
	v6 := h.ip6.now
	f.lengths(m, h, total)

	f.RoCEv1 = h.rocev1.now
	f.NotIP = h.ip4.now.Or(v6).Not()
	wrong4 := h.version.now.IsNot(4).Or(h.ihl.now.LtK(wordIPv4))
	f.Version = hdl.Mux(v6, h.version.now.IsNot(6), wrong4)
	f.NotUDP = h.protocol.now.IsNot(format.ProtocolUDP)
	f.Fragment = v6.Not().And(h.fragment.now.Any())
	f.Options = v6.Not().And(h.ihl.now.IsNot(wordIPv4))

	toRoCE, fromRoCE := h.dstPort.now.Is(format.PortRoCEv2), h.srcPort.now.Is(format.PortRoCEv2)
	f.Swapped = toRoCE.Not().And(fromRoCE)
	f.OtherPort = toRoCE.Or(fromRoCE).Not()

	f.QP1, f.QP0 = bth.DestQP.Is(format.QP1), bth.DestQP.None()
	f.TVer = bth.TVer.Any()
	f.PKey = bth.PKey.Trunc(15).All().Not()
	f.Transport = bth.Opcode.Slice(7, 5).Any().And(bth.Opcode.IsNot(uint64(format.OpCNP)))
	f.payload(m, h, bth)
	f.Sound = hdl.OrAll(f.RoCEv1, f.NotIP, f.Version, f.NotUDP, f.Fragment, f.Options,
		toRoCE.Not(), f.Length, f.QP1, f.TVer, f.PKey, f.QP0, f.Transport).Not()
	return f
}

// lengths compares the frame's length with where its headers end, and the IP
// length with the UDP length. Offsets count from where IP lengths count: the
// IPv4 header, or what follows the IPv6 header.
func (f *facts) lengths(m *hdl.Module, h *headers, total hdl.Bits) {
	v6, vlan := h.ip6.now, h.vlan.now
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
	header := h.ihl.now.ZExt(5)
	f.ShortIP = before(hdl.Mux(v6, hdl.K(5, 0), hdl.K(5, wordIPv4)))
	f.ShortUDP = before(hdl.Mux(v6, hdl.K(5, wordUDP), header.AddK(wordUDP)))
	f.ShortBTH = before(hdl.Mux(v6, hdl.K(5, wordUDP+wordBTH), hdl.K(5, wordIPv4+wordUDP+wordBTH)))
	f.Behind = behind.Trunc(lengthMax)

	size := h.length.now
	least := hdl.Mux(v6, size.K(leastLength), size.K(leastLength+4*wordIPv4))
	tooShort := size.Lt(least)
	headerBytes := hdl.Mux(v6, hdl.K(17, 0), hdl.K(17, 4*wordIPv4))
	f.Length = tooShort.Or(h.udpLength.now.ZExt(17).Add(headerBytes).Ne(size.ZExt(17)))
	f.Size = size
	f.NoICRC = tooShort
}

// leastLength is the least UDP length: UDP header, BTH and ICRC.
const leastLength = 4*(wordUDP+wordBTH) + format.ICRCSize

// payload works out where the payload is from the opcode, the pad count and the
// UDP length.
func (f *facts) payload(m *hdl.Module, h *headers, bth format.BTH[hdl.Bits]) {
	// Opcodes outside of the table's range are judged elsewhere: five bits will do.
	words := m.Wire("header_words", 4) // extension headers, and six for UDP, BTH and ICRC
	byLength := map[int][]uint64{}
	for op := range uint64(32) {
		info, _ := format.Lookup(format.Opcode(op))
		n := info.ExtBytes() / 4
		byLength[n] = append(byLength[n], op)
	}
	var arms []hdl.Arm
	for n := 1; n <= wordExt; n++ {
		if ops := byLength[n]; ops != nil {
			arms = append(arms, hdl.Cases(ops, func() { words.SetK(uint64(leastLength/4 + n)) }))
		}
	}
	arms = append(arms, hdl.Default(func() { words.SetK(leastLength / 4) }))
	m.Switch(bth.Opcode.Trunc(5), arms...)

	// length - (4*words + pad) - 1, without a second carry chain.
	taken := hdl.Cat(words, bth.PadCnt).ZExt(lessBits)
	f.Less = h.udpLength.now.ZExt(lessBits).Add(taken.Not())

	base := func(i int) hdl.Bits { return hdl.K(startBits, uint64(variants[i].end()-leastLength/4-1)) }
	f.Start = hdl.Select(hdl.Cat(h.ip6.now, h.vlan.now), base(0), base(1), base(2), base(3)).Add(words.ZExt(startBits))
}

// optionPort finds the UDP destination port behind IPv4 options: whether it is
// 4791, once its beat is in stage 2.
func optionPort(m *hdl.Module, c *capture, h *headers) hdl.Bits {
	n := len(c.words)
	matches := make([]hdl.Bits, n)
	for i := range matches {
		matches[i] = m.RegN(fmt.Sprintf("port_matches_%d", i), 1)
		m.If(c.p.take, func() { matches[i].Set(c.words[i].Trunc(16).Is(format.PortRoCEv2)) })
	}

	found := m.RegN("option_port", 1)
	position := h.ihl.now.ZExt(5).Add(hdl.Mux(h.vlan.now, hdl.K(5, wordTag+1), hdl.K(5, wordTag)))
	k := log2(n)
	number := c.p.first.Number
	w := max(number.Width(), 5-k)
	here := number.ZExt(w).Eq(position.Slice(4, k).ZExt(w)).And(hdl.Select(position.Trunc(k), matches...))
	m.If(c.p.toSecond, func() { found.Set(here.Or(found.And(number.Any()))) })
	return found
}

func log2(n int) int {
	k := 0
	for 1<<k < n {
		k++
	}
	return k
}
