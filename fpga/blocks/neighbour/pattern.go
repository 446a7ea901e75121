package neighbour

import "gornic/hdl"

// A kind is a request that is answered, with or without a VLAN tag.
type kind int

const (
	arp kind = iota
	ping
	taggedARP
	taggedPing
)

func (k kind) tagged() bool { return k >= taggedARP }

func (k kind) isARP() bool { return k == arp || k == taggedARP }

// tagBytes is the length of a VLAN tag, which stands behind the MAC addresses.
const (
	tagBytes = 4
	tagAt    = 12
)

// at is where a byte of an untagged frame is in one of kind k.
func (k kind) at(offset int) int {
	if k.tagged() && offset >= tagAt {
		return offset + tagBytes
	}
	return offset
}

// Offsets in an untagged frame, in bytes: Ethernet, ARP (RFC 826), IPv4 (RFC 791) and ICMP (RFC 792).
const (
	ethDestination = 0
	ethSource      = 6
	ethType        = 12

	arpHead      = 14 // hardware, protocol, their lengths, operation
	arpOperation = 20
	arpSenderMAC = 22
	arpSenderIP  = 28
	arpTargetMAC = 32
	arpTargetIP  = 38

	ipHead        = 14 // version and length of the header
	ipLength      = 16
	ipFragment    = 20
	ipTTL         = 22
	ipProtocol    = 23
	ipChecksum    = 24
	ipSource      = 26
	ipDestination = 30
	ipEnd         = 34

	icmpType     = 34
	icmpCode     = 35
	icmpChecksum = 36
)

// Values of the fields.
const (
	echoRequest = 8
	protocol    = 1  // ICMP
	freshTTL    = 64 // of an answer
	headWord    = 5  // the 64-bit word with the last byte that a request is known by
)

// A need is what a byte of a request has to be: in the bits of mask, the value. Of a field that is the board's own, mine
// is the byte of it.
type need struct {
	mask, value byte
	mine        hdl.Bits
}

// needs is what the bytes of a request of kind k have to be, by offset in the frame. A byte that is not there may be anything.
func needs(k kind, mac, ip hdl.Bits) map[int]need {
	all := map[int]need{}
	bytes := func(offset int, values ...byte) {
		for i, v := range values {
			all[k.at(offset+i)] = need{mask: 0xFF, value: v}
		}
	}
	own := func(offset int, field hdl.Bits) {
		for i := range field.Width() / 8 {
			all[k.at(offset+i)] = need{mask: 0xFF, mine: byteOf(field, i)}
		}
	}
	if k.tagged() {
		all[tagAt], all[tagAt+1] = need{mask: 0xFF, value: 0x81}, need{mask: 0xFF, value: 0x00}
	}
	single := need{mask: 1} // no group address
	all[ethSource] = single
	if k.isARP() {
		bytes(ethType, 0x08, 0x06)
		bytes(arpHead, 0, 1, 0x08, 0, 6, 4, 0, 1)
		all[k.at(arpSenderMAC)] = single
		own(arpTargetIP, ip)
		return all
	}
	own(ethDestination, mac)
	bytes(ethType, 0x08, 0x00)
	bytes(ipHead, 0x45)
	all[k.at(ipFragment)] = need{mask: 0x3F} // neither more fragments nor an offset
	bytes(ipFragment+1, 0)
	bytes(ipProtocol, protocol)
	own(ipDestination, ip)
	bytes(icmpType, echoRequest, 0)
	return all
}

// byteOf is byte i of a field that is in network order.
func byteOf(field hdl.Bits, i int) hdl.Bits { return field.Byte(field.Width()/8 - 1 - i) }

// fields are the values that an answer is made of, in network order.
type fields struct {
	mac, ip         hdl.Bits // the board's
	peerMAC, peerIP hdl.Bits
	ipSum, icmpSum  hdl.Bits // of the answer
}

// replaced is what the bytes of an answer are where they are not those of the request, by offset in the frame.
func replaced(k kind, f fields) map[int]hdl.Bits {
	all := map[int]hdl.Bits{}
	put := func(offset int, field hdl.Bits) {
		for i := range field.Width() / 8 {
			all[k.at(offset+i)] = byteOf(field, i)
		}
	}
	put(ethDestination, f.peerMAC)
	put(ethSource, f.mac)
	if k.isARP() {
		put(arpOperation, hdl.K(16, 2))
		put(arpSenderMAC, f.mac)
		put(arpSenderIP, f.ip)
		put(arpTargetMAC, f.peerMAC)
		put(arpTargetIP, f.peerIP)
		return all
	}
	put(ipTTL, hdl.K(8, freshTTL))
	put(ipChecksum, f.ipSum)
	put(ipSource, f.ip)
	put(ipDestination, f.peerIP)
	put(icmpType, hdl.K(8, 0))
	put(icmpChecksum, f.icmpSum)
	return all
}
