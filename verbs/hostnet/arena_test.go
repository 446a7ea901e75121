package hostnet_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gornic/verbs/hostnet"
)

// Buffers are where they were asked to be, apart from each other, in the addresses of the session, and hold what was written.
func TestAlloc(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bus, err := hostnet.Open(ctx, newNetwork(1), options())
		require.NoError(t, err)
		live := map[uint64]byte{}
		size := map[uint64]uint64{}
		next := byte(0)
		t.Repeat(map[string]func(*rapid.T){
			"alloc": func(t *rapid.T) {
				n, align := rapid.Uint64Range(1, 20_000).Draw(t, "size"), uint64(1)<<rapid.IntRange(0, 16).Draw(t, "align")
				addr, err := bus.Alloc(n, align)
				require.NoError(t, err)
				require.Zero(t, addr%align)
				require.EqualValues(t, bus.Session(), addr>>32)
				for other, m := range size {
					require.False(t, addr < other+m && other < addr+n, "%#x and %#x", addr, other)
				}
				next++
				live[addr], size[addr] = next, n
				b := make([]byte, n)
				b[0], b[n-1] = next, next
				require.NoError(t, bus.WriteMemory(ctx, addr, b))
			},
			"free": func(t *rapid.T) {
				for addr := range live {
					require.NoError(t, bus.Free(addr))
					require.ErrorIs(t, bus.Free(addr), hostnet.ErrNotAllocated)
					require.ErrorIs(t, bus.ReadMemory(ctx, addr, make([]byte, 1)), hostnet.ErrNotAllocated)
					delete(live, addr)
					delete(size, addr)
					return
				}
			},
			"": func(t *rapid.T) {
				for addr, mark := range live {
					b := make([]byte, size[addr])
					require.NoError(t, bus.ReadMemory(ctx, addr, b))
					require.Equal(t, []byte{mark, mark}, []byte{b[0], b[len(b)-1]})
				}
			},
		})
	})
}

func TestAllocErrors(t *testing.T) {
	bus := open(t, newNetwork(1), options())
	for _, c := range []struct{ size, align uint64 }{{0, 8}, {8, 0}, {8, 3}, {1<<32 + 1, 8}, {8, 1 << 40}} {
		_, err := bus.Alloc(c.size, c.align)
		require.ErrorIs(t, err, hostnet.ErrParameter, "%+v", c)
	}
	_, err := bus.Alloc(1<<32, 8)
	require.ErrorIs(t, err, hostnet.ErrNoRoom)
	addr, err := bus.Alloc(100, 8)
	require.NoError(t, err)
	require.ErrorIs(t, bus.Free(addr+64), hostnet.ErrNotAllocated)
	require.ErrorIs(t, bus.ReadMemory(ctx, addr+100, make([]byte, 100)), hostnet.ErrNotAllocated)
}
