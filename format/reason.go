package format

import "slices"

// Verdict is what becomes of a received frame.
type Verdict uint8

// Verdicts.
const (
	Accepted Verdict = iota // a RoCEv2 packet for the transport
	Passed                  // leaves unchanged on the raw stream, for the host's own network stack
	Dropped                 // gone, and counted by reason
)

var verdictNames = [...]string{"accepted", "passed", "dropped"}

func (v Verdict) String() string { return indexed(verdictNames[:], v, "verdict") }

// Reason says why a frame got its verdict. The code is what the hardware
// carries, 5 bits: 0 accepted, 1 to 7 passed, 8 and above dropped.
type Reason uint8

// ReasonBits is the width of a reason in hardware.
const ReasonBits = 5

// Reasons. Those of one verdict stand in their order of precedence; see
// [Reasons] for the order among all.
const (
	ReasonOK Reason = 0

	ReasonEtherType Reason = 1
	ReasonIPVersion Reason = 2
	ReasonNotUDP    Reason = 3
	ReasonFragment  Reason = 4
	ReasonUDPPort   Reason = 5
	ReasonQP1       Reason = 6

	ReasonBadFrame    Reason = 8
	ReasonTruncated   Reason = 9
	ReasonRoCEv1      Reason = 10
	ReasonIPOptions   Reason = 11
	ReasonSwappedPort Reason = 12
	ReasonLength      Reason = 13
	ReasonTVer        Reason = 14
	ReasonPKey        Reason = 15
	ReasonQP0         Reason = 16
	ReasonTransport   Reason = 17
	ReasonICRC        Reason = 18
	ReasonBufferFull  Reason = 19
)

// Verdict returns the verdict that the reason stands for.
func (r Reason) Verdict() Verdict {
	switch {
	case r == ReasonOK:
		return Accepted
	case r < ReasonBadFrame:
		return Passed
	}
	return Dropped
}

// String returns the reason's name in the table, "unknown" without one.
func (r Reason) String() string {
	for _, i := range reasons {
		if i.Reason == r {
			return i.Name
		}
	}
	return "unknown"
}

// ReasonInfo is a row of the table of reasons.
type ReasonInfo struct {
	Reason Reason
	Name   string
	Text   string // when a frame gets it
}

// Reasons returns the table of reasons in order of precedence: a frame gets the
// first whose condition holds, and ReasonOK if none does.
//
// The order is the one in which a machine that reads the frame once learns
// things, header by header; what only the end of the frame tells comes after
// the headers, then the ICRC, then the packet buffer. Bad-frame alone is learned
// last and goes first: nothing in such a frame can be believed. A header is
// judged when all its bytes are there; a frame that ends inside a header that is
// needed is truncated. Truncated therefore has two places, and length too:
// that the lengths agree is known with the UDP header, that the opcode's headers
// fit only with the BTH.
//
// IPv4 header and UDP checksums are not verified. A QP 1 packet goes on to the
// host whatever the rest of its BTH and its ICRC say: the software that owns
// QP 1 judges it.
func Reasons() []ReasonInfo { return slices.Clone(reasons) }

var reasons = []ReasonInfo{
	{ReasonBadFrame, "bad-frame", "the MAC marked the frame bad (tuser on its last beat)"},
	{ReasonTruncated, "truncated", "the frame ends inside a header that is needed (Ethernet, 802.1Q, IP; UDP if the protocol is UDP and it is no fragment; BTH if the port is 4791), or, judged after length, before the end that its IP length gives"},
	{ReasonRoCEv1, "rocev1", "ethertype 0x8915, behind at most one 802.1Q tag"},
	{ReasonEtherType, "ethertype", "ethertype, behind at most one 802.1Q tag, neither IPv4 nor IPv6: ARP, a second tag, ..."},
	{ReasonIPVersion, "ip-version", "IP version not that of the ethertype, or an IPv4 header length below 5"},
	{ReasonNotUDP, "not-udp", "IPv4 protocol or IPv6 next header not 17; IPv6 extension headers are not looked into"},
	{ReasonFragment, "fragment", "IPv4 with more-fragments set or a fragment offset"},
	{ReasonIPOptions, "ip-options", "IPv4 with options, UDP destination port 4791"},
	{ReasonSwappedPort, "swapped-port", "no IPv4 options, UDP source port 4791 and another destination port: a RoCEv2 peer that swaps the ports in its replies"},
	{ReasonUDPPort, "udp-port", "any other UDP destination port than 4791"},
	{ReasonLength, "length", "UDP length not that of the IP payload, or below 24 (UDP, BTH, ICRC); or, judged after transport, too short for the opcode's headers, pad and ICRC, or a payload above 4096 bytes"},
	{ReasonQP1, "qp1", "destination queue pair 1"},
	{ReasonTVer, "tver", "transport header version not 0"},
	{ReasonPKey, "pkey", "partition key not 0x7FFF or 0xFFFF"},
	{ReasonQP0, "qp0", "destination queue pair 0"},
	{ReasonTransport, "transport", "opcode neither of the reliable connection (0x00 to 0x1F) nor the CNP (0x81)"},
	{ReasonICRC, "icrc", "ICRC wrong"},
	{ReasonBufferFull, "buffer-full", "no room in the packet buffer"},
	{ReasonOK, "ok", "accepted"},
}
