package board_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/tb/board"
	"gornic/tb/board/line"
)

// Bytes of the serial line are lost, damaged and added, in either direction: every access is done, and once.
func TestSerialFaults(t *testing.T) {
	l := open(t, verilated, board.Options{})
	h := serialHost(t, l)
	r := rand.New(rand.NewPCG(hdltest.Seed(t), 5))
	l.Serial.ToBoard = line.Faults{Lose: 1, Flip: 1, Insert: 1, Random: r}
	l.Serial.FromBoard = line.Faults{Lose: 1, Flip: 1, Insert: 1, Random: r}
	addr, err := h.Alloc(2048, 8)
	require.NoError(t, err)
	for range 20 {
		at, n := r.IntN(1500), 1+r.IntN(128)
		want := make([]byte, n)
		for i := range want {
			want[i] = byte(r.Uint32())
		}
		require.NoError(t, h.WriteMemory(ctx, addr+uint64(at), want))
		got := make([]byte, n)
		require.NoError(t, h.ReadMemory(ctx, addr+uint64(at), got))
		require.Equal(t, want, got)
		h.set(t, format.BoardRegLEDs, uint32(n))
		require.EqualValues(t, n, h.register(t, format.BoardRegLEDs))
	}
	hit := l.Serial.ToBoard.Count
	require.NotZero(t, hit)
	require.NotZero(t, l.Serial.FromBoard.Count)
	l.Serial.ToBoard, l.Serial.FromBoard = line.Faults{}, line.Faults{}
	bad := h.counter(t, format.BoardSerialBad) + h.counter(t, format.BoardSerialFraming)
	require.NotZero(t, bad)
	require.NotZero(t, h.counter(t, format.BoardSerialRepeats), "an answer was lost")
}

// A line that is dead is reported, in bounded time; and when it is back, so is the board.
func TestSerialDead(t *testing.T) {
	l := open(t, verilated, board.Options{})
	h := serialHost(t, l)
	l.Serial.FromBoard = line.Faults{Lose: 1000, Random: rand.New(rand.NewPCG(1, 1))}
	_, err := h.ReadRegister(ctx, format.BoardRegisterBase+format.BoardRegID)
	require.Error(t, err)
	l.Serial.FromBoard = line.Faults{}
	require.EqualValues(t, format.BoardID, serialHost(t, l).register(t, format.BoardRegID))
}
