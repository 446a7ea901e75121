package serial

import (
	"context"
	"fmt"

	"gornic/format"
)

// ReadMemory copies len(p) bytes of the board's memory, from bus address addr on, to p.
func (b *Bus) ReadMemory(ctx context.Context, addr uint64, p []byte) error {
	return b.pieces(addr, len(p), func(at uint64, words, skip, from, n int) error {
		q := format.SerialRequest[uint64]{Op: uint64(format.SerialReadMemory), Words: uint64(words), Addr: at}
		data, err := b.run(ctx, q, nil, memoryWord)
		if err != nil {
			return err
		}
		copy(p[from:from+n], data[skip:])
		return nil
	})
}

// WriteMemory copies p to the board's memory, from bus address addr on. No other byte is touched.
func (b *Bus) WriteMemory(ctx context.Context, addr uint64, p []byte) error {
	return b.pieces(addr, len(p), func(at uint64, words, skip, from, n int) error {
		payload := make([]byte, memoryWord*words)
		copy(payload[skip:], p[from:from+n])
		first, last := 0xFF<<skip&0xFF, 0xFF>>(memoryWord*words-skip-n)
		if words == 1 {
			first, last = first&last, 0
		}
		q := format.SerialRequest[uint64]{
			Op: uint64(format.SerialWriteMemory), Words: uint64(words), Addr: at, First: uint64(first), Last: uint64(last),
		}
		_, err := b.run(ctx, q, payload, 0)
		return err
	})
}

// pieces cuts size bytes from addr on into requests: do gets the address of the first word and how many words there are,
// and of its bytes how many to skip, where they are among the size bytes, and how many.
func (b *Bus) pieces(addr uint64, size int, do func(at uint64, words, skip, from, n int) error) error {
	if end := addr + uint64(size); end < addr || end > 1<<32 {
		return fmt.Errorf("serial: %d bytes at %#x: %w", size, addr, ErrRange)
	}
	for from := 0; from < size; {
		skip := int(addr % memoryWord)
		n := min(size-from, memoryWord*b.burst.words-skip)
		words := (skip + n + memoryWord - 1) / memoryWord
		if err := do(addr-uint64(skip), words, skip, from, n); err != nil {
			return err
		}
		addr, from = addr+uint64(n), from+n
	}
	return nil
}
