package icrc

import (
	"fmt"

	"gornic/hdl"
)

// A variant is one of the four ways to put a BTH into a frame.
type variant struct{ tagged, ipv6 bool }

var variants = []variant{{false, false}, {false, true}, {true, false}, {true, true}}

func (v variant) String() string {
	name := "ipv4"
	if v.ipv6 {
		name = "ipv6"
	}
	if v.tagged {
		return "tagged_" + name
	}
	return name
}

// ip is the offset of the IP header.
func (v variant) ip() int {
	if v.tagged {
		return taggedIPAt
	}
	return ipAt
}

// covered says what the CRC takes of one byte of a frame: the byte with the
// bits of ones set, exclusive or preset; or zero.
type covered struct {
	zero   bool
	ones   byte
	preset byte
}

// covers returns the rule of protocol section 1.7 for the byte at that offset.
//
// Bytes before the IP header count as zero, so that a state of zero stays zero
// until the header begins, wherever that is in a beat. The preset then comes in by way
// of the header's first four bytes: a byte and the state it meets are added.
func (v variant) covers(offset int) covered {
	at := offset - v.ip()
	if at < 0 {
		return covered{zero: true}
	}
	var c covered
	if at < 4 {
		c.preset = byte(uint32(preset) >> (8 * at))
	}
	c.ones = onesIPv4[at]
	if v.ipv6 {
		c.ones = onesIPv6[at]
	}
	return c
}

// special returns what is not taken as it is among n bytes from an offset on,
// in their order, by byte.
func (v variant) special(offset, n int) map[int]covered {
	found := map[int]covered{}
	for i := range n {
		if c := v.covers(offset + i); c != (covered{}) {
			found[i] = c
		}
	}
	return found
}

// The bits that are masked, by offset from the IP header.
var (
	onesIPv4 = map[int]byte{
		1:  0xFF,           // TOS
		8:  0xFF,           // TTL
		10: 0xFF, 11: 0xFF, // header checksum
		26: 0xFF, 27: 0xFF, // UDP checksum
		32: 0xFF, // FECN, BECN and reserved bits of the BTH
	}
	onesIPv6 = map[int]byte{
		0: 0x0F, 1: 0xFF, 2: 0xFF, 3: 0xFF, // traffic class and flow label
		7:  0xFF,           // hop limit
		46: 0xFF, 47: 0xFF, // UDP checksum
		52: 0xFF, // FECN, BECN and reserved bits of the BTH
	}
)

// maskedEnd is the offset after the last masked byte.
const maskedEnd = taggedIPAt + 52 + 1

// coverData returns the data of a beat as the CRC takes it. Index, tagged and ipv6
// belong to the beat; live, a bit a byte, has ones up to the packet's end.
func coverData(m *hdl.Module, p Params, data, live, index, tagged, ipv6 hdl.Bits) hdl.Bits {
	n := p.bytes()
	lanes := make([]lane, n)
	for beat := range (maskedEnd + n - 1) / n {
		for _, v := range variants {
			special := v.special(beat*n, n)
			if len(special) == 0 {
				continue
			}
			is := m.Wire(fmt.Sprintf("beat_%d_%s", beat, v), 1)
			is.Set(hdl.AndAll(index.Is(uint64(beat)), equals(tagged, v.tagged), equals(ipv6, v.ipv6)))
			for i, c := range special { // lanes do not depend on each other
				lanes[i].add(c, is)
			}
		}
	}
	masked := make([]hdl.Bits, n)
	for i := range lanes {
		masked[n-1-i] = lanes[i].apply(data.Byte(i), live.Bit(i))
	}
	return hdl.Cat(masked...)
}

func equals(x hdl.Bits, one bool) hdl.Bits {
	if one {
		return x
	}
	return x.Not()
}

// A lane collects what happens to one byte of a beat, and when.
type lane struct {
	zero   []hdl.Bits
	ones   []hdl.Bits // eight bits each
	preset []hdl.Bits // eight bits each
}

func (l *lane) add(c covered, when hdl.Bits) {
	if c.zero {
		l.zero = append(l.zero, when)
	}
	if c.ones != 0 {
		l.ones = append(l.ones, when.Rep(8).And(hdl.K(8, uint64(c.ones))))
	}
	if c.preset != 0 {
		l.preset = append(l.preset, when.Rep(8).And(hdl.K(8, uint64(c.preset))))
	}
}

func (l *lane) apply(data, live hdl.Bits) hdl.Bits {
	if len(l.ones) > 0 {
		data = data.Or(hdl.OrAll(l.ones...))
	}
	if len(l.zero) > 0 {
		live = live.And(hdl.OrAll(l.zero...).Not())
	}
	data = data.And(live.Rep(8))
	if len(l.preset) > 0 {
		data = data.Xor(hdl.OrAll(l.preset...))
	}
	return data
}
