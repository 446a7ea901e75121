package frames

import (
	"encoding/binary"
	"net"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
)

// foreign is what [Generator.Foreign] chooses from.
var foreign = []struct {
	name string
	make func(g *Generator) []byte
}{
	{"ARP", arp},
	{"TCP over IPv4", func(g *Generator) []byte { return ipv4(g, tcp(g), layers.IPProtocolTCP) }},
	{"ICMP", func(g *Generator) []byte { return ipv4(g, echo(g), layers.IPProtocolICMPv4) }},
	{"UDP over IPv4", func(g *Generator) []byte { return ipv4(g, udp(g), layers.IPProtocolUDP) }},
	{"UDP over IPv6", func(g *Generator) []byte { return ipv6(g, udp(g), layers.IPProtocolUDP) }},
	{"neighbour discovery", func(g *Generator) []byte { return ipv6(g, echo(g), layers.IPProtocolICMPv6) }},
	{"RoCEv1", grh},
	{"tiny", func(g *Generator) []byte { return g.bytes(1 + g.r.IntN(20)) }},
	{"noise", func(g *Generator) []byte { return g.bytes(1 + g.r.IntN(300)) }},
	{"jumbo noise", jumbo},
	{"IP header and noise", ipNoise},
}

// Foreign returns a frame that is no RoCEv2 packet.
func (g *Generator) Foreign() Sample {
	f := pick(g, foreign)
	return Sample{f.name, f.make(g)}
}

// serialize puts an Ethernet header, at times with a tag, before layers. It
// returns noise if a layer refuses, which none below does.
func serialize(g *Generator, etherType layers.EthernetType, above ...gopacket.SerializableLayer) []byte {
	eth := &layers.Ethernet{SrcMAC: g.bytes(6), DstMAC: g.bytes(6), EthernetType: etherType}
	stack := []gopacket.SerializableLayer{eth}
	if g.oneIn(3) == 1 {
		eth.EthernetType = layers.EthernetTypeDot1Q
		stack = append(stack, &layers.Dot1Q{VLANIdentifier: uint16(g.bits(12)), Type: etherType})
	}
	buffer := gopacket.NewSerializeBuffer()
	options := gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}
	if err := gopacket.SerializeLayers(buffer, options, append(stack, above...)...); err != nil {
		return g.bytes(60)
	}
	return buffer.Bytes()
}

func arp(g *Generator) []byte {
	return serialize(g, layers.EthernetTypeARP, &layers.ARP{
		AddrType: layers.LinkTypeEthernet, Protocol: layers.EthernetTypeIPv4,
		HwAddressSize: 6, ProtAddressSize: 4, Operation: uint16(1 + g.r.IntN(2)),
		SourceHwAddress: g.bytes(6), SourceProtAddress: g.bytes(4),
		DstHwAddress: g.bytes(6), DstProtAddress: g.bytes(4),
	})
}

func ipv4(g *Generator, body []byte, protocol layers.IPProtocol) []byte {
	return serialize(g, layers.EthernetTypeIPv4, &layers.IPv4{
		Version: 4, IHL: 5, TTL: 64, Protocol: protocol, Id: uint16(g.bits(16)),
		SrcIP: net.IP(g.bytes(4)), DstIP: net.IP(g.bytes(4)),
	}, gopacket.Payload(body))
}

func ipv6(g *Generator, body []byte, next layers.IPProtocol) []byte {
	return serialize(g, layers.EthernetTypeIPv6, &layers.IPv6{
		Version: 6, HopLimit: 64, NextHeader: next, SrcIP: g.bytes(16), DstIP: g.bytes(16),
	}, gopacket.Payload(body))
}

// udp is a datagram to another port, to 4791 in an eighth of the cases.
func udp(g *Generator) []byte {
	body := g.bytes(g.r.IntN(200))
	header := g.bytes(8)
	if g.oneIn(8) == 1 {
		binary.BigEndian.PutUint16(header[2:], 4791)
	}
	binary.BigEndian.PutUint16(header[4:], uint16(8+len(body)))
	return append(header, body...)
}

func tcp(g *Generator) []byte { return g.bytes(20 + g.r.IntN(200)) }

func echo(g *Generator) []byte { return g.bytes(8 + g.r.IntN(56)) }

// grh is a RoCEv1 packet in form: a global route header and a BTH.
func grh(g *Generator) []byte {
	body := g.bytes(40 + 12 + 4*g.r.IntN(20) + 4)
	body[0] = 0x60
	binary.BigEndian.PutUint16(body[4:], uint16(len(body)-40))
	return serialize(g, 0x8915, gopacket.Payload(body))
}

// jumbo is a raw frame longer than RoCEv2 allows; few are as long as can be.
func jumbo(g *Generator) []byte {
	if g.oneIn(8) == 1 {
		return g.bytes(g.MaxFrame - g.r.IntN(8))
	}
	return g.bytes(min(g.MaxFrame, 4000+g.r.IntN(6000)))
}

// ipNoise is a frame of noise that claims to be IP of the right version.
func ipNoise(g *Generator) []byte {
	frame := g.bytes(14 + g.r.IntN(120))
	etherType, version := uint16(layers.EthernetTypeIPv4), byte(0x45)
	if g.oneIn(2) == 1 {
		etherType, version = uint16(layers.EthernetTypeIPv6), 0x60
	}
	binary.BigEndian.PutUint16(frame[12:], etherType)
	if len(frame) > 14 {
		frame[14] = version
	}
	if len(frame) > 23 && g.oneIn(2) == 1 {
		frame[23], frame[20] = 17, 17
	}
	return frame
}
