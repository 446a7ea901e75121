package frames

import (
	"encoding/binary"
	"fmt"
	"net"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"

	"gornic/format"
)

// Build returns the frame of a descriptor and its payload, ICRC included, and
// without padding: the shortest is of 58 bytes, which a MAC would pad to 60. The
// payload may be longer than a packet's may be, up to what the IP length can
// tell; PayloadLen is not looked at.
func Build(d format.TxDescriptor[uint64], payload []byte) ([]byte, error) {
	bth, err := format.Append(nil, format.BTH[uint64]{
		Opcode: d.Opcode, SE: d.SE, MigReq: d.MigReq, PadCnt: d.PadCnt, PKey: d.PKey,
		FECN: d.FECN, BECN: d.BECN, DestQP: d.DestQP, AckReq: d.AckReq, PSN: d.PSN,
	})
	if err != nil {
		return nil, err
	}
	info, _ := format.Lookup(format.Opcode(d.Opcode))
	body := format.AppendExt(bth, d.Ext, info.ExtBytes())
	body = append(body, payload...)
	body = append(body, make([]byte, int(d.PadCnt)+format.ICRCSize)...)
	frame, err := buildLayers(d, body)
	if err != nil {
		return nil, err
	}
	if !FixICRC(frame) {
		return nil, fmt.Errorf("frames: %d bytes of payload do not fit an IP packet", len(payload))
	}
	return frame, nil
}

// buildLayers puts UDP, IP and Ethernet headers before a UDP payload.
func buildLayers(d format.TxDescriptor[uint64], body []byte) ([]byte, error) {
	etherType := layers.EthernetTypeIPv4
	if d.IPv6 != 0 {
		etherType = layers.EthernetTypeIPv6
	}
	eth := &layers.Ethernet{SrcMAC: mac(d.SrcMAC), DstMAC: mac(d.DstMAC), EthernetType: etherType}
	stack := []gopacket.SerializableLayer{eth}
	if d.VLAN != 0 {
		eth.EthernetType = layers.EthernetTypeDot1Q
		stack = append(stack, &layers.Dot1Q{
			Priority:       uint8(d.TCI >> 13),
			DropEligible:   d.TCI>>12&1 != 0,
			VLANIdentifier: uint16(d.TCI & 0xFFF),
			Type:           etherType,
		})
	}
	stack = append(stack, network(d), &layers.UDP{
		SrcPort:  layers.UDPPort(d.SrcPort),
		DstPort:  format.PortRoCEv2,
		Checksum: uint16(d.UDPChecksum),
	}, gopacket.Payload(body))

	buffer := gopacket.NewSerializeBuffer()
	for i := len(stack) - 1; i >= 0; i-- {
		_, isIP := stack[i].(*layers.IPv4)
		options := gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: isIP}
		if err := stack[i].SerializeTo(buffer, options); err != nil {
			return nil, fmt.Errorf("frames: %v: %w", stack[i].LayerType(), err)
		}
	}
	frame := buffer.Bytes()
	if packet, _ := ipPacket(frame); packet != nil {
		frame = frame[:networkOffset(frame)+len(packet)] // gopacket pads to 60 bytes
	}
	return frame, nil
}

func network(d format.TxDescriptor[uint64]) gopacket.SerializableLayer {
	if d.IPv6 != 0 {
		return &layers.IPv6{
			Version:      6,
			TrafficClass: uint8(d.TrafficClass),
			FlowLabel:    uint32(d.FlowLabel),
			NextHeader:   layers.IPProtocolUDP,
			HopLimit:     uint8(d.HopLimit),
			SrcIP:        ipv6Address(d.SrcHi, d.SrcLo),
			DstIP:        ipv6Address(d.DstHi, d.DstLo),
		}
	}
	ip := &layers.IPv4{
		Version:  4,
		IHL:      5,
		TOS:      uint8(d.TrafficClass),
		Id:       uint16(d.IPID),
		TTL:      uint8(d.HopLimit),
		Protocol: layers.IPProtocolUDP,
		SrcIP:    binary.BigEndian.AppendUint32(nil, uint32(d.SrcLo)),
		DstIP:    binary.BigEndian.AppendUint32(nil, uint32(d.DstLo)),
	}
	if d.DF != 0 {
		ip.Flags = layers.IPv4DontFragment
	}
	return ip
}

func mac(x uint64) net.HardwareAddr {
	return net.HardwareAddr(binary.BigEndian.AppendUint64(nil, x)[2:])
}

func ipv6Address(hi, lo uint64) net.IP {
	return net.IP(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, hi), lo))
}
