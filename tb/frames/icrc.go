package frames

import (
	"encoding/binary"
	"hash/crc32"
	"slices"

	"gornic/format"
)

// FixICRC computes the ICRC of the packet in a frame and puts it in its place,
// by the IP length, whatever the other headers say. It does nothing and returns
// false if there is no place: no IP header behind at most one tag, a packet that
// is too short for a BTH and an ICRC, or one that the frame does not hold.
func FixICRC(frame []byte) bool {
	place, sum, ok := icrc(frame)
	if ok {
		binary.LittleEndian.PutUint32(place, sum)
	}
	return ok
}

// CheckICRC returns the ICRC that a frame has and the one that it should have
// (protocol section 1.7), false if there is no place for one, as [FixICRC] says.
func CheckICRC(frame []byte) (got, want uint32, ok bool) {
	place, want, ok := icrc(frame)
	if !ok {
		return 0, 0, false
	}
	return binary.LittleEndian.Uint32(place), want, true
}

// icrc returns the four bytes of a frame where its ICRC belongs, and what belongs
// there: the CRC of zlib over eight bytes of ones and the packet, with ones for what
// a router may change.
func icrc(frame []byte) (place []byte, sum uint32, ok bool) {
	packet, udp := ipPacket(frame)
	if packet == nil || len(packet) < udp+8+12+format.ICRCSize {
		return nil, 0, false
	}
	end := len(packet) - format.ICRCSize
	masked := append([]byte("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"), packet[:end]...)
	const ip = 8 // offset of the IP header in masked
	ones := []int{ip + udp + 6, ip + udp + 7, ip + udp + 12}
	if udp == 40 {
		masked[ip] |= 0x0F
		ones = append(ones, ip+1, ip+2, ip+3, ip+7)
	} else {
		ones = append(ones, ip+1, ip+8, ip+10, ip+11)
	}
	for _, i := range ones {
		masked[i] = 0xFF
	}
	return packet[end:], crc32.ChecksumIEEE(masked), true
}

// fixIPv4Checksum does for the IPv4 header checksum what FixICRC does for the
// ICRC.
func fixIPv4Checksum(frame []byte) {
	at := networkOffset(frame)
	if at < 0 || len(frame) < at+20 || frame[at]>>4 != 4 {
		return
	}
	header := frame[at : at+20]
	header[10], header[11] = 0, 0
	sum := 0
	for half := range slices.Chunk(header, 2) {
		sum += int(half[0])<<8 | int(half[1])
	}
	sum = sum>>16 + sum&0xFFFF
	binary.BigEndian.PutUint16(header[10:], ^uint16(sum>>16+sum&0xFFFF))
}

// ipPacket returns the packet that the IP length gives, part of the frame's
// memory, and the offset of its UDP header; nil if there is none.
func ipPacket(frame []byte) (packet []byte, udp int) {
	at := networkOffset(frame)
	if at < 0 || len(frame) < at+20 {
		return nil, 0
	}
	length, udp := 0, 20
	switch frame[at] >> 4 {
	case 4:
		length = int(binary.BigEndian.Uint16(frame[at+2:]))
	case 6:
		length, udp = 40+int(binary.BigEndian.Uint16(frame[at+4:])), 40
	}
	if length == 0 || at+length > len(frame) {
		return nil, 0
	}
	return frame[at : at+length], udp
}

// networkOffset returns the offset of the IP header, -1 if the ethertype is not
// IP.
func networkOffset(frame []byte) int {
	for _, at := range []int{14, 18} {
		if len(frame) < at {
			return -1
		}
		switch binary.BigEndian.Uint16(frame[at-2:]) {
		case format.EtherTypeIPv4, format.EtherTypeIPv6:
			return at
		case format.EtherTypeVLAN:
			continue
		}
		return -1
	}
	return -1
}
