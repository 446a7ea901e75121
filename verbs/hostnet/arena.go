package hostnet

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"sync"
)

// Memory is what a board reads and writes: bytes at bus addresses. An error is a fault for the board. It is used by one goroutine
// at a time.
type Memory interface {
	Read(addr uint64, b []byte) error
	Write(addr uint64, b []byte) error
}

// Errors of memory.
var (
	ErrNotAllocated = errors.New("not allocated")
	ErrNoRoom       = errors.New("no room in the address space")
	ErrParameter    = errors.New("impossible size or alignment")
)

// Places in the arena.
const (
	arenaBytes  = 1 << 32 // of addresses
	firstOffset = 4096    // nothing is at the first addresses
	granule     = 64      // buffers are whole granules: the board reads whole words
	guard       = 4096    // and have a hole behind them
	mostAlign   = 1 << 30
)

// arena is memory of the program at bus addresses from base on. Its methods may be called from several goroutines.
type arena struct {
	base uint64

	mu      sync.RWMutex
	buffers []buffer // by address
}

type buffer struct {
	addr uint64
	b    []byte
}

func (x buffer) end() uint64 { return x.addr + uint64(len(x.b)) }

// alloc takes the first hole that is large enough.
func (a *arena) alloc(size, align uint64) (uint64, error) {
	if size == 0 || size > arenaBytes || align == 0 || align > mostAlign || align&(align-1) != 0 {
		return 0, fmt.Errorf("hostnet: %d bytes at a multiple of %d: %w", size, align, ErrParameter)
	}
	align = max(align, granule)
	size = (size + granule - 1) / granule * granule
	a.mu.Lock()
	defer a.mu.Unlock()
	at, i := (firstOffset+align-1)&^(align-1), 0
	for ; i < len(a.buffers) && a.buffers[i].addr-a.base < at+size+guard; i++ {
		at = (a.buffers[i].end() - a.base + guard + align - 1) &^ (align - 1)
	}
	if at+size+guard > arenaBytes {
		return 0, fmt.Errorf("hostnet: %d bytes: %w", size, ErrNoRoom)
	}
	a.buffers = slices.Insert(a.buffers, i, buffer{a.base + at, make([]byte, size)})
	return a.base + at, nil
}

func (a *arena) free(addr uint64) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := a.find(addr)
	if i < 0 || a.buffers[i].addr != addr {
		return fmt.Errorf("hostnet: free of %#x: %w", addr, ErrNotAllocated)
	}
	a.buffers = slices.Delete(a.buffers, i, i+1)
	return nil
}

// find returns the index of the buffer that addr is in, -1 if there is none.
func (a *arena) find(addr uint64) int {
	i := sort.Search(len(a.buffers), func(i int) bool { return a.buffers[i].end() > addr })
	if i == len(a.buffers) || a.buffers[i].addr > addr {
		return -1
	}
	return i
}

// at returns n bytes from addr on, all in one buffer.
func (a *arena) at(addr uint64, n int) ([]byte, error) {
	i := a.find(addr)
	if i < 0 || a.buffers[i].end()-addr < uint64(n) {
		return nil, fmt.Errorf("hostnet: %d bytes at %#x: %w", n, addr, ErrNotAllocated)
	}
	return a.buffers[i].b[addr-a.buffers[i].addr:][:n], nil
}

// Read copies len(b) bytes from addr on to b.
func (a *arena) Read(addr uint64, b []byte) error {
	a.mu.RLock()
	defer a.mu.RUnlock()
	from, err := a.at(addr, len(b))
	copy(b, from)
	return err
}

// Write copies b to addr.
func (a *arena) Write(addr uint64, b []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	to, err := a.at(addr, len(b))
	copy(to, b)
	return err
}
