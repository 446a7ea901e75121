package verbs

import (
	"context"
	"fmt"
	"math/bits"
)

// inRing is a ring in shared memory that the device writes and the driver reads:
// a CQ or an EQ. An entry is new when its phase, the top bit of its last byte, is
// 1 in the first lap, 0 in the second, and so on.
type inRing struct {
	base    uint64
	log     int    // log2 of its entries
	bytes   int    // of an entry
	taken   uint32 // entries taken from it
	told    uint32 // of them, the device knows
	scratch []byte
}

// newInRing makes a ring of at least n entries of the given bytes, aligned to its
// own size.
func newInRing(ctx context.Context, d *Device, n, bytes int) (*inRing, error) {
	if n < 1 || n > 1<<logRingMax {
		return nil, invalid("%d entries, want 1 to %d", n, 1<<logRingMax)
	}
	r := &inRing{log: max(logCeil(n), 1), bytes: bytes}
	size := uint64(bytes) << r.log
	base, err := d.allocZero(ctx, size, size)
	if err != nil {
		return nil, err
	}
	r.base = base
	return r, nil
}

// index returns the free-running index of the first entry that was not taken.
func (r *inRing) index() uint16 { return uint16(r.taken) }

// fresh returns the next new entries, at most n, without taking them; they are
// valid until the next call. One word tells whether there is any. What is new is
// read twice, since an entry that the device was writing may have shown its phase
// before the rest of it was read.
func (r *inRing) fresh(ctx context.Context, bus Bus, n int) ([]byte, error) {
	at := r.taken & (1<<r.log - 1)
	n = min(n, 1<<r.log-int(at))
	r.scratch = append(r.scratch[:0], make([]byte, n*r.bytes)...)
	addr := r.base + uint64(at)*uint64(r.bytes)
	word := r.scratch[r.bytes-4 : r.bytes]
	if err := bus.ReadMemory(ctx, addr+uint64(r.bytes-4), word); err != nil {
		return nil, fmt.Errorf("ring: %w", err)
	}
	if !r.isNew(word) {
		return nil, nil
	}
	if err := bus.ReadMemory(ctx, addr, r.scratch); err != nil {
		return nil, fmt.Errorf("ring: %w", err)
	}
	b := r.scratch[:r.countNew(r.scratch)*r.bytes]
	if err := bus.ReadMemory(ctx, addr, b); err != nil {
		return nil, fmt.Errorf("ring: %w", err)
	}
	return b, nil
}

// tell rings the doorbell for what was taken, if the device does not know of it.
func (r *inRing) tell(doorbell func(index uint16) error) error {
	if r.told == r.taken {
		return nil
	}
	if err := doorbell(r.index()); err != nil {
		return err
	}
	r.told = r.taken
	return nil
}

// isNew tells whether an entry of this lap, or the end of one, is new.
func (r *inRing) isNew(entry []byte) bool {
	return entry[len(entry)-1]>>7 != byte(r.taken>>r.log&1)
}

// countNew returns how many entries at the start of b, none beyond this lap, are
// new.
func (r *inRing) countNew(b []byte) int {
	n := 0
	for ; len(b) > 0 && r.isNew(b[:r.bytes]); b = b[r.bytes:] {
		n++
	}
	return n
}

// logCeil returns the log2 of n, at least 1, rounded up.
func logCeil(n int) int { return bits.Len(uint(n - 1)) }
