package golden_test

import (
	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/wire"
)

// region is registered memory.
type region struct {
	addr, va, size uint64
	key            uint32
	pages          []uint64 // bus addresses of its pages; nil: contiguous, at addr
	list           uint64   // of them, on the bus
}

const allAccess = format.AccessLocalWrite | format.AccessRemoteWrite | format.AccessRemoteRead | format.AccessRemoteAtomic

// entry is the key of a region of fresh memory, not yet written to the device.
func (s *station) entry(size uint64, rights uint64) format.KeyEntry[uint64] {
	s.t.Helper()
	addr, err := s.mem.Alloc(size, 1)
	require.NoError(s.t, err)
	return format.KeyEntry[uint64]{
		Key: uint64(s.newKey()), PD: testPD, State: format.KeyValid, Type: format.KeyRegion,
		VA: addr, Length: size, Translation: addr, Rights: rights,
	}
}

// newKey returns a key that is not in use.
func (s *station) newKey() uint32 {
	if n := len(s.free); n > 0 {
		key := s.free[n-1]
		s.free = s.free[:n-1]
		return key&^0xFF | (key+1)&0xFF
	}
	s.keys++
	return s.keys<<8 | 0x5A
}

// release ends the key of a region.
func (s *station) release(r region) {
	s.t.Helper()
	s.must(format.CmdInvalidate, format.KeyRef[uint64]{Key: uint64(r.key)})
	s.free = append(s.free, r.key)
}

func (s *station) region(size, rights uint64) region {
	s.t.Helper()
	e := s.entry(size, rights)
	s.must(format.CmdWriteKey, e)
	return region{addr: e.Translation, va: e.VA, size: size, key: uint32(e.Key)}
}

// fast is a region for fast registration, valid.
func (s *station) fast(size, rights uint64) region {
	s.t.Helper()
	e := s.entry(size, rights)
	e.Type = format.KeyFastRegion
	s.must(format.CmdWriteKey, e)
	return region{addr: e.Translation, va: e.VA, size: size, key: uint32(e.Key)}
}

// zeroKey is a key of more bytes than there are. They are at address 0.
func (s *station) zeroKey(size, rights uint64) region {
	s.t.Helper()
	r := region{va: 1 << 40, size: size, key: s.newKey()}
	s.must(format.CmdWriteKey, format.KeyEntry[uint64]{
		Key: uint64(r.key), PD: testPD, State: format.KeyValid, VA: r.va, Length: size, Rights: rights,
	})
	return r
}

// bytes reads a region.
func (s *station) bytes(r region) []byte { return s.read(r.addr, int(r.size)) }

// noise fills a region with bytes of a seed and returns them.
func (s *station) noise(r region, seed int) []byte {
	b := noise(seed, int(r.size))
	s.write(r.addr, b)
	return b
}

func noise(seed, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(wire.Hash(uint64(seed), uint64(i)))
	}
	return b
}
