package host

import "encoding/binary"

// fill writes to b what memory at addr holds before anyone wrote to it.
func (m *Memory) fill(addr uint64, b []byte) {
	for len(b) > 0 {
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], m.pattern(addr/8))
		n := copy(b, word[addr%8:])
		addr, b = addr+uint64(n), b[n:]
	}
}

// pattern is the 8 bytes of an aligned word: splitmix64 of seed and address.
func (m *Memory) pattern(word uint64) uint64 {
	x := m.seed + word*0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

// Pattern returns what size bytes at addr hold before anyone writes to them.
func (m *Memory) Pattern(addr uint64, size int) []byte {
	b := make([]byte, size)
	m.fill(addr, b)
	return b
}
