package tshark_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/frames"
	"gornic/tb/frames/tshark"
	"gornic/tools/toolset"
)

// packet is a good one of 20 bytes.
func packet(t *testing.T, ipv6 uint64, change func(frame []byte)) []byte {
	t.Helper()
	b, err := frames.Build(format.TxDescriptor[uint64]{
		SrcMAC: 0x0200000000AA, DstMAC: 0x0200000000BB, IPv6: ipv6, SrcLo: 0x0A000001, DstLo: 0x0A000002, HopLimit: 64, SrcPort: 0xC001,
		PKey: format.PKeyDefault, DestQP: 5, Opcode: uint64(format.OpWriteOnlyImm), AckReq: 1,
	}, make([]byte, 20))
	require.NoError(t, err)
	change(b)
	return b
}

// Good packets draw no complaint; what is wrong with others is told.
func TestComplaints(t *testing.T) {
	toolset.Need(t, toolset.Tshark)
	const ip, bth = 14, 14 + 20 + 8
	good := func([]byte) {}
	all := [][]byte{
		packet(t, 0, good),
		packet(t, 1, func(b []byte) { // payload that looks like an ethertype
			b[14+40+8+32] = 0x60
			frames.FixICRC(b)
		}),
		packet(t, 0, func(b []byte) { b[ip+10] ^= 1 }),             // IPv4 checksum
		packet(t, 0, func(b []byte) { b[bth-5]++ }),                // UDP port
		packet(t, 0, func(b []byte) { b[bth-3] = 8 + 12 + 4 + 8 }), // UDP length: the RETH is cut
		packet(t, 0, func(b []byte) { b[ip+3] += 40 }),             // IPv4 length beyond the frame
	}
	got, err := tshark.Complaints(t.Context(), all)
	require.NoError(t, err)
	text := ""
	for _, c := range got {
		text += c.String() + "\n"
	}
	require.Regexp(t, `^frame 3: Bad checksum.*\nframe 4: no RoCEv2 packet: eth:ethertype:ip:udp.*\nframe 5: .+\nframe 6: .+\n$`, text)
}

// The captures of soft-RoCE draw none.
func TestCaptures(t *testing.T) {
	toolset.Need(t, toolset.Tshark)
	for _, name := range []string{"send_all.pcap", "write_all.pcap"} {
		path := filepath.Join("..", "..", "..", "..", "shared", "rxe", name)
		if _, err := os.Stat(path); err != nil {
			t.Skip("no capture ../shared/rxe/" + name)
		}
		all, err := frames.Load(path)
		require.NoError(t, err)
		var data [][]byte
		for _, f := range all {
			data = append(data, f.Data)
		}
		got, err := tshark.Complaints(t.Context(), data)
		require.NoError(t, err)
		require.Empty(t, got, name)
	}
}

// Without tshark there is an error that says so.
func TestAbsent(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := tshark.Complaints(t.Context(), nil)
	require.True(t, errors.Is(err, toolset.ErrAbsent), "%v", err)
}
