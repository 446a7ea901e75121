package verbs

import "context"

// Bus is how the driver reaches a device and the memory that both share: a
// simulation, or a bridge to a board. Everything that the driver does with
// hardware goes through it, in the order of the calls: a register write follows
// the memory writes before it.
//
// The driver calls a Bus from one goroutine at a time. A call that its context ends
// returns the context's error; whether the access happened is then unknown.
type Bus interface {
	// ReadRegister and WriteRegister access a 32-bit register or doorbell at an
	// offset in bytes that is a multiple of 4 (format.Registers).
	ReadRegister(ctx context.Context, offset uint32) (uint32, error)
	WriteRegister(ctx context.Context, offset, value uint32) error

	// ReadMemory and WriteMemory copy len(b) bytes of shared memory at a bus
	// address. They need not be atomic.
	ReadMemory(ctx context.Context, addr uint64, b []byte) error
	WriteMemory(ctx context.Context, addr uint64, b []byte) error

	// Alloc reserves size bytes of shared memory at a bus address that is a
	// multiple of align, a power of two. Their contents are undefined. Free gives
	// them back.
	Alloc(size, align uint64) (addr uint64, err error)
	Free(addr uint64) error

	// Wait lets the device work until it has something new for the driver (an
	// interrupt, or a write to shared memory), or for a short while: some thousand
	// clock cycles. It always lets the device work a little, also when an interrupt
	// stands already. A driver that polls calls it between polls.
	Wait(ctx context.Context) error
}
