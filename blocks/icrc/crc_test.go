package icrc

import (
	"hash/crc32"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl"
)

// next is the state after one message byte.
func next(state uint32, b byte) uint32 { return advance(state^uint32(b), 1) }

func TestStatesAgreeWithLibrary(t *testing.T) {
	message := []byte("123456789")
	state := ^uint32(0)
	for _, b := range message {
		state = next(state, b)
	}
	require.Equal(t, crc32.ChecksumIEEE(message), ^state)

	sum := ^state
	for i := range 4 {
		state = next(state, byte(sum>>(8*i)))
	}
	require.Equal(t, uint32(residue), state, "after a message and its sum")

	state = ^uint32(0)
	for range 8 {
		state = next(state, 0xFF)
	}
	require.Equal(t, uint32(preset), state, "after eight bytes of ones")
}

func TestAdvance(t *testing.T) {
	for _, state := range []uint32{1, 0x80000000, 0xDEADBEEF} {
		for n := range 70 {
			require.Equal(t, state, advance(advance(state, n), -n), "%d bytes there and back", n)
			require.Equal(t, advance(state^1, n), advance(state, n)^advance(1, n), "linear")
		}
	}
}

func TestParams(t *testing.T) {
	for _, width := range []int{0, -64, 32, 96, 192, 1024} {
		_, _, err := hdl.Build(CheckDef(Params{DataWidth: width}))
		require.ErrorContains(t, err, "data width of")
		_, _, err = hdl.Build(GenerateDef(Params{DataWidth: width}))
		require.ErrorContains(t, err, "not 64, 128, 256 or 512")
	}
}

// Every design of the list builds under its name, less the solver that is asked again, and has properties.
func TestProofsBuild(t *testing.T) {
	for _, p := range Proofs() {
		d, err := p.Build()
		require.NoError(t, err)
		require.Equal(t, strings.TrimSuffix(p.Name, "_z3"), d.Top.Name)
		require.NotEmpty(t, d.Top.Checks)
	}
}
