package format_test

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
)

// A datagram by hand. Behind Ethernet, IPv4 and UDP its words begin at byte 64.
func TestHostnetHeader(t *testing.T) {
	headers := format.Size[format.Ethernet[uint64]]() + format.Size[format.IPv4[uint64]]() + format.Size[format.UDP[uint64]]()
	require.Equal(t, 64, headers+format.Size[format.HostnetHeader[uint64]]())
	roundTrip[format.HostnetHeader[uint64]](t)
	got, err := format.Append(nil, format.HostnetHeader[uint64]{
		Magic: format.HostnetMagic, Session: 0x01020304, Addr: format.HostnetRegister(0x10, 0xABCD), Seq: 7, Answer: 1,
		Op: uint64(format.HostnetReadRegister), Status: uint64(format.HostnetNoSession), Words: 0x80, First: 0xF0, Last: 0x0F,
	})
	require.NoError(t, err)
	require.Equal(t, "684e"+"01020304"+"000000100000abcd"+"00000007"+"93"+"80"+"f0"+"0f", hex.EncodeToString(got))
}

func TestHostnetNames(t *testing.T) {
	require.Equal(t, "interrupt", format.HostnetInterrupt.String())
	require.Equal(t, "no session", format.HostnetNoSession.String())
	require.Equal(t, "hostnet operation 15", format.HostnetOp(15).String())
	require.Equal(t, "hostnet status 7", format.HostnetStatus(7).String())
}

func TestHostnetNewer(t *testing.T) {
	for _, c := range []struct {
		session, than uint32
		newer         bool
	}{
		{5, 4, true}, {5, 5, false}, {4, 5, false}, {1, 0xFFFF_FFFF, true}, {0xFFFF_FFFF, 1, false}, {0x8000_0000, 1, true}, {0x8000_0001, 1, false},
	} {
		require.Equal(t, c.newer, format.HostnetNewer(c.session, c.than), "%#x than %#x", c.session, c.than)
	}
}
