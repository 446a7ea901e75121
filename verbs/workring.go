package verbs

import (
	"context"
	"fmt"
	"math/bits"

	"gornic/format"
)

// workRing is a work queue in shared memory that the driver writes and the device
// reads. Its indices are free-running; head-tail slots are in use.
type workRing struct {
	base   uint64
	log    int // log2 of its slots
	stride int // bytes of a slot
	head   uint16
	tail   uint16
}

func (r *workRing) used() int { return int(r.head - r.tail) }
func (r *workRing) free() int { return 1<<r.log - r.used() }

// complete frees the slots up to index, whose work request completed, and tells
// whether that one was outstanding, and with inOrder the first.
func (r *workRing) complete(index uint16, inOrder bool) bool {
	done := int(index-r.tail) + 1
	if done > r.used() || inOrder && done != 1 {
		return false
	}
	r.tail = index + 1
	return true
}

// put writes whole slots, of which there is room for all, from the head on.
func (r *workRing) put(ctx context.Context, bus Bus, slots []byte) error {
	at := int(r.head) & (1<<r.log - 1)
	n := min(len(slots), (1<<r.log-at)*r.stride)
	if err := bus.WriteMemory(ctx, r.base+uint64(at*r.stride), slots[:n]); err != nil {
		return fmt.Errorf("queue: %w", err)
	}
	if n < len(slots) {
		if err := bus.WriteMemory(ctx, r.base, slots[n:]); err != nil {
			return fmt.Errorf("queue: %w", err)
		}
	}
	r.head += uint16(len(slots) / r.stride)
	return nil
}

func (r *workRing) bytes() uint64 { return uint64(r.stride) << r.log }

// logStride is the size of a slot as the device has it.
func (r *workRing) logStride() uint64 {
	return uint64(bits.TrailingZeros(uint(r.stride / format.WQEBytesMin)))
}

// reset empties the ring: the device starts again at index 0.
func (r *workRing) reset() { r.head, r.tail = 0, 0 }
