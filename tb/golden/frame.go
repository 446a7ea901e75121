package golden

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"

	"gornic/format"
)

// header is what all packets of a queue pair to its peer have in common.
func (q *queuePair) header(opcode format.Opcode, psn uint32) format.TxDescriptor[uint64] {
	v := q.attr.AV
	return format.TxDescriptor[uint64]{
		DstMAC: v.DstMAC, VLAN: v.VLAN, TCI: v.TCI,
		IPv6: v.IPv6, TrafficClass: v.TrafficClass, HopLimit: v.HopLimit, FlowLabel: v.FlowLabel, DF: 1,
		SrcHi: v.SrcHi, SrcLo: v.SrcLo, DstHi: v.DstHi, DstLo: v.DstLo, SrcPort: v.SrcPort,
		Opcode: uint64(opcode), PKey: format.PKeyDefault, DestQP: q.attr.DestQPN, PSN: uint64(psn),
	}
}

// transmit builds a packet and puts it in line for the wire.
func (n *NIC) transmit(d format.TxDescriptor[uint64], payload []byte) {
	n.count(format.CntTxPackets)
	d.SrcMAC = n.port.mac
	d.PadCnt = uint64(-len(payload)) & 3
	d.PayloadLen = uint64(len(payload))
	n.frames = append(n.frames, encode(d, payload))
}

// encode is a packet as a frame without FCS (protocol section 1.1). The fields
// of d fit their widths.
func encode(d format.TxDescriptor[uint64], payload []byte) []byte {
	transport := transportBytes(d, payload)
	packet := networkBytes(d, transport)
	packet = binary.LittleEndian.AppendUint32(packet, invariantCRC(packet))
	return append(linkBytes(d), packet...)
}

// transportBytes are BTH, extension headers, payload and pad.
func transportBytes(d format.TxDescriptor[uint64], payload []byte) []byte {
	info, _ := format.Lookup(format.Opcode(d.Opcode))
	b := wire(nil, format.BTH[uint64]{
		Opcode: d.Opcode, SE: d.SE, MigReq: d.MigReq, PadCnt: d.PadCnt, PKey: d.PKey,
		FECN: d.FECN, BECN: d.BECN, DestQP: d.DestQP, AckReq: d.AckReq, PSN: d.PSN,
	})
	b = format.AppendExt(b, d.Ext, info.ExtBytes())
	b = append(b, payload...)
	return append(b, make([]byte, d.PadCnt)...)
}

// networkBytes are the IP and UDP headers and what they carry, up to the ICRC,
// which their lengths count.
func networkBytes(d format.TxDescriptor[uint64], transport []byte) []byte {
	udp := uint64(format.Size[format.UDP[uint64]]() + len(transport) + format.ICRCSize)
	var b []byte
	if d.IPv6 != 0 {
		b = wire(nil, format.IPv6[uint64]{
			Version: 6, TrafficClass: d.TrafficClass, FlowLabel: d.FlowLabel, PayloadLength: udp,
			NextHeader: format.ProtocolUDP, HopLimit: d.HopLimit,
			SrcHi: d.SrcHi, SrcLo: d.SrcLo, DstHi: d.DstHi, DstLo: d.DstLo,
		})
	} else {
		b = wire(nil, format.IPv4[uint64]{
			Version: 4, IHL: 5, TOS: d.TrafficClass, TotalLength: 20 + udp, ID: d.IPID, DF: d.DF, TTL: d.HopLimit,
			Protocol: format.ProtocolUDP, Src: d.SrcLo & 0xFFFFFFFF, Dst: d.DstLo & 0xFFFFFFFF,
		})
		binary.BigEndian.PutUint16(b[10:], headerChecksum(b))
	}
	b = wire(b, format.UDP[uint64]{SrcPort: d.SrcPort, DstPort: format.PortRoCEv2, Length: udp, Checksum: d.UDPChecksum})
	return append(b, transport...)
}

func linkBytes(d format.TxDescriptor[uint64]) []byte {
	ip := uint64(format.EtherTypeIPv4)
	if d.IPv6 != 0 {
		ip = format.EtherTypeIPv6
	}
	if d.VLAN == 0 {
		return wire(nil, format.Ethernet[uint64]{Dst: d.DstMAC, Src: d.SrcMAC, Type: ip})
	}
	b := wire(nil, format.Ethernet[uint64]{Dst: d.DstMAC, Src: d.SrcMAC, Type: format.EtherTypeVLAN})
	return wire(b, format.VLAN[uint64]{TCI: d.TCI, Type: ip})
}

// headerChecksum is the checksum of an IPv4 header whose checksum field is 0.
func headerChecksum(header []byte) uint16 {
	var sum uint32
	for i := 0; i < len(header); i += 2 {
		sum += uint32(binary.BigEndian.Uint16(header[i:]))
	}
	sum = sum>>16 + sum&0xFFFF
	return ^uint16(sum>>16 + sum)
}

// invariantCRC is the ICRC of an IP packet that ends before it (protocol
// section 1.7).
func invariantCRC(packet []byte) uint32 {
	b := append([]byte(nil), packet...)
	variant := []int{1, 8, 10, 11, 20 + 6, 20 + 7, 20 + 8 + 4} // TOS, TTL, checksums, the BTH's fifth byte
	if b[0]>>4 == 6 {
		b[0] |= 0x0F                                            // traffic class
		variant = []int{1, 2, 3, 7, 40 + 6, 40 + 7, 40 + 8 + 4} // and flow label, hop limit
	}
	for _, i := range variant {
		b[i] = 0xFF
	}
	link := []byte{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF} // in place of InfiniBand's header
	return crc32.Update(crc32.ChecksumIEEE(link), crc32.IEEETable, b)
}

// wire is format.Append of values that fit by construction.
func wire[T any](b []byte, h T) []byte {
	b, _ = format.Append(b, h)
	return b
}

// swap32 turns the four bytes of a word around.
func swap32(x uint64) uint64 { return uint64(bits.ReverseBytes32(uint32(x))) }
