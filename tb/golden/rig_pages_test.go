package golden_test

import (
	"math/rand/v2"

	"github.com/stretchr/testify/require"

	"gornic/format"
)

// pages registers a region that lies in scattered pages of 4 KiB, and starts
// somewhere in the first.
func (s *station) pages(size uint64, rights uint64, r *rand.Rand) region {
	s.t.Helper()
	const shift = format.PageShiftMin
	offset := r.Uint64N(1 << shift)
	count := (offset + size + 1<<shift - 1) >> shift
	list := s.zeros(8*count, 8)
	var bus []uint64
	for i := range count {
		addr, err := s.mem.Alloc(1<<shift, 1<<shift)
		require.NoError(s.t, err)
		s.write(list+8*i, wordBytes(addr))
		bus = append(bus, addr)
	}
	va := r.Uint64N(1<<40)<<shift + offset
	key := uint64(s.newKey())
	s.must(format.CmdWriteKey, format.KeyEntry[uint64]{
		Key: key, PD: testPD, State: format.KeyValid, VA: va, Length: size, Translation: list, Rights: rights, PageShift: shift,
	})
	return region{va: va, size: size, key: uint32(key), pages: bus, list: list}
}

func wordBytes(x uint64) []byte {
	var b []byte
	for i := range 8 {
		b = append(b, byte(x>>(8*i)))
	}
	return b
}

// busAddr is where a byte of a region lies.
func (r region) busAddr(offset uint64) uint64 {
	if r.pages == nil {
		return r.addr + offset
	}
	at := r.va&0xFFF + offset
	return r.pages[at>>12] + at&0xFFF
}

// load reads a region byte by byte over its pages.
func (s *station) load(r region) []byte {
	s.t.Helper()
	var b []byte
	for at := uint64(0); at < r.size; {
		n := r.run(at)
		b = append(b, s.read(r.busAddr(at), int(n))...)
		at += n
	}
	return b
}

func (s *station) store(r region, b []byte) {
	s.t.Helper()
	for at := uint64(0); at < uint64(len(b)); {
		n := min(r.run(at), uint64(len(b))-at)
		s.write(r.busAddr(at), b[at:at+n])
		at += n
	}
}

// run is how many bytes from at on follow each other on the bus.
func (r region) run(at uint64) uint64 {
	if r.pages == nil {
		return r.size - at
	}
	return min(r.size-at, 0x1000-(r.va+at)&0xFFF)
}
