package verbs

import (
	"encoding/binary"
	"net/netip"

	"gornic/format"
)

// AHAttr is where a queue pair's packets go (ibv_ah_attr and its ibv_global_route).
type AHAttr struct {
	Src          netip.Addr // own address: the GID of sgid_index; IPv4 also in its IPv6 form
	Dst          netip.Addr // the peer's, of the same family (dgid)
	DstMAC       MAC        // of the peer or of the router to it
	VLAN         VLAN       // zero: untagged
	TrafficClass uint8      // or IPv4 TOS; ECN is bits 1 and 0
	HopLimit     uint8      // or TTL; 0: 64
	FlowLabel    uint32     // 20 bits
	SrcPort      uint16     // UDP; 0: from the flow label, or without one from the two QPNs
}

// VLAN is an 802.1Q tag.
type VLAN struct {
	Tagged   bool
	ID       uint16 // 0 to 4094
	Priority uint8  // 0 to 7
	DEI      bool   // drop eligible
}

const (
	defaultHopLimit = 64
	maxFlowLabel    = 1<<20 - 1
	maxVLAN         = 4094
	maxPriority     = 7
)

func (a *AHAttr) check() error {
	src, dst := a.Src.Unmap(), a.Dst.Unmap()
	switch {
	case !src.IsValid() || !dst.IsValid():
		return invalid("an address handle needs both addresses")
	case src.Is4() != dst.Is4():
		return invalid("addresses %v and %v of different families", src, dst)
	case src.IsMulticast() || dst.IsMulticast() || dst.IsUnspecified():
		return invalid("addresses %v and %v", src, dst)
	case a.FlowLabel > maxFlowLabel:
		return invalid("flow label %#x has more than 20 bits", a.FlowLabel)
	case a.VLAN.ID > maxVLAN || a.VLAN.Priority > maxPriority:
		return invalid("VLAN %d with priority %d", a.VLAN.ID, a.VLAN.Priority)
	}
	return a.DstMAC.check()
}

// av returns the address vector of a connection between two QPNs.
func (a *AHAttr) av(lqpn, rqpn uint32) format.AV[uint64] {
	src, dst := a.Src.Unmap(), a.Dst.Unmap()
	v := format.AV[uint64]{
		DstMAC: a.DstMAC.number(), HopLimit: uint64(a.HopLimit), TrafficClass: uint64(a.TrafficClass),
		FlowLabel: uint64(a.FlowLabel), SrcPort: uint64(a.port(lqpn, rqpn)),
	}
	if v.HopLimit == 0 {
		v.HopLimit = defaultHopLimit
	}
	if a.VLAN.Tagged {
		v.VLAN, v.TCI = 1, a.VLAN.tci()
	}
	if src.Is6() {
		v.IPv6 = 1
	}
	v.SrcHi, v.SrcLo = halves(src)
	v.DstHi, v.DstLo = halves(dst)
	return v
}

// port is the UDP source port (protocol section 1.2).
func (a *AHAttr) port(lqpn, rqpn uint32) uint16 {
	switch {
	case a.SrcPort != 0:
		return a.SrcPort
	case a.FlowLabel != 0:
		return format.FlowLabelPort(a.FlowLabel)
	}
	return format.SourcePort(lqpn, rqpn)
}

func (t VLAN) tci() uint64 {
	tci := uint64(t.Priority)<<13 | uint64(t.ID)
	if t.DEI {
		tci |= 1 << 12
	}
	return tci
}

// halves returns an address as two numbers; an IPv4 one is in the low 32 bits.
func halves(a netip.Addr) (hi, lo uint64) {
	if a.Is4() {
		b := a.As4()
		return 0, uint64(binary.BigEndian.Uint32(b[:]))
	}
	b := a.As16()
	return binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])
}
