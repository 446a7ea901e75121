package format

// PortRoCEv2 is the UDP destination port of RoCEv2, of requests, responses and
// CNPs alike (protocol section 1.1).
const PortRoCEv2 = 4791

// UDP is the UDP header, 8 bytes.
type UDP[V any] struct {
	SrcPort  V `w:"16"` // entropy for the network's load balancing: see SourcePort
	DstPort  V `w:"16"` // 4791
	Length   V `w:"16"` // bytes from this header to the ICRC's end
	Checksum V `w:"16"` // 0 is normal; any value is accepted, and not covered by the ICRC
}
