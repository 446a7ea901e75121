package host

import (
	"fmt"
	"slices"
)

// Difference is where two memories differ.
type Difference struct {
	Addr       uint64
	Start      uint64 // of the allocation that Addr is in or beside
	Size       uint64 // its bytes
	Got, Want  byte
	Allocation bool // the allocations themselves differ, from Addr on
}

func (d Difference) String() string {
	if d.Allocation {
		return fmt.Sprintf("allocations differ from %#x on", d.Addr)
	}
	return fmt.Sprintf("byte %d of the allocation of %d bytes at %#x, at %#x: is %#02x, want %#02x",
		int64(d.Addr-d.Start), d.Size, d.Start, d.Addr, d.Got, d.Want)
}

// FirstDifference compares every allocation of two memories of one seed, guard
// zones included. Memories of the same seed with the same calls to Alloc and Free have
// their allocations at the same places.
func FirstDifference(got, want *Memory) (Difference, bool) {
	if got.seed != want.seed || !slices.Equal(got.regions, want.regions) {
		return Difference{Addr: firstRegion(got.regions, want.regions), Allocation: true}, true
	}
	for _, r := range got.regions {
		if at, differ := differs(got, want, r); differ {
			g, w := got.Peek(at, 1)[0], want.Peek(at, 1)[0]
			return Difference{Addr: at, Start: r.start, Size: r.size(), Got: g, Want: w}, true
		}
	}
	return Difference{}, false
}

func firstRegion(a, b []region) uint64 {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return min(a[i].start, b[i].start)
		}
	}
	longer := a
	if len(b) > len(a) {
		longer = b
	}
	if len(a) == len(b) {
		return 0
	}
	return longer[min(len(a), len(b))].start
}

func merge(a, b []uint64) []uint64 {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// differs returns the first address of r where a and b, of one seed, differ.
func differs(a, b *Memory, r region) (uint64, bool) {
	for _, number := range merge(a.touched(r.low, r.high), b.touched(r.low, r.high)) {
		first := max(r.low, number*PageBytes)
		n := int(min(r.high, number*PageBytes+PageBytes-1)-first) + 1
		x, y := a.Peek(first, n), b.Peek(first, n)
		for i := range x {
			if x[i] != y[i] {
				return first + uint64(i), true
			}
		}
	}
	return 0, false
}
