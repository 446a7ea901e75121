package format

// ProtocolUDP is the IPv4 protocol and IPv6 next header number of UDP.
const ProtocolUDP = 17

// Values of the ECN field, the two low bits of the IPv4 TOS and the IPv6
// traffic class (protocol section 1.8).
const (
	ECNNotECT = 0
	ECNECT1   = 1
	ECNECT0   = 2
	ECNCE     = 3 // congestion experienced: set by switches only
)

// IPv4 is the IPv4 header without options, 20 bytes.
type IPv4[V any] struct {
	Version     V `w:"4"`  // 4
	IHL         V `w:"4"`  // header length in 32-bit words; RoCEv2: 5
	TOS         V `w:"8"`  // DSCP (6 bits) and ECN (2)
	TotalLength V `w:"16"` // bytes from the IP header to the ICRC's end
	ID          V `w:"16"` // identification
	Reserved    V `w:"1"`  // 0
	DF          V `w:"1"`  // do not fragment
	MF          V `w:"1"`  // more fragments
	FragOffset  V `w:"13"` // in 8-byte units
	TTL         V `w:"8"`  // time to live
	Protocol    V `w:"8"`  // 17 for UDP
	Checksum    V `w:"16"` // of the header
	Src         V `w:"32"` // source address
	Dst         V `w:"32"` // destination address
}

// IPv6 is the IPv6 header, 40 bytes. An address is two halves.
type IPv6[V any] struct {
	Version       V `w:"4"`  // 6
	TrafficClass  V `w:"8"`  // DSCP (6 bits) and ECN (2)
	FlowLabel     V `w:"20"` // not covered by the ICRC
	PayloadLength V `w:"16"` // bytes from the UDP header to the ICRC's end
	NextHeader    V `w:"8"`  // 17 for UDP
	HopLimit      V `w:"8"`  // as TTL
	SrcHi         V `w:"64"` // source address, bytes 0 to 7
	SrcLo         V `w:"64"` // source address, bytes 8 to 15
	DstHi         V `w:"64"` // destination address, bytes 0 to 7
	DstLo         V `w:"64"` // destination address, bytes 8 to 15
}
