package frames

import (
	"encoding/binary"
	"slices"

	"gornic/format"
)

// A mutation damages a good frame, which it may change in place.
type mutation struct {
	name  string
	apply func(g *Generator, frame []byte) []byte
}

// mutations is what [Generator.Mutated] chooses from. Those that repair the
// ICRC leave one thing wrong and nothing else.
var mutations = []mutation{
	{"bit flips", flipBits},
	{"header bit flips, ICRC right", flipHeaderBits},
	{"cut short", cutShort},
	{"trailing bytes", appendBytes},
	{"wrong ICRC", wrongICRC},
	{"ICRC most significant byte first", swapICRC},
	{"IP length wrong", wrongIPLength},
	{"UDP length wrong", wrongUDPLength},
	{"both lengths wrong", wrongLengths},
	{"opcode changed", changeOpcode},
	{"pad count changed", changePad},
	{"transport version not 0", inBTH(1, 0x0F, 1)},
	{"partition key changed", inBTH(3, 0xFF, 1)},
	{"queue pair 0", setQP(0)},
	{"queue pair 1", setQP(1)},
	{"reserved bits set", reservedBits},
	{"destination port changed", inUDP(3, 0xFF, 1)},
	{"ports swapped", swapPorts},
	{"fields that routers change", routerFields},
	{"IP version changed", ipVersion},
	{"IP protocol changed", ipProtocol},
	{"IPv4 options", ipOptions},
	{"IPv4 fragment", ipFragment},
	{"ethertype changed", etherType},
	{"second tag", secondTag},
	{"RoCEv1 ethertype", roceV1},
	{"payload above 4096", longPayload},
}

// Mutations returns the names of the mutations.
func Mutations() []string {
	var names []string
	for _, m := range mutations {
		names = append(names, m.name)
	}
	return names
}

// Mutated returns a good frame with one mutation.
func (g *Generator) Mutated() Sample {
	m := pick(g, mutations)
	return Sample{m.name, m.apply(g, g.Good().Data)}
}

// places of a good frame.
func udpOffset(frame []byte) int {
	at := networkOffset(frame)
	if frame[at]>>4 == 6 {
		return at + 40
	}
	return at + 20
}

func bthOffset(frame []byte) int { return udpOffset(frame) + 8 }

func flipBits(g *Generator, frame []byte) []byte {
	for range 1 + g.r.IntN(3) {
		frame[g.r.IntN(len(frame))] ^= 1 << g.r.IntN(8)
	}
	return frame
}

func flipHeaderBits(g *Generator, frame []byte) []byte {
	headers := bthOffset(frame) + 12
	for range 1 + g.r.IntN(3) {
		frame[12+g.r.IntN(headers-12)] ^= 1 << g.r.IntN(8)
	}
	fixIPv4Checksum(frame)
	FixICRC(frame)
	return frame
}

func cutShort(g *Generator, frame []byte) []byte { return frame[:1+g.r.IntN(len(frame)-1)] }

func appendBytes(g *Generator, frame []byte) []byte {
	return append(frame, g.bytes(1+g.r.IntN(70))...)
}

func wrongICRC(g *Generator, frame []byte) []byte {
	frame[len(frame)-1-g.r.IntN(4)] ^= 1 << g.r.IntN(8)
	return frame
}

func swapICRC(_ *Generator, frame []byte) []byte {
	slices.Reverse(frame[len(frame)-4:])
	return frame
}

// add16 adds x, wrapping, to the 16-bit number at an offset.
func add16(frame []byte, at, x int) {
	binary.BigEndian.PutUint16(frame[at:], binary.BigEndian.Uint16(frame[at:])+uint16(x))
}

// delta is a small or large number, never 0, of either sign.
func (g *Generator) delta() int {
	n := 1 + g.r.IntN(16)
	if g.oneIn(4) == 1 {
		n = 1 + g.r.IntN(32767)
	}
	if g.oneIn(2) == 1 {
		return -n
	}
	return n
}

func changeIPLength(frame []byte, by int) {
	at := networkOffset(frame)
	if frame[at]>>4 == 6 {
		add16(frame, at+4, by)
		return
	}
	add16(frame, at+2, by)
	fixIPv4Checksum(frame)
}

func wrongIPLength(g *Generator, frame []byte) []byte {
	changeIPLength(frame, g.delta())
	FixICRC(frame)
	return frame
}

func wrongUDPLength(g *Generator, frame []byte) []byte {
	add16(frame, udpOffset(frame)+4, g.delta())
	FixICRC(frame)
	return frame
}

func wrongLengths(g *Generator, frame []byte) []byte {
	by := g.delta()
	if g.oneIn(2) == 1 {
		by = -g.r.IntN(len(frame))
	}
	add16(frame, udpOffset(frame)+4, by)
	changeIPLength(frame, by)
	FixICRC(frame)
	return frame
}

func changeOpcode(g *Generator, frame []byte) []byte {
	frame[bthOffset(frame)] = byte(g.bits(8))
	FixICRC(frame)
	return frame
}

func changePad(g *Generator, frame []byte) []byte {
	frame[bthOffset(frame)+1] ^= byte(1+g.r.IntN(3)) << 4
	FixICRC(frame)
	return frame
}

// inBTH returns a mutation of some of the masked bits of one byte of the BTH.
func inBTH(at int, mask, least byte) func(*Generator, []byte) []byte {
	return func(g *Generator, frame []byte) []byte {
		frame[bthOffset(frame)+at] ^= max(least, byte(g.bits(8))&mask)
		FixICRC(frame)
		return frame
	}
}

// inUDP is inBTH for the UDP header.
func inUDP(at int, mask, least byte) func(*Generator, []byte) []byte {
	return func(g *Generator, frame []byte) []byte {
		frame[udpOffset(frame)+at] ^= max(least, byte(g.bits(8))&mask)
		FixICRC(frame)
		return frame
	}
}

func setQP(qp byte) func(*Generator, []byte) []byte {
	return func(g *Generator, frame []byte) []byte {
		copy(frame[bthOffset(frame)+5:], []byte{0, 0, qp})
		if g.oneIn(2) == 1 {
			frame[bthOffset(frame)] = byte(g.bits(8))
		}
		FixICRC(frame)
		if g.oneIn(2) == 1 {
			return wrongICRC(g, frame)
		}
		return frame
	}
}

func reservedBits(g *Generator, frame []byte) []byte {
	frame[bthOffset(frame)+4] ^= byte(g.bits(8))
	frame[bthOffset(frame)+8] ^= byte(g.bits(7))
	FixICRC(frame)
	return frame
}

func swapPorts(_ *Generator, frame []byte) []byte {
	ports := frame[udpOffset(frame):][:4]
	ports[0], ports[1], ports[2], ports[3] = ports[2], ports[3], ports[0], ports[1]
	FixICRC(frame)
	return frame
}

// routerFields changes what the ICRC does not cover: the frame stays good.
func routerFields(g *Generator, frame []byte) []byte {
	at := networkOffset(frame)
	if frame[at]>>4 == 6 {
		frame[at] = 0x60 | byte(g.bits(4))
		copy(frame[at+1:], g.bytes(3))
		frame[at+7] = byte(g.bits(8))
	} else {
		frame[at+1], frame[at+8] = byte(g.bits(8)), byte(g.bits(8))
		fixIPv4Checksum(frame)
	}
	copy(frame[udpOffset(frame)+6:], g.bytes(2))
	frame[bthOffset(frame)+4] = byte(g.bits(8))
	return frame
}

func ipVersion(g *Generator, frame []byte) []byte {
	frame[networkOffset(frame)] = byte(g.bits(8))
	return frame
}

func ipProtocol(g *Generator, frame []byte) []byte {
	at := networkOffset(frame)
	next := pick(g, []byte{0, 1, 6, 43, 44, 47, 58, 60, byte(g.bits(8))})
	if frame[at]>>4 == 6 {
		frame[at+6] = next
	} else {
		frame[at+9] = next
		fixIPv4Checksum(frame)
	}
	return frame
}

// ipOptions puts 1 to 10 words of options into an IPv4 header, and at times cuts
// the frame among them; an IPv6 packet gets another version.
func ipOptions(g *Generator, frame []byte) []byte {
	at := networkOffset(frame)
	if frame[at]>>4 == 6 {
		return ipVersion(g, frame)
	}
	words := 1 + g.r.IntN(10)
	frame = slices.Insert(frame, at+20, g.bytes(words*4)...)
	frame[at] += byte(words)
	changeIPLength(frame, words*4)
	if g.oneIn(4) == 1 {
		binary.BigEndian.PutUint16(frame[at+20+words*4+2:], uint16(g.bits(16)))
	}
	if g.oneIn(4) == 1 {
		return frame[:at+20+g.r.IntN(words*4+8)]
	}
	return frame
}

func ipFragment(g *Generator, frame []byte) []byte {
	at := networkOffset(frame)
	if frame[at]>>4 == 6 {
		frame[at+6] = 44
		return frame
	}
	if g.oneIn(2) == 1 {
		frame[at+6] |= 0x20
	} else {
		binary.BigEndian.PutUint16(frame[at+6:], uint16(1+g.r.IntN(0x1FFF)))
	}
	fixIPv4Checksum(frame)
	FixICRC(frame)
	return frame
}

func etherType(g *Generator, frame []byte) []byte {
	types := []uint64{0x0806, 0x88A8, 0x9100, 0x88CC, format.EtherTypeIPv4, format.EtherTypeIPv6, g.bits(16)}
	binary.BigEndian.PutUint16(frame[networkOffset(frame)-2:], uint16(pick(g, types)))
	return frame
}

func secondTag(g *Generator, frame []byte) []byte {
	for range 2 {
		tag := binary.BigEndian.AppendUint32(nil, uint32(format.EtherTypeVLAN)<<16|uint32(g.bits(16)))
		frame = slices.Insert(frame, 12, tag...)
	}
	return frame
}

func roceV1(_ *Generator, frame []byte) []byte {
	binary.BigEndian.PutUint16(frame[networkOffset(frame)-2:], format.EtherTypeRoCEv1)
	return frame
}

// longPayload is a right packet but for its length: mostly a few bytes too long.
func longPayload(g *Generator, _ []byte) []byte {
	for {
		d, _ := g.Packet()
		most := g.MaxFrame - 128
		if g.oneIn(8) == 0 {
			most = min(most, format.MTUMax+64)
		}
		payload := g.bytes(format.MTUMax + 1 + g.r.IntN(max(1, most-format.MTUMax)))
		d.PadCnt = uint64(-len(payload)) & 3
		if frame, err := Build(d, payload); err == nil {
			return frame
		}
	}
}
