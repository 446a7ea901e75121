package packetbuild

import (
	"fmt"
	"slices"

	"gornic/format"
	"gornic/hdl"
)

// A frame is cut into words of four bytes such that every header but the
// Ethernet header's first half is whole words: word q is bytes 4q-2 to 4q+1 of
// the frame, and the first two bytes of word 0 do not exist. A beat of n words
// begins with the last two bytes of one word and ends with the first two of another:
// it has n+1 slots, the first and the last of half a word.

// descriptor is the descriptor in hardware.
type descriptor = format.TxDescriptor[hdl.Bits]

// A word is 32 bits of a header in the order of the wire, most significant
// first. The name tells equal words of two variants.
type word struct {
	name string
	bits hdl.Bits
}

// headerWords is the longest header in words: tagged, IPv6, with an AtomicETH.
const headerWords = 27

// headWords is the number of words of a header without extension headers.
func headWords(tagged, ipv6 bool) int {
	n := 4 + 5 + 2 + 3 // Ethernet, IPv4, UDP, BTH
	if tagged {
		n++
	}
	if ipv6 {
		n += 5
	}
	return n
}

// untagged returns the header of a frame without a tag, with all the words of
// extension headers there can be. The ethertype is the outer one.
func untagged(d descriptor, l plan, ipv6 bool) []word {
	network := ipv4Words
	if ipv6 {
		network = ipv6Words
	}
	outer := hdl.Mux(d.VLAN, hdl.K(16, format.EtherTypeVLAN), etherType(ipv6))
	eth := hdl.Pack(format.Ethernet[hdl.Bits]{Dst: d.DstMAC, Src: d.SrcMAC, Type: outer})
	link := cut("ethernet", hdl.Cat(hdl.K(16, 0), eth))
	link[3].name = fmt.Sprintf("ethernet_ipv6_%v", ipv6)
	return slices.Concat(link, network(d, l), transport(d, l))
}

func etherType(ipv6 bool) hdl.Bits {
	if ipv6 {
		return hdl.K(16, format.EtherTypeIPv6)
	}
	return hdl.K(16, format.EtherTypeIPv4)
}

// tagWord is where the tag goes: all that an untagged frame has from there on
// comes a word later. It is the rest of the tag and the inner ethertype.
const tagWord = 4

func tag(d descriptor) hdl.Bits {
	return hdl.Pack(format.VLAN[hdl.Bits]{TCI: d.TCI, Type: hdl.Mux(d.IPv6, etherType(true), etherType(false))})
}

func ipv6Words(d descriptor, l plan) []word {
	return cut("ipv6", hdl.Pack(format.IPv6[hdl.Bits]{
		Version:       hdl.K(4, 6),
		TrafficClass:  d.TrafficClass,
		FlowLabel:     d.FlowLabel,
		PayloadLength: l.UDPLength,
		NextHeader:    hdl.K(8, format.ProtocolUDP),
		HopLimit:      d.HopLimit,
		SrcHi:         d.SrcHi, SrcLo: d.SrcLo, DstHi: d.DstHi, DstLo: d.DstLo,
	}))
}

func ipv4Words(d descriptor, l plan) []word {
	words := cut("ipv4", hdl.Pack(format.IPv4[hdl.Bits]{
		Version:     hdl.K(4, 4),
		IHL:         hdl.K(4, 5),
		TOS:         d.TrafficClass,
		TotalLength: l.IPv4Length,
		ID:          d.IPID,
		Reserved:    hdl.K(1, 0),
		DF:          d.DF,
		MF:          hdl.K(1, 0),
		FragOffset:  hdl.K(13, 0),
		TTL:         d.HopLimit,
		Protocol:    hdl.K(8, format.ProtocolUDP),
		Checksum:    l.Checksum,
		Src:         d.SrcLo.Trunc(32), Dst: d.DstLo.Trunc(32),
	}))
	words[3].name, words[4].name = "ipv6_5", "ipv6_9" // the same halves of SrcLo and DstLo
	return words
}

// transport is the UDP header, the BTH and seven words of extension headers.
func transport(d descriptor, l plan) []word {
	udp := hdl.Pack(format.UDP[hdl.Bits]{
		SrcPort: d.SrcPort, DstPort: hdl.K(16, format.PortRoCEv2), Length: l.UDPLength, Checksum: d.UDPChecksum,
	})
	bth := hdl.Pack(format.BTH[hdl.Bits]{
		Opcode: d.Opcode, SE: d.SE, MigReq: d.MigReq, PadCnt: d.PadCnt, TVer: hdl.K(4, 0), PKey: d.PKey,
		FECN: d.FECN, BECN: d.BECN, Resv6: hdl.K(6, 0), DestQP: d.DestQP,
		AckReq: d.AckReq, Resv7: hdl.K(7, 0), PSN: d.PSN,
	})
	return slices.Concat(cut("udp", udp), cut("bth", bth), cut("ext", hdl.Pack(d.Ext)))
}

// cut returns the words of a header, named NAME_0, NAME_1, ...
func cut(name string, header hdl.Bits) []word {
	words := make([]word, header.Width()/32)
	for i := range words {
		top := header.Width() - 32*i - 1
		words[i] = word{fmt.Sprintf("%s_%d", name, i), header.Slice(top, top-31)}
	}
	return words
}
