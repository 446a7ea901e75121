package hostnet

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gornic/format"
)

// The header by hand is that of the table.
func TestHeader(t *testing.T) {
	require.Equal(t, headerBytes, format.Size[format.HostnetHeader[uint64]]())
	rapid.Check(t, func(t *rapid.T) {
		h := header{
			Session: rapid.Uint32().Draw(t, "session"), Addr: rapid.Uint64().Draw(t, "addr"), Seq: rapid.Uint32().Draw(t, "seq"),
			Answer: rapid.Bool().Draw(t, "answer"), Op: format.HostnetOp(rapid.IntRange(0, 15).Draw(t, "op")),
			Status: format.HostnetStatus(rapid.IntRange(0, 7).Draw(t, "status")), Words: rapid.IntRange(0, format.HostnetWords).Draw(t, "words"),
			First: rapid.Byte().Draw(t, "first"), Last: rapid.Byte().Draw(t, "last"),
		}
		wide := format.HostnetHeader[uint64]{
			Magic: format.HostnetMagic, Session: uint64(h.Session), Addr: h.Addr, Seq: uint64(h.Seq), Op: uint64(h.Op), Status: uint64(h.Status),
			Words: uint64(h.Words), First: uint64(h.First), Last: uint64(h.Last),
		}
		if h.Answer {
			wide.Answer = 1
		}
		want, err := format.Append(nil, wide)
		require.NoError(t, err)
		got := h.append(nil)
		require.Equal(t, want, got)

		data := make([]byte, h.Words*wordBytes)
		if h.Op == format.HostnetRead && !h.Answer {
			data = data[:0]
		}
		back, rest, ok := parse(append(got, data...))
		require.True(t, ok)
		require.Equal(t, h, back)
		require.Len(t, rest, len(data))
		_, _, ok = parse(append(got, append(data, 0)...))
		require.False(t, ok)
		_, _, ok = parse(got[:rapid.IntRange(0, headerBytes-1).Draw(t, "cut")])
		require.False(t, ok)
	})
}
