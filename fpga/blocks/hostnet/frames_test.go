package hostnet_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/hdl"
)

// The channels of AXI as streams.
type (
	addressBeat struct{ Addr, ID, Len, Size, Burst, Lock, Cache, Prot hdl.Bits }
	dataBeat    struct{ Data, Strb, Last hdl.Bits }
	readBeat    struct{ Data, ID, Resp, Last hdl.Bits }
	writeEnd    struct{ ID, Resp hdl.Bits }
)

// burst is an addressBeat.
type burst struct{ Addr, ID, Len, Size, Burst, Lock, Cache, Prot uint64 }

func addressOf(addr, id uint64, beats int) burst {
	return burst{Addr: addr, ID: id, Len: uint64(beats - 1), Size: 3, Burst: 1, Cache: 3, Prot: 2}
}

// ipSum adds up the words of an IPv4 header: 0xFFFF if its checksum is right.
func ipSum(b []byte) uint32 {
	sum := uint32(0)
	for i := 0; i < 20; i += 2 {
		sum += uint32(binary.BigEndian.Uint16(b[i:]))
	}
	return sum&0xFFFF + sum>>16
}

// openFrame checks the headers of a frame of the board and returns the datagram.
func openFrame(t *testing.T, f []byte) []byte {
	t.Helper()
	eth, err := format.Decode[format.Ethernet[uint64]](f)
	require.NoError(t, err)
	require.Equal(t, format.Ethernet[uint64]{Dst: pcMAC, Src: boardMAC, Type: format.EtherTypeIPv4}, eth)
	ip, err := format.Decode[format.IPv4[uint64]](f[14:])
	require.NoError(t, err)
	require.EqualValues(t, 0xFFFF, ipSum(f[14:]))
	ip.Checksum = 0
	n := uint64(len(f) - 14)
	require.Equal(t, format.IPv4[uint64]{Version: 4, IHL: 5, TotalLength: n, DF: 1, TTL: 64, Protocol: 17, Src: boardIP, Dst: pcIP}, ip)
	udp, err := format.Decode[format.UDP[uint64]](f[34:])
	require.NoError(t, err)
	require.Equal(t, format.UDP[uint64]{SrcPort: format.HostnetPort, DstPort: pcPort, Length: n - 20}, udp)
	return f[42:]
}

// makeFrame puts a datagram of the PC into a frame.
func makeFrame(t *testing.T, payload []byte) []byte {
	t.Helper()
	f, err := format.Append(nil, format.Ethernet[uint64]{Dst: boardMAC, Src: pcMAC, Type: format.EtherTypeIPv4})
	require.NoError(t, err)
	ip := format.IPv4[uint64]{
		Version: 4, IHL: 5, TOS: 0x10, TotalLength: uint64(28 + len(payload)), ID: 77, DF: 1, TTL: 63, Protocol: 17, Checksum: 0xABCD, Src: pcIP, Dst: boardIP,
	}
	f, err = format.Append(f, ip)
	require.NoError(t, err)
	f, err = format.Append(f, format.UDP[uint64]{SrcPort: pcPort, DstPort: format.HostnetPort, Length: uint64(8 + len(payload)), Checksum: 0x1234})
	require.NoError(t, err)
	return append(f, payload...)
}
