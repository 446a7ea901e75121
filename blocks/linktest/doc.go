// Package linktest drives the messages of package link in the tests of blocks:
// the messages as plain Go ([Context], [RxRequest] and others, in records.go),
// and a memory behind the ports of the DMA engine ([NewReads], [NewWrites];
// reads.go, writes.go), without an engine or a bus between them. [Others]
// (others.go) says which simulators a test runs in.
package linktest

import (
	"errors"
	"fmt"
)

// ErrFault is what a [Memory] answers for an address that is not there.
var ErrFault = errors.New("no memory there")

// Memory is bytes at bus addresses, with holes that answer with [ErrFault].
type Memory struct {
	pages map[uint64]*[pageBytes]byte
	bad   func(addr uint64) bool
}

const pageBytes = 4096

// NewMemory returns a memory of zeros without holes.
func NewMemory() *Memory { return &Memory{pages: map[uint64]*[pageBytes]byte{}} }

// Fault makes the addresses for which bad is true answer with an error.
func (m *Memory) Fault(bad func(addr uint64) bool) { m.bad = bad }

// Poke stores b from addr on, in holes, too: as software does.
func (m *Memory) Poke(addr uint64, b []byte) {
	bad := m.bad
	m.bad = nil
	_ = m.Write(addr, b) // cannot fail without holes
	m.bad = bad
}

// Peek returns n bytes from addr on, of holes, too.
func (m *Memory) Peek(addr uint64, n int) []byte {
	bad := m.bad
	m.bad = nil
	b := make([]byte, n)
	_ = m.Read(addr, b) // cannot fail without holes
	m.bad = bad
	return b
}

// Read fills b from addr on.
func (m *Memory) Read(addr uint64, b []byte) error {
	for i := range b {
		page, err := m.page(addr + uint64(i))
		if err != nil {
			return err
		}
		b[i] = page[(addr+uint64(i))%pageBytes]
	}
	return nil
}

// Write stores b from addr on.
func (m *Memory) Write(addr uint64, b []byte) error {
	for i := range b {
		page, err := m.page(addr + uint64(i))
		if err != nil {
			return err
		}
		page[(addr+uint64(i))%pageBytes] = b[i]
	}
	return nil
}

func (m *Memory) page(addr uint64) (*[pageBytes]byte, error) {
	if m.bad != nil && m.bad(addr) {
		return nil, fmt.Errorf("%#x: %w", addr, ErrFault)
	}
	p := m.pages[addr/pageBytes]
	if p == nil {
		p = new([pageBytes]byte)
		m.pages[addr/pageBytes] = p
	}
	return p, nil
}
