package wire

import (
	"encoding/binary"

	"gornic/format"
)

// arriving is a copy of a frame as it comes out of the wire, nil if that is as it went in.
func (f Faults) arriving(a Action, p Packet, frame []byte) []byte {
	switch a {
	case Corrupt:
		return f.corrupt(p, frame)
	case Flip:
		return f.flip(p, frame)
	case Truncate:
		return f.truncate(p, frame)
	case Mark:
		return marked(frame)
	}
	return nil
}

// corrupt flips one bit between the BTH and the end of the packet. A flipped bit of the BTH
// could make it another QP's.
func (f Faults) corrupt(p Packet, frame []byte) []byte {
	bth, end, _ := transport(frame)
	start := bth + bthBytes
	return flipped(frame, 8*start+int(f.hashOf(hashDamage, p)%uint64(8*(end-start))))
}

// flip flips one to three bits anywhere.
func (f Faults) flip(p Packet, frame []byte) []byte {
	h := f.hashOf(hashDamage, p)
	out := frame
	for range 1 + h%3 {
		h = Hash(h)
		out = flipped(out, int(h%uint64(8*len(frame))))
	}
	return out
}

// flipped is a copy with one bit flipped.
func flipped(frame []byte, bit int) []byte {
	out := append([]byte(nil), frame...)
	out[bit/8] ^= 1 << (bit % 8)
	return out
}

// truncate leaves one byte or more, and cuts off one or more.
func (f Faults) truncate(p Packet, frame []byte) []byte {
	n := 1 + int(f.hashOf(hashDamage, p)%uint64(len(frame)-1))
	return append([]byte(nil), frame[:n]...)
}

const ecnCE = 3 // of IP; 1 and 2 are ECT

// marked is a copy with the mark of congestion, nil if the sender does not take part, or it has one.
func marked(frame []byte) []byte {
	ip := ethernetBytes
	if half(frame, ip-2) == format.EtherTypeVLAN {
		ip += vlanBytes
	}
	at, shift := ip+1, 0 // of the byte and bits of ECN
	v4 := half(frame, ip-2) == format.EtherTypeIPv4
	if !v4 {
		shift = 4
	}
	if ecn := frame[at] >> shift & ecnCE; ecn == 0 || ecn == ecnCE {
		return nil
	}
	out := append([]byte(nil), frame...)
	out[at] |= ecnCE << shift
	if v4 {
		binary.BigEndian.PutUint16(out[ip+10:], 0)
		binary.BigEndian.PutUint16(out[ip+10:], checksum(out[ip:ip+ipv4Bytes]))
	}
	return out
}

// checksum is that of an IPv4 header in which it is 0.
func checksum(header []byte) uint16 {
	sum := 0
	for i := 0; i < len(header); i += 2 {
		sum += half(header, i)
	}
	for sum > 0xFFFF {
		sum = sum>>16 + sum&0xFFFF
	}
	return ^uint16(sum)
}
