package packet_test

import (
	"encoding/hex"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gornic/format"
	"gornic/tb/drill/packet"
	"gornic/tb/frames"
)

// sample is a packet of an opcode with a number in each field that it has.
func sample(op format.Opcode, v6 bool, payload int) *packet.Packet {
	p := &packet.Packet{
		Src: netip.MustParseAddr("10.0.0.2"), Dst: netip.MustParseAddr("10.0.0.1"), DstPort: format.PortRoCEv2,
		BTH: format.BTH[uint64]{Opcode: uint64(op), PadCnt: uint64(-payload & 3)}, Payload: make([]byte, payload),
	}
	if v6 {
		p.Src, p.Dst = netip.MustParseAddr("fd00::2"), netip.MustParseAddr("fd00::1")
	}
	return p
}

// What Frame makes, Parse takes apart, field by field, without a problem.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		info := rapid.SampledFrom(format.Opcodes()).Draw(t, "opcode")
		p := sample(info.Code, rapid.Bool().Draw(t, "ipv6"), rapid.IntRange(0, 300).Draw(t, "payload"))
		p.Tagged = rapid.Bool().Draw(t, "tagged")
		for i := range p.Payload {
			p.Payload[i] = byte(i * 7)
		}
		want := map[string]uint64{}
		for _, f := range packet.Fields() {
			switch f.Name {
			case "opcode", "pad", "dst_port", "ip_length", "udp_length":
				continue
			}
			if f.In(p) && (f.Header != "IPv6" || p.Src.Is6()) && (f.Header != "IPv4" || p.Src.Is4()) {
				want[f.Name] = rapid.Uint64Max(1<<(f.Bits-1)).Draw(t, f.Name)
				f.Set(p, want[f.Name])
			}
		}
		raw, err := p.Frame()
		require.NoError(t, err)
		got, err := packet.Parse(raw)
		require.NoError(t, err)
		require.Empty(t, got.Problems)
		require.Equal(t, string(p.Payload), string(got.Payload))
		require.Equal(t, p.Src, got.Src)
		for name, v := range want {
			f, _ := packet.Lookup(name)
			x, has := f.Get(got)
			require.True(t, has, name)
			require.Equal(t, v, x, name)
		}
	})
}

// A frame that was written out by hand reads as what it is, and is made again to the byte.
func TestKnownFrame(t *testing.T) {
	frame, err := hex.DecodeString("02000000000102000000000208004500003000004000401126bb0a0000020a000001c0de12b7001c0000" +
		"0400ffff0000010080000064" + "0000000000000000")
	require.NoError(t, err)
	// The last eight bytes are payload and ICRC.
	require.True(t, frames.FixICRC(frame))
	p, err := packet.Parse(frame)
	require.NoError(t, err)
	require.Empty(t, p.Problems)
	require.Equal(t, uint64(0x64), p.BTH.PSN)
	require.Equal(t, uint64(0x100), p.BTH.DestQP)
	require.Equal(t, uint64(1), p.BTH.AckReq)
	again, err := p.Frame()
	require.NoError(t, err)
	require.Equal(t, hex.EncodeToString(frame), hex.EncodeToString(again))
}

// Each thing that no sender may do is a problem.
func TestProblems(t *testing.T) {
	for _, c := range []struct {
		what   string
		change func(p *packet.Packet)
		want   string
	}{
		{"ICRC", func(p *packet.Packet) { p.BadICRC = true }, "the ICRC is"},
		{"pad", func(p *packet.Packet) { p.BTH.PadCnt = 0 }, "a pad of 0 bytes behind 5 of payload"},
	} {
		p := sample(format.OpSendOnly, false, 5)
		c.change(p)
		raw, err := p.Frame()
		require.NoError(t, err)
		got, err := packet.Parse(raw)
		require.NoError(t, err, c.what)
		require.Len(t, got.Problems, 1, c.what)
		require.Contains(t, got.Problems[0], c.want)
	}
	_, err := packet.Parse([]byte("no packet"))
	require.ErrorIs(t, err, packet.ErrNotRoCE)
}

// The lengths may be any, and the checksum of an IPv4 header follows.
func TestLengths(t *testing.T) {
	for _, v6 := range []bool{false, true} {
		p := sample(format.OpSendOnly, v6, 8)
		p.IPLength, p.UDPLength = 1000, 77
		raw, err := p.Frame()
		require.NoError(t, err)
		at, udp := 16, 34
		if v6 {
			at, udp = 18, 54
		}
		require.Equal(t, "03e8", hex.EncodeToString(raw[at:at+2]))
		require.Equal(t, "004d", hex.EncodeToString(raw[udp+4:udp+6]))
		if !v6 {
			sum := 0
			for i := 14; i < 34; i += 2 {
				sum += int(raw[i])<<8 | int(raw[i+1])
			}
			require.Equal(t, 0xFFFF, sum&0xFFFF+sum>>16)
		}
	}
}

func TestSyndromes(t *testing.T) {
	for text, v := range map[string]uint64{
		"ACK": 0x1F, "ACK 5": 5, "RNR_NAK": 0x21, "RNR_NAK 31": 0x3F, "NAK_SEQUENCE": 0x60, "NAK_REMOTE_OPERATIONAL": 0x63,
	} {
		s, ok := packet.ParseSyndrome(text)
		require.True(t, ok, text)
		require.Equal(t, v, s.Value, text)
		require.True(t, s.Match(v), text)
		require.False(t, s.Match(v^0x40), text)
	}
	s, _ := packet.ParseSyndrome("ACK")
	require.True(t, s.Match(0), "any credits")
	s, _ = packet.ParseSyndrome("RNR_NAK 3")
	require.False(t, s.Match(0x24))
	for _, bad := range []string{"", "NAK", "ACK 32", "ACK five", "nak_sequence"} {
		_, ok := packet.ParseSyndrome(bad)
		require.False(t, ok, bad)
	}
}
