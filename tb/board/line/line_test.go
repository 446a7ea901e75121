package line_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/tb/board/line"
)

// put has a decoder see levels from a cycle on, and returns the cycle behind them.
func put(d *line.Decoder, at uint64, levels []line.Level) uint64 {
	for _, l := range levels {
		d.Edge(l.High, at)
		at += uint64(l.Cycles)
	}
	return at
}

// Every byte goes over the line, back to back and with pauses, when it is whole and not before.
func TestBytes(t *testing.T) {
	for _, divisor := range []int{1, 4, 7, 542} {
		d, at := line.NewDecoder(divisor), uint64(10)
		for i := range 256 {
			levels := line.Encode(byte(i), divisor)
			at = put(d, at, levels)
			require.Equal(t, line.FrameCycles(divisor), cycles(levels))
			d.Until(at - uint64(divisor))
			require.Empty(t, d.Bytes())
			d.Until(at)
			require.Equal(t, []byte{byte(i)}, d.Bytes())
			at += uint64(i % 3 * divisor)
		}
		require.Zero(t, d.Breaks())
	}
}

func cycles(levels []line.Level) int {
	n := 0
	for _, l := range levels {
		n += l.Cycles
	}
	return n
}

// A transmitter whose clock is three per cent off is understood; a line that is held low is a break, and what
// comes after it is understood.
func TestDecoder(t *testing.T) {
	for _, theirs := range []int{97, 103} {
		d, at := line.NewDecoder(100), uint64(0)
		for i := range 256 {
			at = put(d, at, line.Encode(byte(i), theirs))
		}
		d.Until(at + 100)
		require.Len(t, d.Bytes(), 256)
	}
	d := line.NewDecoder(10)
	at := put(d, 0, []line.Level{{High: false, Cycles: 150}, {High: true, Cycles: 100}})
	at = put(d, at, line.Encode('x', 10))
	d.Until(at)
	require.Equal(t, 1, d.Breaks())
	require.Equal(t, "x", string(d.Bytes()))
}

// Faults hit about as often as they say, and none where they say nothing.
func TestFaults(t *testing.T) {
	in := bytes.Repeat([]byte{0x5A}, 10000)
	var none line.Faults
	require.Equal(t, in, none.Pass(in))
	f := line.Faults{Lose: 10, Random: rand.New(rand.NewPCG(1, 2))}
	require.Len(t, f.Pass(in), len(in)-f.Count)
	require.InDelta(t, 100, f.Count, 40)
	f = line.Faults{Flip: 10, Random: f.Random}
	out := f.Pass(in)
	require.Len(t, out, len(in))
	require.Equal(t, f.Count, len(in)-bytes.Count(out, []byte{0x5A}))
	f = line.Faults{Insert: 10, Random: f.Random}
	require.Len(t, f.Pass(in), len(in)+f.Count)
}
