package host

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
)

// Reasons why an access fails.
var (
	ErrUnmapped = errors.New("not allocated")
	ErrFault    = errors.New("injected fault")
)

// Source is who accesses memory.
type Source uint8

// Sources.
const (
	Software Source = iota
	Device
)

func (s Source) String() string { return [...]string{"software", "device"}[s&1] }

// AccessError is an access that failed. It wraps [ErrUnmapped] or [ErrFault].
type AccessError struct {
	Source Source
	Write  bool
	Addr   uint64
	Size   int
	Err    error
}

func (e *AccessError) Error() string {
	return fmt.Sprintf("host: %v %s of %d bytes at %#x: %v", e.Source, verb(e.Write), e.Size, e.Addr, e.Err)
}

func (e *AccessError) Unwrap() error { return e.Err }

func verb(write bool) string {
	if write {
		return "write"
	}
	return "read"
}

// Read copies len(b) bytes at addr to b, as software. An error is an
// [*AccessError], and b is as it was.
func (m *Memory) Read(addr uint64, b []byte) error { return m.access(Software, false, addr, b) }

// Write copies b to addr, as software. An error is an [*AccessError], and nothing
// was written.
func (m *Memory) Write(addr uint64, b []byte) error { return m.access(Software, true, addr, b) }

// DeviceRead is [Memory.Read] as a device does it, which may meet a fault.
func (m *Memory) DeviceRead(addr uint64, b []byte) error { return m.access(Device, false, addr, b) }

// DeviceWrite is [Memory.Write] as a device does it, which may meet a fault.
func (m *Memory) DeviceWrite(addr uint64, b []byte) error { return m.access(Device, true, addr, b) }

// DeviceWriteBeat writes those bytes of b, at most 64, whose bit in strobe is
// set; bit i belongs to byte i. Each run of them is an access. With an error, the
// runs before it are written.
func (m *Memory) DeviceWriteBeat(addr uint64, b []byte, strobe uint64) error {
	if len(b) > 64 {
		return fmt.Errorf("host: a beat of %d bytes: %w", len(b), ErrParameter)
	}
	if len(b) < 64 {
		strobe &= 1<<len(b) - 1
	}
	for strobe != 0 {
		from := bits.TrailingZeros64(strobe)
		to := from + bits.TrailingZeros64(^(strobe >> from))
		if err := m.DeviceWrite(addr+uint64(from), b[from:to]); err != nil {
			return err
		}
		strobe &^= 1<<(to-1)<<1 - 1
	}
	return nil
}

// DeviceSide is a memory as a device sees it: its Read and Write are DeviceRead and
// DeviceWrite.
type DeviceSide struct{ Memory *Memory }

// Read is [Memory.DeviceRead].
func (s DeviceSide) Read(addr uint64, b []byte) error { return s.Memory.DeviceRead(addr, b) }

// Write is [Memory.DeviceWrite].
func (s DeviceSide) Write(addr uint64, b []byte) error { return s.Memory.DeviceWrite(addr, b) }

// ReadMemory is [Memory.Read] as a verbs.Bus has it.
func (m *Memory) ReadMemory(_ context.Context, addr uint64, b []byte) error { return m.Read(addr, b) }

// WriteMemory is [Memory.Write] as a verbs.Bus has it.
func (m *Memory) WriteMemory(_ context.Context, addr uint64, b []byte) error { return m.Write(addr, b) }

func (m *Memory) access(source Source, write bool, addr uint64, b []byte) error {
	if len(b) == 0 {
		return nil
	}
	reason := m.check(source, write, addr, len(b))
	switch {
	case reason != nil:
	case write:
		m.put(addr, b)
	default:
		m.get(addr, b)
	}
	m.tell(Access{Source: source, Write: write, Addr: addr, Data: b, Err: reason})
	if reason != nil {
		return &AccessError{Source: source, Write: write, Addr: addr, Size: len(b), Err: reason}
	}
	return nil
}

// check returns why an access of n bytes, at least 1, fails.
func (m *Memory) check(source Source, write bool, addr uint64, n int) error {
	i, ok := m.find(addr)
	if !ok || uint64(n-1) > m.regions[i].high-addr {
		return ErrUnmapped
	}
	if source == Device && m.faulty(write, addr, n) {
		return ErrFault
	}
	return nil
}
