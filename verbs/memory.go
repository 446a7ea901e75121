package verbs

import (
	"context"
	"fmt"
)

// zeroChunk is how many bytes are zeroed by one write.
const zeroChunk = 1 << 16

// allocZero reserves shared memory of zeros.
func (d *Device) allocZero(ctx context.Context, size, align uint64) (uint64, error) {
	addr, err := d.bus.Alloc(size, align)
	if err != nil {
		return 0, err
	}
	zeros := make([]byte, min(size, zeroChunk))
	for at := uint64(0); at < size; at += zeroChunk {
		if err := d.bus.WriteMemory(ctx, addr+at, zeros[:min(size-at, zeroChunk)]); err != nil {
			return 0, fmt.Errorf("%w (and %v)", err, d.bus.Free(addr))
		}
	}
	return addr, nil
}

// Buffer is a piece of shared memory for an application's data.
type Buffer struct {
	d    *Device
	addr uint64
	size uint64
}

// AllocBuffer reserves size bytes of shared memory, contents undefined, at a bus
// address that is a multiple of align, a power of two.
func (d *Device) AllocBuffer(size, align uint64) (*Buffer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	addr, err := d.bus.Alloc(size, align)
	if err != nil {
		return nil, fmt.Errorf("verbs: buffer: %w", err)
	}
	return &Buffer{d: d, addr: addr, size: size}, nil
}

// Addr returns the bus address.
func (b *Buffer) Addr() uint64 { return b.addr }

// Size returns the size in bytes.
func (b *Buffer) Size() uint64 { return b.size }

// Read copies len(p) bytes, from offset on, to p.
func (b *Buffer) Read(ctx context.Context, offset uint64, p []byte) error {
	b.d.mu.Lock()
	defer b.d.mu.Unlock()
	if err := b.inside(offset, len(p)); err != nil {
		return err
	}
	return b.d.bus.ReadMemory(ctx, b.addr+offset, p)
}

// Write copies p to offset.
func (b *Buffer) Write(ctx context.Context, offset uint64, p []byte) error {
	b.d.mu.Lock()
	defer b.d.mu.Unlock()
	if err := b.inside(offset, len(p)); err != nil {
		return err
	}
	return b.d.bus.WriteMemory(ctx, b.addr+offset, p)
}

func (b *Buffer) inside(offset uint64, n int) error {
	if offset > b.size || uint64(n) > b.size-offset {
		return fmt.Errorf("verbs: buffer: %w", invalid("%d bytes at %d of %d", n, offset, b.size))
	}
	return nil
}

// Free gives the memory back. No region may be registered on it any more.
func (b *Buffer) Free() error {
	b.d.mu.Lock()
	defer b.d.mu.Unlock()
	return b.d.bus.Free(b.addr)
}
