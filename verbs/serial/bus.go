package serial

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"

	"gornic/format"
	"gornic/verbs/board"
)

// Bus is a board behind a serial line: a verbs.Bus. It is used by one goroutine at a time.
type Bus struct {
	x     *exchanger
	info  board.Info
	burst burst
	arena arena
}

// New opens the board behind a line: it begins a session, and reads what the board is. Errors wrap [ErrTimeout] if there is nobody,
// [ErrProtocol] or board.ErrNotABoard if it is somebody else.
func New(ctx context.Context, l Line, o Options) (*Bus, error) {
	b := &Bus{x: newExchanger(l, o), burst: newBurst(1)}
	if err := b.x.drain(ctx); err != nil {
		return nil, err
	}
	if err := b.identify(ctx); err != nil {
		return nil, err
	}
	var err error
	if b.info, err = board.Identify(ctx, b); err != nil {
		return nil, fmt.Errorf("serial: %w", err)
	}
	b.arena = newArena(b.info.Memory)
	return b, nil
}

// identify begins a session.
func (b *Bus) identify(ctx context.Context) error {
	data, err := b.run(ctx, format.SerialRequest[uint64]{Op: uint64(format.SerialIdentify), Words: 1}, nil, memoryWord)
	if err != nil {
		return err
	}
	id, err := format.DecodeHost[format.SerialIdentity[uint64]](data)
	if err != nil {
		return fmt.Errorf("serial: identify: %w: %w", ErrProtocol, err)
	}
	if id.ID != format.SerialID || id.Major != format.SerialVersionMajor || id.Words == 0 {
		return fmt.Errorf("serial: identify: ID %#x, version %d.%d, %d words: %w", id.ID, id.Major, id.Minor, id.Words, ErrProtocol)
	}
	b.burst = newBurst(int(min(id.Words, format.SerialWords)))
	return nil
}

// Sizes of words in bytes.
const (
	registerWord = 4
	memoryWord   = 8
)

// run has a request executed and returns what it read. word is the size of a word that it reads, 0 if it reads none.
func (b *Bus) run(ctx context.Context, q format.SerialRequest[uint64], payload []byte, word int) ([]byte, error) {
	a, err := b.x.do(ctx, q, payload)
	b.burst.adapt(b.x.tries)
	if err != nil {
		return nil, err
	}
	if format.SerialStatus(a.Status) == format.SerialFault {
		return nil, fmt.Errorf("serial: %v at %#x, word %d: %w", format.SerialOp(q.Op), q.Addr, a.Words, ErrFault)
	}
	if a.Words != q.Words || len(a.data) != word*int(q.Words) {
		return nil, fmt.Errorf("serial: %v: %d words in %d bytes: %w", format.SerialOp(q.Op), a.Words, len(a.data), ErrProtocol)
	}
	return a.data, nil
}

// Board says what the board is.
func (b *Bus) Board() board.Info { return b.info }

// ReadRegister reads a register or doorbell of the core, or from format.BoardRegisterBase on one of the board.
func (b *Bus) ReadRegister(ctx context.Context, offset uint32) (uint32, error) {
	var one [1]uint32
	err := b.ReadRegisters(ctx, offset, one[:])
	return one[0], err
}

// ReadRegisters reads registers that lie behind one another, with as few requests as there can be.
func (b *Bus) ReadRegisters(ctx context.Context, offset uint32, values []uint32) error {
	for len(values) > 0 {
		n := min(len(values), b.burst.words)
		q := format.SerialRequest[uint64]{Op: uint64(format.SerialReadRegisters), Words: uint64(n), Addr: uint64(offset)}
		data, err := b.run(ctx, q, nil, registerWord)
		if err != nil {
			return err
		}
		for i := range n {
			values[i] = binary.LittleEndian.Uint32(data[registerWord*i:])
		}
		values, offset = values[n:], offset+uint32(registerWord*n)
	}
	return nil
}

// WriteRegister writes a register or doorbell, once.
func (b *Bus) WriteRegister(ctx context.Context, offset, value uint32) error {
	q := format.SerialRequest[uint64]{Op: uint64(format.SerialWriteRegisters), Words: 1, Addr: uint64(offset)}
	_, err := b.run(ctx, q, binary.LittleEndian.AppendUint32(nil, value), 0)
	return err
}

// ModifyRegister gives the bits of a register that are set in mask those of value, in one request, and returns what it was.
func (b *Bus) ModifyRegister(ctx context.Context, offset, mask, value uint32) (uint32, error) {
	q := format.SerialRequest[uint64]{Op: uint64(format.SerialModifyRegister), Words: 1, Addr: uint64(offset)}
	pair := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, mask), value)
	data, err := b.run(ctx, q, pair, registerWord)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint32(data), nil
}

// Wait lets the device work for as long as a request takes, which is thousands of its cycles.
func (b *Bus) Wait(ctx context.Context) error {
	_, err := b.ReadRegister(ctx, format.RegIRQPending)
	return err
}

// Close closes the line, if it can be closed. The board stays as it is.
func (b *Bus) Close() error {
	b.x.lost = fmt.Errorf("serial: %w", io.ErrClosedPipe)
	if c, ok := b.x.line.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
