package neighbour

import "encoding/binary"

// Reference is the block in plain Go, without time: one request is answered before the next one comes.
type Reference struct {
	MAC [6]byte
	IP  [4]byte

	Tagged bool // requests with a VLAN tag are answered, too
}

// Answer returns the answer to a frame, and whether the frame is a request for the board at all; a bad one is taken without an answer.
func (r Reference) Answer(frame []byte) (answer []byte, request bool) {
	body, tag := frame, []byte(nil)
	if r.Tagged {
		body, tag = untagged(frame)
	}
	if len(frame) <= 40 { // shorter than any frame on a wire
		return nil, false
	}
	switch binary.BigEndian.Uint16(body[12:]) {
	case 0x0806:
		request = r.isARP(body)
	case 0x0800:
		request = r.isPing(body)
	}
	if !request || frame[6]&1 != 0 {
		return nil, false
	}
	if len(frame) > 190*8 {
		return nil, true
	}
	out := append([]byte(nil), body...)
	if binary.BigEndian.Uint16(body[12:]) == 0x0806 {
		r.answerARP(out)
	} else if !r.answerPing(out) {
		return nil, true
	}
	return append(append(append([]byte(nil), out[:12]...), tag...), out[12:]...), true
}

// untagged is a frame without its VLAN tag, and the tag.
func untagged(frame []byte) (body, tag []byte) {
	if len(frame) < 18 || frame[12] != 0x81 || frame[13] != 0 {
		return frame, nil
	}
	return append(append([]byte(nil), frame[:12]...), frame[16:]...), frame[12:16]
}

func (r Reference) isARP(f []byte) bool {
	return len(f) >= 42 && string(f[14:22]) == "\x00\x01\x08\x00\x06\x04\x00\x01" && f[22]&1 == 0 && string(f[38:42]) == string(r.IP[:])
}

func (r Reference) isPing(f []byte) bool {
	return string(f[:6]) == string(r.MAC[:]) && f[14] == 0x45 && binary.BigEndian.Uint16(f[20:])&0x3FFF == 0 &&
		f[23] == 1 && string(f[30:34]) == string(r.IP[:]) && f[34] == 8 && f[35] == 0
}

func (r Reference) answerARP(f []byte) {
	sender := append([]byte(nil), f[22:32]...) // MAC and IP
	copy(f, sender[:6])
	copy(f[6:], r.MAC[:])
	f[21] = 2
	copy(f[22:], r.MAC[:])
	copy(f[28:], r.IP[:])
	copy(f[32:], sender)
}

func (r Reference) answerPing(f []byte) bool {
	length := int(binary.BigEndian.Uint16(f[16:]))
	if onesSum(f[14:34]) != 0xFFFF || length < 28 || 14+length > len(f) {
		return false
	}
	peer := append([]byte(nil), f[26:30]...)
	copy(f, f[6:12])
	copy(f[6:], r.MAC[:])
	f[22] = 64
	copy(f[26:], r.IP[:])
	copy(f[30:], peer)
	binary.BigEndian.PutUint16(f[24:], 0)
	binary.BigEndian.PutUint16(f[24:], ^onesSum(f[14:34]))
	// What was wrong with the checksum stays wrong: the change of the type alone goes into it.
	f[34] = 0
	sum := uint32(^binary.BigEndian.Uint16(f[36:])) + 0xF7FF
	binary.BigEndian.PutUint16(f[36:], ^uint16(sum+sum>>16))
	return true
}

// onesSum is the one's complement sum of an even number of bytes.
func onesSum(data []byte) uint16 {
	var sum uint32
	for i := 0; i < len(data); i += 2 {
		sum += uint32(binary.BigEndian.Uint16(data[i:]))
	}
	for sum > 0xFFFF {
		sum = sum&0xFFFF + sum>>16
	}
	return uint16(sum)
}
