package serial_test

import (
	"context"
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gornic/format"
	bridge "gornic/fpga/blocks/serial"
	"gornic/verbs"
	"gornic/verbs/board"
	"gornic/verbs/serial"
)

var _ verbs.Bus = (*serial.Bus)(nil)

func open(t *testing.T, l *line) *serial.Bus {
	b, err := serial.New(t.Context(), l, serial.Options{})
	require.NoError(t, err)
	return b
}

// Random calls on a line as bad as can be: each gives what the board has, or an error; each write of a register
// happens once, or, of the last call, not at all.
func TestBadLine(t *testing.T) {
	failed, done := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		l := newLine(rapid.Uint64().Draw(t, "seed"))
		b, err := serial.New(context.Background(), l, serial.Options{})
		require.NoError(t, err)
		scale := rapid.SampledFrom([]int{0, 3, 30, 100, 300}).Draw(t, "scale")
		part := func(name string) int { return rapid.IntRange(0, scale).Draw(t, name) }
		l.lose, l.damage, l.double, l.late = part("lose"), part("damage"), part("double"), 10*part("late")
		want, unknown := newDevice(), map[int]bool{} // what the board is if everything happens once
		for range rapid.IntRange(1, 60).Draw(t, "calls") {
			err := call(t, b, want, unknown)
			if err == nil {
				done++
				continue
			}
			failed++
			require.ErrorIs(t, err, serial.ErrTimeout)
		}
		l.lose, l.damage, l.double, l.late = 0, 0, 0, 0
		_, err = b.ReadRegister(context.Background(), 0) // what is open comes to its end
		require.NoError(t, err)
		require.Equal(t, want.log, l.device.log)
	})
	require.Greater(t, failed, 20)
	require.Greater(t, done, 500)
}

// call makes a random call and holds it against want, but for memory of which it is unknown what it has.
func call(t *rapid.T, b *serial.Bus, want *device, unknown map[int]bool) error {
	ctx := context.Background()
	offset := 4 * rapid.Uint32Range(0, registers-1).Draw(t, "offset")
	switch rapid.IntRange(0, 4).Draw(t, "call") {
	case 0:
		v := rapid.Uint32().Draw(t, "value")
		err := b.WriteRegister(ctx, offset, v)
		if !errors.Is(err, serial.ErrNotSent) {
			want.WriteRegister(offset, v)
		}
		return err
	case 1:
		v, mask := rapid.Uint32().Draw(t, "value"), rapid.Uint32().Draw(t, "mask")
		before := want.registers[offset]
		got, err := b.ModifyRegister(ctx, offset, mask, v)
		if err == nil {
			require.Equal(t, before, got)
		}
		if !errors.Is(err, serial.ErrNotSent) {
			want.WriteRegister(offset, before&^mask|v&mask)
		}
		return err
	case 2:
		values := make([]uint32, rapid.IntRange(1, int(registers-offset/4)).Draw(t, "registers"))
		err := b.ReadRegisters(ctx, offset, values)
		for i, v := range values {
			if err == nil {
				require.Equal(t, want.registers[offset+4*uint32(i)], v)
			}
		}
		return err
	case 3:
		addr := rapid.IntRange(0, len(want.memory)-1).Draw(t, "addr")
		p := rapid.SliceOfN(rapid.Byte(), 0, min(700, len(want.memory)-addr)).Draw(t, "bytes")
		err := b.WriteMemory(ctx, uint64(addr), p)
		if !errors.Is(err, serial.ErrNotSent) {
			copy(want.memory[addr:], p)
			for i := range p {
				unknown[addr+i] = err != nil // or was it still written?
			}
		}
		return err
	default:
		addr := rapid.IntRange(0, len(want.memory)-1).Draw(t, "addr")
		p := make([]byte, rapid.IntRange(0, min(1500, len(want.memory)-addr)).Draw(t, "size"))
		err := b.ReadMemory(ctx, uint64(addr), p)
		for i := range p {
			if err == nil && !unknown[addr+i] {
				require.Equal(t, want.memory[addr+i], p[i])
			}
		}
		return err
	}
}

// A write that its context ended happens once, when the next call has an answer.
func TestContextEndsACall(t *testing.T) {
	l := newLine(1)
	b := open(t, l)
	ctx, cancel := context.WithCancel(t.Context())
	l.silent = true
	l.onRead = cancel
	require.ErrorIs(t, b.WriteRegister(ctx, 8, 77), context.Canceled)
	require.Empty(t, l.device.log)
	require.ErrorIs(t, b.WriteRegister(ctx, 8, 78), context.Canceled)
	l.silent, l.onRead = false, nil
	v, err := b.ReadRegister(t.Context(), 8)
	require.NoError(t, err)
	require.EqualValues(t, 77, v)
	require.Equal(t, []registerWrite{{8, 77}}, l.device.log)
}

// Nobody there, and then somebody: no call hangs, and what was open comes to its end.
func TestSilence(t *testing.T) {
	l := newLine(1)
	l.silent = true
	_, err := serial.New(t.Context(), l, serial.Options{Tries: 3})
	require.ErrorIs(t, err, serial.ErrTimeout)
	require.Equal(t, 3, l.writes)
	l.silent = false
	b := open(t, l)
	l.silent = true
	require.ErrorIs(t, b.WriteRegister(t.Context(), 8, 1), serial.ErrTimeout)
	require.ErrorIs(t, b.WriteRegister(t.Context(), 8, 2), serial.ErrNotSent)
	l.silent = false
	require.NoError(t, b.WriteRegister(t.Context(), 8, 3))
	require.Equal(t, []registerWrite{{8, 1}, {8, 3}}, l.device.log, "the second was never sent")
}

// A board that was reset is found out, for good.
func TestReset(t *testing.T) {
	l := newLine(1)
	b := open(t, l)
	*l.bridge = bridge.Reference{Bus: l.device}
	require.ErrorIs(t, b.WriteRegister(t.Context(), 8, 1), serial.ErrSession)
	_, err := b.ReadRegister(t.Context(), 8)
	require.ErrorIs(t, err, serial.ErrSession)
	require.Empty(t, l.device.log)
	open(t, l)
}

// What another program left on the line is not taken for an answer.
func TestLeftovers(t *testing.T) {
	l := newLine(1)
	old := open(t, l)
	ctx, cancel := context.WithCancel(t.Context())
	l.onRead = cancel // it dies before it reads its answer
	_, err := old.ReadRegister(ctx, 0)
	require.Error(t, err)
	l.onRead = nil
	l.device.registers[0] = 5
	l.back = append(l.back, 1, 2, 3, format.SerialEscape)
	b := open(t, l)
	v, err := b.ReadRegister(t.Context(), 0)
	require.NoError(t, err)
	require.EqualValues(t, 5, v)
}

// noise never ends.
type noise struct{ line }

func (n *noise) Read(b []byte) (int, error) { return copy(b, "\xC0noise"), nil }

// A line on which somebody else talks, and one that breaks, are errors.
func TestBrokenLine(t *testing.T) {
	_, err := serial.New(t.Context(), &noise{*newLine(1)}, serial.Options{})
	require.ErrorIs(t, err, serial.ErrProtocol)
	l := newLine(1)
	b := open(t, l)
	broken := errors.New("unplugged")
	_, err = serial.New(t.Context(), failing{l, broken}, serial.Options{})
	require.ErrorIs(t, err, broken)
	l.device.registers[format.BoardRegisterBase] = 0
	_, err = serial.New(t.Context(), l, serial.Options{})
	require.ErrorIs(t, err, board.ErrNotABoard)
	require.NoError(t, b.Close())
	require.True(t, l.closed)
	_, err = b.ReadRegister(t.Context(), 0)
	require.ErrorIs(t, err, io.ErrClosedPipe)
}

// failing is a line that breaks.
type failing struct {
	*line
	err error
}

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// deadline is a line whose Read tells that nothing came as files do.
type deadline struct{ *line }

func (d deadline) Read(b []byte) (int, error) {
	n, err := d.line.Read(b)
	if n == 0 && err == nil {
		err = os.ErrDeadlineExceeded
	}
	return n, err
}

func TestDeadline(t *testing.T) {
	b, err := serial.New(t.Context(), deadline{newLine(1)}, serial.Options{Timeout: time.Second})
	require.NoError(t, err)
	require.NoError(t, b.Wait(t.Context()))
	require.Equal(t, board.Info{Name: "i9", ClockKHz: 62500, Memory: 1 << 14, Serial: true, Ports: 1}, b.Board())
}

// What nothing answers is an error; so is an address that the line cannot name.
func TestFaults(t *testing.T) {
	l := newLine(1)
	b := open(t, l)
	_, err := b.ReadRegister(t.Context(), 0x7FFFC)
	require.ErrorIs(t, err, serial.ErrFault)
	require.ErrorIs(t, b.WriteRegister(t.Context(), 0x7FFFC, 1), serial.ErrFault)
	require.ErrorIs(t, b.ReadMemory(t.Context(), 1<<14-4, make([]byte, 8)), serial.ErrFault)
	require.ErrorIs(t, b.WriteMemory(t.Context(), 1<<14, []byte{1}), serial.ErrFault)
	require.ErrorIs(t, b.ReadMemory(t.Context(), 1<<32-4, make([]byte, 8)), serial.ErrRange)
	require.ErrorIs(t, b.ReadMemory(t.Context(), ^uint64(0), make([]byte, 8)), serial.ErrRange)
	_, err = b.ReadRegister(t.Context(), 6)
	require.ErrorIs(t, err, serial.ErrProtocol)
	_, err = b.ReadRegister(t.Context(), 0)
	require.NoError(t, err, "a refused request does not end the session")
}

// Memory goes in as few requests as there can be, and bytes beside are not touched.
func TestBursts(t *testing.T) {
	l := newLine(1)
	b := open(t, l)
	for i := range l.device.memory {
		l.device.memory[i] = 0xEE
	}
	for range 48 { // the line is good: bursts become as long as they can be
		require.NoError(t, b.Wait(t.Context()))
	}
	before := l.writes
	data := make([]byte, 4096)
	for i := range data {
		data[i] = byte(i * 3)
	}
	require.NoError(t, b.WriteMemory(t.Context(), 4096, data))
	got := make([]byte, 4096)
	require.NoError(t, b.ReadMemory(t.Context(), 4096, got))
	require.Equal(t, data, got)
	require.Equal(t, 2*4096/(8*format.SerialWords), l.writes-before)
	for _, n := range []int{1, 3, 8, 13} {
		for skip := range 9 {
			at := 100 + skip
			want := append([]byte(nil), l.device.memory[:]...)
			copy(want[at:], data[:n])
			require.NoError(t, b.WriteMemory(t.Context(), uint64(at), data[:n]))
			require.Equal(t, want, l.device.memory[:])
			require.NoError(t, b.ReadMemory(t.Context(), uint64(at), got[:n]))
			require.Equal(t, data[:n], got[:n])
		}
	}
}

// On a line that lets no long frame through, memory goes in short ones.
func TestShortBursts(t *testing.T) {
	l := newLine(1)
	b, err := serial.New(t.Context(), l, serial.Options{Tries: 1000})
	require.NoError(t, err)
	l.lose = 100 // one byte in a hundred
	data := make([]byte, 8192)
	for i := range data {
		data[i] = byte(i)
	}
	require.NoError(t, b.WriteMemory(t.Context(), 0, data))
	require.Equal(t, data, l.device.memory[:len(data)])
	require.Less(t, l.writes, 2000) // words of 8 bytes one by one were 1,024 requests and half as many again
}

// Pieces of memory do not overlap, keep to their alignment, and come back.
func TestAlloc(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, err := serial.New(context.Background(), newLine(1), serial.Options{})
		require.NoError(t, err)
		type piece struct{ addr, size uint64 }
		var pieces []piece
		for range rapid.IntRange(1, 80).Draw(t, "calls") {
			if len(pieces) > 0 && rapid.Bool().Draw(t, "free") {
				i := rapid.IntRange(0, len(pieces)-1).Draw(t, "which")
				require.NoError(t, b.Free(pieces[i].addr))
				require.ErrorIs(t, b.Free(pieces[i].addr), serial.ErrRange)
				pieces = append(pieces[:i], pieces[i+1:]...)
				continue
			}
			size, align := rapid.Uint64Range(1, 3000).Draw(t, "size"), uint64(1)<<rapid.IntRange(0, 12).Draw(t, "align")
			addr, err := b.Alloc(size, align)
			if err != nil {
				require.ErrorIs(t, err, serial.ErrNoRoom)
				continue
			}
			require.Zero(t, addr%align)
			require.NotZero(t, addr)
			require.LessOrEqual(t, addr+size, uint64(1<<14))
			for _, p := range pieces {
				require.True(t, addr+size <= p.addr || p.addr+p.size <= addr, "%#x and %#x", addr, p.addr)
			}
			pieces = append(pieces, piece{addr, size})
		}
	})
	b := open(t, newLine(1))
	for _, c := range []struct{ size, align uint64 }{{0, 1}, {1, 3}, {1, 0}, {1 << 40, 1}} {
		_, err := b.Alloc(c.size, c.align)
		require.ErrorIs(t, err, serial.ErrRange)
	}
	all, err := b.Alloc(1<<14-64, 1)
	require.NoError(t, err, "all but the first granule")
	_, err = b.Alloc(1, 1)
	require.ErrorIs(t, err, serial.ErrNoRoom)
	require.NoError(t, b.Free(all))
	require.Equal(t, 4, b.LogKeys())
}

func TestOpenWithoutADevice(t *testing.T) {
	_, err := serial.Open(t.Context(), "/dev/there-is-no-such-line", 115200)
	require.ErrorContains(t, err, "/dev/there-is-no-such-line at 115200 baud")
}
