package format

// Ethertypes.
const (
	EtherTypeIPv4   = 0x0800
	EtherTypeIPv6   = 0x86DD
	EtherTypeVLAN   = 0x8100 // 802.1Q customer tag
	EtherTypeRoCEv1 = 0x8915 // GRH instead of IP and UDP: not RoCEv2
)

// Ethernet is the Ethernet header, 14 bytes.
type Ethernet[V any] struct {
	Dst  V `w:"48"` // destination MAC address
	Src  V `w:"48"` // source MAC address
	Type V `w:"16"` // ethertype
}

// VLAN is the rest of an 802.1Q tag, 4 bytes: what follows the ethertype
// [EtherTypeVLAN].
type VLAN[V any] struct {
	TCI  V `w:"16"` // priority (3 bits), drop eligible (1), VLAN id (12)
	Type V `w:"16"` // ethertype of what follows
}
