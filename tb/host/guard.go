package host

import (
	"errors"
	"fmt"
)

// GuardError is a byte of a guard zone that was written to.
type GuardError struct {
	Addr      uint64 // of the byte
	Start     uint64 // of the allocation
	Size      uint64 // its bytes
	Got, Want byte
}

func (e *GuardError) Error() string {
	side, distance := "before", e.Start-e.Addr
	if e.Addr > e.Start {
		side, distance = "behind", e.Addr-e.Start-e.Size+1
	}
	return fmt.Sprintf("host: byte %d %s the allocation of %d bytes at %#x, at %#x, was written to: it is %#02x, was %#02x",
		distance, side, e.Size, e.Start, e.Addr, e.Got, e.Want)
}

// CheckGuards returns the first damaged byte of each allocation's guard zones
// as [*GuardError]s, joined; nil if all are intact.
func (m *Memory) CheckGuards() error {
	var errs []error
	for _, r := range m.regions {
		errs = append(errs, m.checkGuards(r))
	}
	return errors.Join(errs...)
}

func (m *Memory) checkGuards(r region) error {
	if r.start > r.low {
		if err := m.checkPattern(r, r.low, r.start-1); err != nil {
			return err
		}
	}
	if r.high > r.end {
		return m.checkPattern(r, r.end+1, r.high)
	}
	return nil
}

// checkPattern checks low to high, both included, a guard zone of r.
func (m *Memory) checkPattern(r region, low, high uint64) error {
	var damage error
	m.written(low, high, func(from uint64, b []byte) bool {
		for i, want := range m.Pattern(from, len(b)) {
			if b[i] != want {
				damage = &GuardError{Addr: from + uint64(i), Start: r.start, Size: r.size(), Got: b[i], Want: want}
				return false
			}
		}
		return true
	})
	return damage
}
