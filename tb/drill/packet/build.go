package packet

import (
	"encoding/binary"
	"fmt"
	"net"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"

	"gornic/format"
	"gornic/tb/frames"
)

// Frame makes the frame of a packet, without FCS: with as many zero bytes of pad as PadCnt says, and the ICRC that
// all before it has, unless BadICRC asks for another.
func (p *Packet) Frame() ([]byte, error) {
	body, err := p.transport()
	if err != nil {
		return nil, err
	}
	frame, err := p.encapsulate(body)
	if err != nil {
		return nil, err
	}
	frames.FixICRC(frame) // false: the lengths leave no place for it, as the case wants
	p.setLengths(frame)
	if p.IPLength != 0 || p.UDPLength != 0 {
		frames.FixICRC(frame)
	}
	if p.BadICRC {
		frame[len(frame)-1] ^= 0xFF
	}
	return append(frame, make([]byte, p.Trailer)...), nil
}

// transport is what UDP carries, with an ICRC of zeros.
func (p *Packet) transport() ([]byte, error) {
	b, err := format.Append(nil, p.BTH)
	if err != nil {
		return nil, fmt.Errorf("BTH: %w", err)
	}
	for _, h := range p.Info().Headers {
		if b, err = p.appendExtension(b, h); err != nil {
			return nil, fmt.Errorf("%v: %w", h, err)
		}
	}
	b = append(b, p.Payload...)
	return append(b, make([]byte, int(p.BTH.PadCnt)+format.ICRCSize)...), nil
}

func (p *Packet) appendExtension(b []byte, h format.ExtHeader) ([]byte, error) {
	switch h {
	case format.ExtRETH:
		return format.Append(b, p.RETH)
	case format.ExtAtomicETH:
		return format.Append(b, p.Atomic)
	case format.ExtAETH:
		return format.Append(b, p.AETH)
	case format.ExtAtomicAckETH:
		return format.Append(b, p.AtomicAck)
	case format.ExtImmDt:
		return format.Append(b, p.Imm)
	case format.ExtIETH:
		return format.Append(b, p.IETH)
	}
	return append(b, make([]byte, h.Size())...), nil // DETH: of a transport that the NIC does not speak
}

// encapsulate puts UDP, IP and Ethernet headers before a UDP payload.
func (p *Packet) encapsulate(body []byte) ([]byte, error) {
	etherType := layers.EthernetTypeIPv4
	if p.Src.Is6() {
		etherType = layers.EthernetTypeIPv6
	}
	eth := &layers.Ethernet{SrcMAC: hardware(p.SrcMAC), DstMAC: hardware(p.DstMAC), EthernetType: etherType}
	stack := []gopacket.SerializableLayer{eth}
	length := ethernetBytes
	if p.Tagged {
		eth.EthernetType = layers.EthernetTypeDot1Q
		stack = append(stack, &layers.Dot1Q{
			Priority: uint8(p.TCI >> 13), DropEligible: p.TCI>>12&1 != 0, VLANIdentifier: uint16(p.TCI & 0xFFF), Type: etherType,
		})
		length += tagBytes
	}
	network, size := p.network()
	length += size + udpBytes + len(body)
	stack = append(stack, network, &layers.UDP{
		SrcPort: layers.UDPPort(p.SrcPort), DstPort: layers.UDPPort(p.DstPort), Checksum: uint16(p.UDPChecksum),
	}, gopacket.Payload(body))
	buffer := gopacket.NewSerializeBuffer()
	for i := len(stack) - 1; i >= 0; i-- {
		_, isIP := stack[i].(*layers.IPv4)
		if err := stack[i].SerializeTo(buffer, gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: isIP}); err != nil {
			return nil, fmt.Errorf("%v: %w", stack[i].LayerType(), err)
		}
	}
	return append([]byte(nil), buffer.Bytes()[:length]...), nil // gopacket pads to 60 bytes
}

const (
	ethernetBytes = 14
	tagBytes      = 4
	ipv4Bytes     = 20
	ipv6Bytes     = 40
	udpBytes      = 8
)

func (p *Packet) network() (gopacket.SerializableLayer, int) {
	if p.Src.Is6() {
		return &layers.IPv6{
			Version: 6, TrafficClass: uint8(p.TrafficClass), FlowLabel: uint32(p.FlowLabel), NextHeader: layers.IPProtocolUDP,
			HopLimit: uint8(p.HopLimit), SrcIP: p.Src.AsSlice(), DstIP: p.Dst.AsSlice(),
		}, ipv6Bytes
	}
	return &layers.IPv4{
		Version: 4, IHL: 5, TOS: uint8(p.TrafficClass), Id: uint16(p.IPID), TTL: uint8(p.HopLimit), Protocol: layers.IPProtocolUDP,
		Flags: layers.IPv4DontFragment, SrcIP: p.Src.AsSlice(), DstIP: p.Dst.AsSlice(),
	}, ipv4Bytes
}

// setLengths puts the lengths that are asked for in the place of the right ones. The
// checksum of an IPv4 header is corrected.
func (p *Packet) setLengths(frame []byte) {
	ip := ethernetBytes
	if p.Tagged {
		ip += tagBytes
	}
	at, udp := ip+4, ip+ipv6Bytes
	if p.Src.Is4() {
		at, udp = ip+2, ip+ipv4Bytes
	}
	if p.UDPLength != 0 {
		binary.BigEndian.PutUint16(frame[udp+4:], uint16(p.UDPLength))
	}
	if p.IPLength == 0 {
		return
	}
	was := binary.BigEndian.Uint16(frame[at:])
	binary.BigEndian.PutUint16(frame[at:], uint16(p.IPLength))
	if p.Src.Is4() { // RFC 1624: HC' = ~(~HC + ~m + m')
		sum := uint32(^binary.BigEndian.Uint16(frame[ip+10:])) + uint32(^was) + uint32(p.IPLength)
		sum = sum&0xFFFF + sum>>16
		sum = sum&0xFFFF + sum>>16
		binary.BigEndian.PutUint16(frame[ip+10:], ^uint16(sum))
	}
}

func hardware(mac uint64) net.HardwareAddr { return binary.BigEndian.AppendUint64(nil, mac)[2:] }
