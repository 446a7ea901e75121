package icrc

import (
	"encoding/binary"
	"slices"

	"gornic/format"
	"gornic/tb/golden/roce"
)

// A sample is a frame that goes through a proof, with any one of its bits
// inverted. What has to come of that is worked out here, from the reference.
type sample struct {
	name  string
	frame []byte // from the Ethernet header to the ICRC
	ip    int    // offset of the IP header
}

// samples returns the shortest frames there are: SEND Only without payload. At 64
// bits the ICRC of IPv4 needs a beat more than its frame, that of the others does
// not.
func samples() (ipv4, ipv6, tagged sample) {
	ethernet := []byte{0x02, 0x00, 0x00, 0xA1, 0xB2, 0xC3, 0x02, 0x00, 0x00, 0xD4, 0xE5, 0xF6}
	ip4 := []byte{
		0x08, 0x00,
		0x45, 0x02, 0x00, 0x2C, 0x12, 0x34, 0x40, 0x00, 0x40, 0x11, 0x9A, 0xBC,
		0xC0, 0xA8, 0x02, 0x01, 0xC0, 0xA8, 0x02, 0x02,
	}
	ip6 := []byte{
		0x86, 0xDD,
		0x60, 0x21, 0x23, 0x45, 0x00, 0x18, 0x11, 0x40,
		0x20, 0x01, 0x0D, 0xB8, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01,
		0x20, 0x01, 0x0D, 0xB8, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02,
	}
	tag := []byte{0x81, 0x00, 0x60, 0x07}
	ipv4 = newSample("ipv4", ipAt, ethernet, ip4)
	ipv6 = newSample("ipv6", ipAt, ethernet, ip6)
	tagged = newSample("tagged_ipv4", taggedIPAt, ethernet, tag, ip4)
	return ipv4, ipv6, tagged
}

func newSample(name string, ip int, head ...[]byte) sample {
	udp := []byte{0xC3, 0x51, 0x12, 0xB7, 0x00, 0x18, 0x56, 0x78}
	bth := []byte{byte(format.OpSendOnly), 0x40, 0xFF, 0xFF, 0x80, 0x00, 0x01, 0x23, 0x80, 0xAB, 0xCD, 0xEF}
	s := sample{name: name, ip: ip, frame: slices.Concat(append(head, udp, bth)...)}
	s.frame = binary.LittleEndian.AppendUint32(s.frame, s.sum(s.frame))
	return s
}

// bare is the sample without its ICRC.
func (s sample) bare() []byte { return s.frame[:len(s.frame)-format.ICRCSize] }

// sum is the ICRC of a frame that has none yet; 0 for one of another protocol.
func (s sample) sum(frame []byte) uint32 {
	sum, err := roce.ICRC(frame[s.ip:])
	if err != nil {
		return 0
	}
	return sum
}

// flipped is a copy of a frame with one bit inverted: of byte bit/8.
func flipped(frame []byte, bit int) []byte {
	frame = slices.Clone(frame)
	frame[bit/8] ^= 1 << (bit % 8)
	return frame
}

// good says what the verdict on a frame with the sample's headers has to be.
func (s sample) good(frame []byte) bool {
	packet := frame[s.ip:]
	if s.foreign(frame) {
		return false
	}
	length := int(binary.BigEndian.Uint16(packet[2:]))
	if packet[0]>>4 == 6 {
		length = 40 + int(binary.BigEndian.Uint16(packet[4:]))
	}
	if length > len(packet) {
		return false
	}
	good, err := roce.CheckICRC(packet[:length])
	return good && err == nil
}

// foreign says that the ethertypes or the IP version are not the sample's.
func (s sample) foreign(frame []byte) bool {
	return !slices.Equal(frame[typeAt:s.ip], s.maskTag(frame)) || frame[s.ip]>>4 != s.frame[s.ip]>>4
}

// maskTag is the sample's ethertypes, around the frame's own tag.
func (s sample) maskTag(frame []byte) []byte {
	types := slices.Clone(s.frame[typeAt:s.ip])
	if len(types) > 2 {
		copy(types[2:4], frame[typeAt+2:])
	}
	return types
}

// which has a one for each bit of a frame for which the frame with that bit
// inverted is as asked for.
func which(frame []byte, is func(flipped []byte) bool) []byte {
	set := make([]byte, len(frame))
	for bit := range 8 * len(frame) {
		if is(flipped(frame, bit)) {
			set[bit/8] |= 1 << (bit % 8)
		}
	}
	return set
}
