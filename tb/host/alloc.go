package host

import (
	"errors"
	"fmt"
	"slices"
)

// Errors of allocation.
var (
	ErrNoSpace   = errors.New("no room in the address space")
	ErrOverlap   = errors.New("overlaps an allocation or its guard zone")
	ErrNotThere  = errors.New("no allocation starts here")
	ErrParameter = errors.New("impossible size or alignment")
)

// placements is how many random places Alloc tries before it searches for one.
const placements = 64

// Alloc reserves size bytes at a bus address that is a multiple of align, a
// power of two; 0 is as 1. The place is random; what need not be aligned to a page
// often lies across a page boundary. It never lies in the first page, so that a
// null pointer stays an error.
func (m *Memory) Alloc(size, align uint64) (uint64, error) {
	align = max(align, 1)
	if size == 0 || align&(align-1) != 0 {
		return 0, fmt.Errorf("host: %d bytes, aligned to %d: %w", size, align, ErrParameter)
	}
	lowest := roundUp(PageBytes+m.guard, align)
	reach := m.last - m.guard // the highest end of an allocation
	if lowest == 0 || size > reach || reach-size+1 < lowest {
		return 0, fmt.Errorf("host: %d bytes, aligned to %d: %w", size, align, ErrNoSpace)
	}
	highest := reach - size + 1
	for range placements {
		addr := m.place(lowest, highest, size, align)
		if m.AllocAt(addr, size) == nil {
			return addr, nil
		}
	}
	return m.search(lowest, highest, size, align)
}

// place chooses a place from lowest to highest, both of them included.
func (m *Memory) place(lowest, highest, size, align uint64) uint64 {
	addr := lowest
	if highest > lowest {
		addr += m.random.Uint64N(highest - lowest)
	}
	if align < PageBytes && size > 1 && m.random.Uint32()&1 == 0 {
		across := 1 + m.random.Uint64N(min(size, PageBytes)-1) // bytes below the page boundary
		addr = max(addr&^(PageBytes-1), PageBytes) - across
	}
	return max(addr&^(align-1), lowest)
}

// search takes the lowest place that is free.
func (m *Memory) search(lowest, highest, size, align uint64) (uint64, error) {
	addr := lowest
	for i := 0; addr >= lowest && addr <= highest; i++ {
		if m.AllocAt(addr, size) == nil {
			return addr, nil
		}
		if i == len(m.regions) {
			break
		}
		addr = max(addr, roundUp(m.regions[i].high+1+m.guard, align))
	}
	return 0, fmt.Errorf("host: %d bytes, aligned to %d: %w", size, align, ErrNoSpace)
}

// AllocAt reserves size bytes at addr. At the ends of the address space a guard
// zone is as long as there is room.
func (m *Memory) AllocAt(addr, size uint64) error {
	if size == 0 || addr > m.last || size-1 > m.last-addr {
		return fmt.Errorf("host: %d bytes at %#x: %w", size, addr, ErrParameter)
	}
	r := region{start: addr, end: addr + (size - 1)}
	r.low = r.start - min(m.guard, r.start)
	r.high = r.end + min(m.guard, m.last-r.end)
	at := m.after(r.low)
	if at > 0 && m.regions[at-1].high >= r.low || at < len(m.regions) && m.regions[at].low <= r.high {
		return fmt.Errorf("host: %d bytes at %#x: %w", size, addr, ErrOverlap)
	}
	m.regions = slices.Insert(m.regions, at, r)
	return nil
}

// Free gives an allocation back; its memory is forgotten. A [*GuardError] tells
// that a guard zone had been written to; the allocation is gone all the same.
func (m *Memory) Free(addr uint64) error {
	i, ok := m.find(addr)
	if !ok || m.regions[i].start != addr {
		return fmt.Errorf("host: free %#x: %w", addr, ErrNotThere)
	}
	r := m.regions[i]
	err := m.checkGuards(r)
	m.forget(r.low, r.high)
	m.regions = slices.Delete(m.regions, i, i+1)
	return err
}

// forget makes low to high hold the pattern again.
func (m *Memory) forget(low, high uint64) {
	m.written(low, high, func(from uint64, b []byte) bool {
		if len(b) == PageBytes {
			delete(m.pages, from/PageBytes)
		} else {
			m.fill(from, b)
		}
		return true
	})
}

// written calls f with each piece of low to high, both included, that lies in a
// page that was written to, in the order of addresses, until f returns false. The
// piece is the memory itself.
func (m *Memory) written(low, high uint64, f func(from uint64, b []byte) bool) {
	for _, number := range m.touched(low, high) {
		p := m.pages[number]
		first := max(low, number*PageBytes)
		last := min(high, number*PageBytes+PageBytes-1)
		if !f(first, p[first%PageBytes:last%PageBytes+1]) {
			return
		}
	}
}

// touched returns the numbers of the pages of low to high that were written to,
// in order.
func (m *Memory) touched(low, high uint64) []uint64 {
	var numbers []uint64
	if high/PageBytes-low/PageBytes >= uint64(len(m.pages)) {
		for number := range m.pages {
			if number >= low/PageBytes && number <= high/PageBytes {
				numbers = append(numbers, number)
			}
		}
		slices.Sort(numbers)
		return numbers
	}
	for number := low / PageBytes; number <= high/PageBytes; number++ {
		if m.pages[number] != nil {
			numbers = append(numbers, number)
		}
	}
	return numbers
}

// Allocations calls f with each allocation in the order of addresses.
func (m *Memory) Allocations(f func(addr, size uint64)) {
	for _, r := range m.regions {
		f(r.start, r.size())
	}
}

// roundUp returns the next multiple of align, 0 if there is none in 64 bits.
func roundUp(x, align uint64) uint64 { return (x + align - 1) &^ (align - 1) }
