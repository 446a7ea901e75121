package roce

import (
	"encoding/binary"
	"fmt"

	"gornic/format"
)

// Build returns the frame of a descriptor and its payload, from the
// destination MAC address to the ICRC (protocol section 1.1). It fails if a field
// does not fit its width, the payload is not of the descriptor's length, or the
// pad is not what makes it a multiple of four bytes.
func Build(d format.TxDescriptor[uint64], payload []byte) ([]byte, error) {
	if uint64(len(payload)) != d.PayloadLen || len(payload) > format.MTUMax {
		return nil, fmt.Errorf("roce: payload of %d bytes, descriptor says %d", len(payload), d.PayloadLen)
	}
	if d.PadCnt != -d.PayloadLen&3 {
		return nil, fmt.Errorf("roce: pad of %d bytes after a payload of %d", d.PadCnt, d.PayloadLen)
	}
	transport, err := transportPart(d, payload)
	if err != nil {
		return nil, err
	}
	packet, err := networkPart(d, len(transport)+format.ICRCSize)
	if err != nil {
		return nil, err
	}
	packet, err = AppendICRC(append(packet, transport...))
	if err != nil {
		return nil, err
	}
	frame, err := linkPart(d)
	return append(frame, packet...), err
}

// linkPart is the Ethernet header, with a tag if there is one.
func linkPart(d format.TxDescriptor[uint64]) ([]byte, error) {
	etherType := uint64(format.EtherTypeIPv4)
	if d.IPv6 != 0 {
		etherType = format.EtherTypeIPv6
	}
	if d.VLAN == 0 {
		return format.Append(nil, format.Ethernet[uint64]{Dst: d.DstMAC, Src: d.SrcMAC, Type: etherType})
	}
	b, err := format.Append(nil, format.Ethernet[uint64]{Dst: d.DstMAC, Src: d.SrcMAC, Type: format.EtherTypeVLAN})
	if err != nil {
		return nil, err
	}
	return format.Append(b, format.VLAN[uint64]{TCI: d.TCI, Type: etherType})
}

// networkPart is the IP and UDP header of a UDP payload of the given length.
func networkPart(d format.TxDescriptor[uint64], length int) ([]byte, error) {
	udp := format.UDP[uint64]{
		SrcPort:  d.SrcPort,
		DstPort:  format.PortRoCEv2,
		Length:   uint64(8 + length),
		Checksum: d.UDPChecksum,
	}
	header := ipv4
	if d.IPv6 != 0 {
		header = ipv6
	}
	ip, err := header(d, udp.Length)
	if err != nil {
		return nil, err
	}
	return format.Append(ip, udp)
}

func ipv4(d format.TxDescriptor[uint64], length uint64) ([]byte, error) {
	b, err := format.Append(nil, format.IPv4[uint64]{
		Version:     4,
		IHL:         5,
		TOS:         d.TrafficClass,
		TotalLength: 20 + length,
		ID:          d.IPID,
		DF:          d.DF,
		TTL:         d.HopLimit,
		Protocol:    format.ProtocolUDP,
		Src:         d.SrcLo & 0xFFFFFFFF,
		Dst:         d.DstLo & 0xFFFFFFFF,
	})
	if err != nil {
		return nil, err
	}
	binary.BigEndian.PutUint16(b[10:], checksum(b))
	return b, nil
}

// checksum is the Internet checksum of a header whose checksum field is zero.
func checksum(header []byte) uint16 {
	sum := uint32(0)
	for i := 0; i < len(header); i += 2 {
		sum += uint32(binary.BigEndian.Uint16(header[i:]))
	}
	for sum > 0xFFFF {
		sum = sum>>16 + sum&0xFFFF
	}
	return ^uint16(sum)
}

func ipv6(d format.TxDescriptor[uint64], length uint64) ([]byte, error) {
	return format.Append(nil, format.IPv6[uint64]{
		Version:       6,
		TrafficClass:  d.TrafficClass,
		FlowLabel:     d.FlowLabel,
		PayloadLength: length,
		NextHeader:    format.ProtocolUDP,
		HopLimit:      d.HopLimit,
		SrcHi:         d.SrcHi,
		SrcLo:         d.SrcLo,
		DstHi:         d.DstHi,
		DstLo:         d.DstLo,
	})
}

// transportPart is what lies between the UDP header and the ICRC.
func transportPart(d format.TxDescriptor[uint64], payload []byte) ([]byte, error) {
	b, err := format.Append(nil, format.BTH[uint64]{
		Opcode: d.Opcode,
		SE:     d.SE,
		MigReq: d.MigReq,
		PadCnt: d.PadCnt,
		PKey:   d.PKey,
		FECN:   d.FECN,
		BECN:   d.BECN,
		DestQP: d.DestQP,
		AckReq: d.AckReq,
		PSN:    d.PSN,
	})
	if err != nil {
		return nil, err
	}
	info, _ := format.Lookup(format.Opcode(d.Opcode))
	b = format.AppendExt(b, d.Ext, info.ExtBytes())
	b = append(b, payload...)
	return append(b, make([]byte, d.PadCnt)...), nil
}

// Rebuild returns the descriptor that gives a received frame again: what [Parse]
// handed on of it, and from the frame itself what it does not
// hand on (MAC addresses, TTL, IP id, DF, flow label, UDP checksum, partition
// key). The frame is one that it accepted.
func Rebuild(rx format.RxDescriptor[uint64], frame []byte) (format.TxDescriptor[uint64], error) {
	d := format.TxDescriptor[uint64]{
		VLAN: rx.VLAN, TCI: rx.TCI, IPv6: rx.IPv6, TrafficClass: rx.TrafficClass,
		SrcHi: rx.SrcHi, SrcLo: rx.SrcLo, DstHi: rx.DstHi, DstLo: rx.DstLo, SrcPort: rx.SrcPort,
		Opcode: rx.Opcode, SE: rx.SE, MigReq: rx.MigReq, PadCnt: rx.PadCnt, FECN: rx.FECN, BECN: rx.BECN,
		DestQP: rx.DestQP, AckReq: rx.AckReq, PSN: rx.PSN, Ext: rx.Ext, PayloadLen: rx.PayloadLen,
	}
	eth, err := format.Decode[format.Ethernet[uint64]](frame)
	if err != nil {
		return d, err
	}
	d.DstMAC, d.SrcMAC = eth.Dst, eth.Src
	rest := frame[14:]
	if rx.VLAN != 0 {
		rest = rest[min(4, len(rest)):]
	}
	if rx.IPv6 == 0 {
		var ip format.IPv4[uint64]
		if ip, err = format.Decode[format.IPv4[uint64]](rest); err != nil {
			return d, err
		}
		d.HopLimit, d.IPID, d.DF = ip.TTL, ip.ID, ip.DF
		rest = rest[20:]
	} else {
		var ip format.IPv6[uint64]
		if ip, err = format.Decode[format.IPv6[uint64]](rest); err != nil {
			return d, err
		}
		d.HopLimit, d.FlowLabel = ip.HopLimit, ip.FlowLabel
		rest = rest[40:]
	}
	udp, err := format.Decode[format.UDP[uint64]](rest)
	if err != nil {
		return d, err
	}
	d.UDPChecksum = udp.Checksum
	bth, err := format.Decode[format.BTH[uint64]](rest[8:])
	d.PKey = bth.PKey
	return d, err
}
