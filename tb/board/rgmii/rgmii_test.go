package rgmii_test

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/tb/board/rgmii"
)

// take gives a receiver cycles from one on.
func take(t *testing.T, r *rgmii.Receiver, from uint64, symbols []rgmii.Symbol) uint64 {
	t.Helper()
	for _, s := range symbols {
		require.NoError(t, r.Take(s, from))
		from++
	}
	return from
}

// A frame that goes out comes in: padded, without what is around it.
func TestThereAndBack(t *testing.T) {
	var r rgmii.Receiver
	at := uint64(100)
	for _, n := range []int{1, 59, 60, 61, 1514, 4200} {
		data := make([]byte, n)
		for i := range data {
			data[i] = byte(i * 7)
		}
		start := at
		at = take(t, &r, at, rgmii.Frame{Data: data}.Symbols(rgmii.Gigabit))
		got := r.Frames()
		require.Len(t, got, 1)
		want := append(data, make([]byte, max(0, 60-n))...)
		require.Equal(t, want, got[0].Data)
		require.Equal(t, start, got[0].Start)
		require.Equal(t, start+8+uint64(len(want))+4, got[0].End)
		require.False(t, got[0].Abort)
	}
}

// The FCS of a frame whose bytes are known: an ARP request, with the FCS that a capture of it has.
func TestFCS(t *testing.T) {
	data, err := hex.DecodeString("ffffffffffff" + "020000000001" + "0806" + "0001080006040001" +
		"0200000000010a000001" + "0000000000000a000002")
	require.NoError(t, err)
	b := rgmii.Frame{Data: data}.Bytes()
	require.Len(t, b, 64)
	crc := uint32(0xFFFFFFFF) // bit by bit, as IEEE 802.3 section 3.2.9 says
	for _, x := range b {
		for i := range 8 {
			feedback := crc ^ uint32(x>>i)
			crc >>= 1
			if feedback&1 == 1 {
				crc ^= 0xEDB88320
			}
		}
	}
	require.Equal(t, uint32(0xDEBB20E3), crc, "the residue of a frame with its FCS")
}

// Each thing that can be wrong is in the symbols.
func TestWrongFrames(t *testing.T) {
	data := make([]byte, 64)
	abort := func(f rgmii.Frame) bool {
		var r rgmii.Receiver
		take(t, &r, 0, f.Symbols(0))
		got := r.Frames()
		require.Len(t, got, 1)
		return got[0].Abort
	}
	require.False(t, abort(rgmii.Frame{Data: data}))
	require.True(t, abort(rgmii.Frame{Data: data, BadFCS: true}))
	require.True(t, abort(rgmii.Frame{Data: data, Cut: 1}))
	require.True(t, abort(rgmii.Frame{Data: data, ErrorAt: []int{3}}))

	for name, f := range map[string]rgmii.Frame{
		"no preamble": {Data: data, Preamble: 1}, "no preamble of": {Data: data, NoStart: true}, "only 23 bytes": {Data: data[:19], Runt: true},
	} {
		var r rgmii.Receiver
		var err error
		for i, s := range f.Symbols(0) {
			if err == nil {
				err = r.Take(s, uint64(i))
			}
		}
		require.ErrorIs(t, err, rgmii.ErrRules)
		require.ErrorContains(t, err, name)
	}
}

// Gaps are counted in cycles, and one that is too short is told; an error outside a frame, too.
func TestGaps(t *testing.T) {
	var r rgmii.Receiver
	at := take(t, &r, 0, rgmii.Frame{Data: make([]byte, 60), GapBehind: 20}.Symbols(0))
	at = take(t, &r, at, rgmii.Frame{Data: make([]byte, 60), GapBehind: 11}.Symbols(0))
	got := r.Frames()
	require.Equal(t, []int{-1, 20}, []int{got[0].Gap, got[1].Gap})
	last := rgmii.Frame{Data: make([]byte, 60)}.Symbols(0)
	at = take(t, &r, at, last[:72])
	require.NoError(t, r.Idle(at))
	require.ErrorContains(t, r.Idle(at+1), "only 11 cycles behind the one before")
	require.NoError(t, r.Take(rgmii.Idle(rgmii.Gigabit), at+2))
	require.ErrorContains(t, r.Take(1<<9, at+3), "error outside a frame")
	require.Empty(t, r.Frames())
}

// A frame that a reset cuts off is none, and the next one is judged as the first.
func TestReceiverCut(t *testing.T) {
	var r rgmii.Receiver
	cycle := uint64(0)
	take := func(symbols []rgmii.Symbol) error {
		for _, s := range symbols {
			if err := r.Take(s, cycle); err != nil {
				return err
			}
			cycle++
		}
		return r.Idle(cycle + 1)
	}
	whole := rgmii.Frame{Data: make([]byte, 100)}.Symbols(rgmii.Gigabit)
	require.NoError(t, take(whole))
	r.Cut = true
	require.NoError(t, take(whole[:40]))
	r.Cut = false
	require.NoError(t, take(whole))
	got := r.Frames()
	require.Len(t, got, 2)
	require.Equal(t, -1, got[1].Gap)
	require.ErrorIs(t, take(whole[:40]), rgmii.ErrRules, "nobody has cut that one")
}
