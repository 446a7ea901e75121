package wire

import (
	"encoding/binary"

	"gornic/format"
)

// Packet names a RoCEv2 packet for [Faults].
type Packet struct {
	QP        uint32 // destination queue pair number
	PSN       uint32
	Opcode    format.Opcode
	Response  bool // it answers a request: READ response, ACKNOWLEDGE, ATOMIC_ACK
	Direction Direction
	Attempt   int // how often the same packet crossed the wire before
}

// Lengths of headers in bytes.
const (
	ethernetBytes = 14
	vlanBytes     = 4
	ipv4Bytes     = 20
	ipv6Bytes     = 40
	udpBytes      = 8
	bthBytes      = 12
)

// parse returns what a frame is to Faults, false if it is no RoCEv2 packet of the
// reliable connection.
func parse(frame []byte) (Packet, bool) {
	at, _, ok := transport(frame)
	if !ok {
		return Packet{}, false
	}
	bth, err := format.Decode[format.BTH[uint64]](frame[at:])
	op := format.Opcode(bth.Opcode)
	if err != nil || op.Transport() != format.RC {
		return Packet{}, false
	}
	response := op >= format.OpReadResponseFirst && op <= format.OpAtomicAck
	return Packet{QP: uint32(bth.DestQP), PSN: uint32(bth.PSN), Opcode: op, Response: response}, true
}

// transport returns where the BTH of a RoCEv2 packet starts and where its ICRC
// ends, false if the frame holds no whole packet.
func transport(frame []byte) (bth, end int, ok bool) {
	ip := ethernetBytes
	if len(frame) >= ip+vlanBytes && half(frame, ip-2) == format.EtherTypeVLAN {
		ip += vlanBytes
	}
	if len(frame) < ip+ipv4Bytes {
		return 0, 0, false
	}
	var udp, protocol int
	switch half(frame, ip-2) {
	case format.EtherTypeIPv4:
		udp, protocol, end = ip+ipv4Bytes, ip+9, ip+half(frame, ip+2)
	case format.EtherTypeIPv6:
		udp, protocol, end = ip+ipv6Bytes, ip+6, ip+ipv6Bytes+half(frame, ip+4)
	default:
		return 0, 0, false
	}
	bth = udp + udpBytes
	if end > len(frame) || end < bth+bthBytes+format.ICRCSize || frame[protocol] != format.ProtocolUDP {
		return 0, 0, false
	}
	return bth, end, half(frame, udp+2) == format.PortRoCEv2
}

// half reads 16 bits in network byte order.
func half(frame []byte, at int) int { return int(binary.BigEndian.Uint16(frame[at:])) }
