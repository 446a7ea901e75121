package rxparse

import (
	"gornic/format"
	"gornic/hdl"
)

// A family is frames with the same headers: what a byte means follows from its
// place. Their ethertypes and opcode are given.
type family struct {
	name         string
	tagged, ipv6 bool
	opcode       format.Opcode
}

func (of family) info() format.OpInfo {
	info, _ := format.Lookup(of.opcode)
	return info
}

// ip, udp and bth are the places of the headers in bytes.
func (of family) ip() int {
	if of.tagged {
		return format.Size[format.Ethernet[uint64]]() + format.Size[format.VLAN[uint64]]()
	}
	return format.Size[format.Ethernet[uint64]]()
}

func (of family) udp() int {
	if of.ipv6 {
		return of.ip() + format.Size[format.IPv6[uint64]]()
	}
	return of.ip() + format.Size[format.IPv4[uint64]]()
}

func (of family) bth() int     { return of.udp() + format.Size[format.UDP[uint64]]() }
func (of family) ext() int     { return of.bth() + format.Size[format.BTH[uint64]]() }
func (of family) payload() int { return of.ext() + of.info().ExtBytes() }

// placed is a byte of a frame.
type placed struct {
	place int
	value byte
}

// given are the bytes that make a frame one of the family.
func (of family) given() []placed {
	etherType := uint16(format.EtherTypeIPv4)
	if of.ipv6 {
		etherType = format.EtherTypeIPv6
	}
	at := of.ip() - 2
	given := []placed{{at, byte(etherType >> 8)}, {at + 1, byte(etherType & 0xFF)}, {of.bth(), byte(of.opcode)}}
	if of.tagged {
		given = append(given, placed{at - 4, format.EtherTypeVLAN >> 8}, placed{at - 3, format.EtherTypeVLAN & 0xFF})
	}
	return given
}

// expected is what becomes of one frame of a family, as ghost values worked out
// from its first bytes, which are known one after the other, and its length:
// written down from the format tables and protocol sections 1.1 to 1.5. It shares
// nothing with the parser.
type expected struct {
	family
	bytes []hdl.Bits // of the frame, as many as the header has

	accepted   hdl.Bits                      // one bit: a whole packet that is for us
	header     format.RxDescriptor[hdl.Bits] // where accepted
	payloadLen hdl.Bits                      // of lengthBits; negative where the packet is too short
}

// lengthBits is the width of lengths in bytes, enough for any IP packet and signed.
const lengthBits = 18

// newExpected is to be called as a ghost. total, of lengthBits, is the length of
// the frame; bad, one bit, that the MAC found it so.
func newExpected(of family, bytes []hdl.Bits, total, bad hdl.Bits) *expected {
	e := &expected{family: of, bytes: bytes}
	d := &e.header
	d.VLAN, d.TCI, d.IPv6 = hdl.K(1, 0), hdl.K(16, 0), hdl.K(1, 0)
	if of.tagged {
		d.VLAN, d.TCI = hdl.K(1, 1), take[format.VLAN[hdl.Bits]](e, format.Size[format.Ethernet[uint64]]()).TCI
	}
	length, sound := e.ipv4()
	if of.ipv6 {
		d.IPv6 = hdl.K(1, 1)
		length, sound = e.ipv6()
	}
	end := length.AddK(uint64(of.udp()))
	e.accepted = hdl.AndAll(sound, e.transport(length, end), bad.Not(), end.Le(total))
	return e
}

// take is the header T that stands from byte at on.
func take[T any](e *expected, at int) T {
	var proto T
	w := format.Size[T]()
	return hdl.Unpack(proto, hdl.Cat(e.bytes[at:at+w]...))
}

// transport fills in what UDP header, BTH and extension headers say of a packet of
// that length, from the UDP header on, and with that end. It returns one bit: the
// packet is for us.
func (e *expected) transport(length, end hdl.Bits) hdl.Bits {
	udp, bth, d := take[format.UDP[hdl.Bits]](e, e.udp()), take[format.BTH[hdl.Bits]](e, e.bth()), &e.header
	e.payloadLen = end.SubK(uint64(e.family.payload() + format.ICRCSize)).Sub(bth.PadCnt.ZExt(lengthBits))

	_, known := format.Lookup(e.opcode)
	one := func(b bool) hdl.Bits {
		if b {
			return hdl.K(1, 1)
		}
		return hdl.K(1, 0)
	}
	d.Undefined, d.CNP = one(!known), one(e.opcode == format.OpCNP)
	d.SrcPort, d.Opcode, d.SE, d.MigReq, d.PadCnt = udp.SrcPort, bth.Opcode, bth.SE, bth.MigReq, bth.PadCnt
	d.FECN, d.BECN, d.DestQP, d.AckReq, d.PSN = bth.FECN, bth.BECN, bth.DestQP, bth.AckReq, bth.PSN
	for at := e.ext(); at < e.family.payload(); at += 4 {
		d.Ext[(at-e.ext())/4] = hdl.Cat(e.bytes[at : at+4]...)
	}
	d.PayloadLen = e.payloadLen.Trunc(format.PayloadLenBits)
	return hdl.AndAll(
		udp.DstPort.Is(format.PortRoCEv2), udp.Length.ZExt(lengthBits).Eq(length),
		bth.TVer.None(), bth.PKey.Trunc(15).Is(format.PKeyMask),
		bth.DestQP.IsNot(format.QP0), bth.DestQP.IsNot(format.QP1),
		e.payloadLen.MSB().Not(), e.payloadLen.LeK(format.MTUMax))
}

// ipv4 and ipv6 fill in what the IP header says; they return the length of the
// packet behind it and one bit: it holds UDP, whole.
func (e *expected) ipv4() (length, sound hdl.Bits) {
	ip, d := take[format.IPv4[hdl.Bits]](e, e.ip()), &e.header
	d.TrafficClass = ip.TOS
	d.SrcHi, d.SrcLo, d.DstHi, d.DstLo = hdl.K(64, 0), ip.Src.ZExt(64), hdl.K(64, 0), ip.Dst.ZExt(64)
	return ip.TotalLength.ZExt(lengthBits).SubK(uint64(format.Size[format.IPv4[uint64]]())),
		hdl.AndAll(ip.Version.Is(4), ip.IHL.Is(5), ip.MF.Not(), ip.FragOffset.None(), ip.Protocol.Is(format.ProtocolUDP))
}

func (e *expected) ipv6() (length, sound hdl.Bits) {
	ip, d := take[format.IPv6[hdl.Bits]](e, e.ip()), &e.header
	d.TrafficClass = ip.TrafficClass
	d.SrcHi, d.SrcLo, d.DstHi, d.DstLo = ip.SrcHi, ip.SrcLo, ip.DstHi, ip.DstLo
	return ip.PayloadLength.ZExt(lengthBits), hdl.AndAll(ip.Version.Is(6), ip.NextHeader.Is(format.ProtocolUDP))
}
