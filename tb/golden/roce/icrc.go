package roce

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"

	"gornic/format"
)

// ICRC returns the invariant CRC of a packet from the first byte of its IP header to
// its last pad byte, IPv4 without options or IPv6 by the version in the first
// byte (protocol section 1.7). It fails if the packet is of neither version or
// ends before its BTH does. The packet is not changed.
func ICRC(packet []byte) (uint32, error) {
	masked, err := mask(packet)
	if err != nil {
		return 0, err
	}
	crc := crc32.NewIEEE()
	crc.Write([]byte{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}) // in place of the LRH of InfiniBand
	crc.Write(masked)
	return crc.Sum32(), nil
}

// AppendICRC appends the packet's ICRC to it, least significant byte first.
func AppendICRC(packet []byte) ([]byte, error) {
	sum, err := ICRC(packet)
	if err != nil {
		return packet, err
	}
	return binary.LittleEndian.AppendUint32(packet, sum), nil
}

// CheckICRC reports whether the last four bytes of a packet, which starts
// with the IP header, are its ICRC.
func CheckICRC(packet []byte) (bool, error) {
	end := len(packet) - format.ICRCSize
	if end < 0 {
		return false, fmt.Errorf("roce: packet of %d bytes: %w", len(packet), format.ErrShort)
	}
	sum, err := ICRC(packet[:end])
	return err == nil && sum == binary.LittleEndian.Uint32(packet[end:]), err
}

// mask returns a copy of the packet with ones in what may change on the way:
//
//	IPv4  TOS, TTL, header checksum
//	IPv6  traffic class, flow label, hop limit
//	UDP   checksum
//	BTH   the byte with FECN, BECN and the reserved bits before the QP number
func mask(packet []byte) ([]byte, error) {
	p := slices.Clone(packet)
	version, udp := 0, 0
	if len(p) > 0 {
		version = int(p[0] >> 4)
	}
	switch version {
	case 4:
		udp = 20
	case 6:
		udp = 40
	default:
		return nil, fmt.Errorf("roce: IP version %d", version)
	}
	bth := udp + 8
	if len(p) < bth+12 {
		return nil, fmt.Errorf("roce: IPv%d packet of %d bytes: %w", version, len(p), format.ErrShort)
	}
	switch version {
	case 4:
		fill(p[1:2])
		fill(p[8:9])
		fill(p[10:12])
	case 6:
		p[0] |= 0x0F
		fill(p[1:4])
		fill(p[7:8])
	}
	fill(p[udp+6 : udp+8])
	fill(p[bth+4 : bth+5])
	return p, nil
}

func fill(b []byte) {
	for i := range b {
		b[i] = 0xFF
	}
}
