package serial

import (
	"fmt"
	"math/bits"
	"slices"

	"gornic/format"
)

// Pieces of memory are whole granules; nothing is at address 0.
const (
	granule   = 64
	firstAddr = granule
)

// arena gives pieces of the board's memory. A smallest hole that is large enough is taken, since there is little memory.
type arena struct {
	size uint64
	used []piece // by address
}

type piece struct{ addr, size uint64 }

func newArena(size uint64) arena { return arena{size: size} }

func (a *arena) alloc(size, align uint64) (uint64, error) {
	if size == 0 || size > 1<<32 || align == 0 || align > 1<<32 || bits.OnesCount64(align) != 1 {
		return 0, fmt.Errorf("serial: %d bytes at a multiple of %d: %w", size, align, ErrRange)
	}
	align = max(align, granule)
	size = (size + granule - 1) / granule * granule
	best, at, hole := -1, uint64(0), ^uint64(0)
	start := uint64(firstAddr)
	for i := 0; i <= len(a.used); i++ {
		end := a.size
		if i < len(a.used) {
			end = a.used[i].addr
		}
		if addr := (start + align - 1) &^ (align - 1); addr+size <= end && end-start < hole {
			best, at, hole = i, addr, end-start
		}
		if i < len(a.used) {
			start = a.used[i].addr + a.used[i].size
		}
	}
	if best < 0 {
		return 0, fmt.Errorf("serial: %d of %d bytes: %w", size, a.size, ErrNoRoom)
	}
	a.used = slices.Insert(a.used, best, piece{at, size})
	return at, nil
}

func (a *arena) free(addr uint64) error {
	i, found := slices.BinarySearchFunc(a.used, addr, func(p piece, addr uint64) int {
		switch {
		case p.addr < addr:
			return -1
		case p.addr > addr:
			return 1
		}
		return 0
	})
	if !found {
		return fmt.Errorf("serial: free of %#x: no piece begins there: %w", addr, ErrRange)
	}
	a.used = slices.Delete(a.used, i, i+1)
	return nil
}

// Alloc reserves memory of the board (verbs.Bus). It wraps [ErrNoRoom] if there is none left.
func (b *Bus) Alloc(size, align uint64) (uint64, error) { return b.arena.alloc(size, align) }

// Free gives memory back that Alloc gave.
func (b *Bus) Free(addr uint64) error { return b.arena.free(addr) }

// LogKeys is log2 of the entries of a key table that takes a sixteenth of the board's memory: what a driver should ask for,
// since the table that it makes by default would take all.
func (b *Bus) LogKeys() int {
	entries := b.info.Memory / 16 / uint64(format.Size[format.KeyEntry[uint64]]())
	return max(bits.Len64(entries)-1, 1)
}
