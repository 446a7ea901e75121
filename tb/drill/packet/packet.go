package packet

import (
	"net/netip"

	"gornic/format"
)

// Packet is a RoCEv2 packet in an Ethernet frame. Numbers of a header that its opcode does not
// have are 0.
type Packet struct {
	DstMAC, SrcMAC uint64
	Tagged         bool   // with an 802.1Q tag
	TCI            uint64 // of the tag

	Src, Dst     netip.Addr // both IPv4, or both IPv6
	TrafficClass uint64     // or TOS
	HopLimit     uint64     // or TTL
	FlowLabel    uint64     // IPv6
	IPID         uint64     // IPv4
	IPLength     uint64     // IPv4: of the packet; IPv6: behind its header. 0 when made: the right one

	SrcPort, DstPort, UDPChecksum uint64
	UDPLength                     uint64 // 0 when made: the right one

	BTH       format.BTH[uint64]
	RETH      format.RETH[uint64]
	Atomic    format.AtomicETH[uint64]
	AETH      format.AETH[uint64]
	AtomicAck format.AtomicAckETH[uint64]
	Imm       format.ImmDt[uint64]
	IETH      format.IETH[uint64]
	Payload   []byte // without pad

	Trailer  int    // bytes behind the IP packet
	ICRC     uint64 // that it came with
	BadICRC  bool   // when made: a wrong one
	Problems []string
}

// Info is what the opcode table has of its opcode.
func (p *Packet) Info() format.OpInfo {
	info, _ := format.Lookup(format.Opcode(p.BTH.Opcode))
	return info
}

// Has tells whether its opcode has an extension header.
func (p *Packet) Has(h format.ExtHeader) bool {
	_, ok := p.Info().ExtOffset(h)
	return ok
}

// Response tells whether it answers a request: its PSN is of those that the receiver sends.
func (p *Packet) Response() bool { return IsResponse(format.Opcode(p.BTH.Opcode)) }

// IsResponse tells whether an opcode answers requests.
func IsResponse(op format.Opcode) bool {
	return op >= format.OpReadResponseFirst && op <= format.OpAtomicAck
}

// extension is the header h of a packet.
func (p *Packet) extension(h format.ExtHeader) any {
	switch h {
	case format.ExtRETH:
		return &p.RETH
	case format.ExtAtomicETH:
		return &p.Atomic
	case format.ExtAETH:
		return &p.AETH
	case format.ExtAtomicAckETH:
		return &p.AtomicAck
	case format.ExtImmDt:
		return &p.Imm
	case format.ExtIETH:
		return &p.IETH
	}
	return nil
}
