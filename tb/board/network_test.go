package board_test

import (
	"net"
	"net/netip"
	"testing"

	"github.com/gopacket/gopacket/layers"
	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/board"
	"gornic/tb/board/rgmii"
	"gornic/tb/wire"
)

// at is a station on the network of a port.
func at(l *board.Lab, port int) *board.Station {
	_, ip := ours(port)
	b := ip.As4()
	b[3] = 77
	s := board.NewStation(net.HardwareAddr{2, 0, 0, 0, 0, 77}, netip.AddrFrom4(b))
	l.Connect(port, s, nil, wire.Faults{})
	return s
}

// until runs the board until a condition holds, for so many cycles at most.
func until(t *testing.T, l *board.Lab, cycles int, holds func() bool) {
	t.Helper()
	for end := l.Cycle() + uint64(cycles); !holds(); {
		require.Less(t, l.Cycle(), end, "it did not come in time")
		require.NoError(t, l.Run(64))
	}
}

// resolve has a station ask for the board's address.
func resolve(t *testing.T, l *board.Lab, s *board.Station, port int) {
	t.Helper()
	mac, ip := ours(port)
	require.NoError(t, s.WhoHas(ip))
	until(t, l, 5000, func() bool { return s.Neighbour(ip) != nil })
	require.Equal(t, net.HardwareAddr(mac[:]), s.Neighbour(ip))
}

// ping has a station ping the board.
func ping(t *testing.T, l *board.Lab, s *board.Station, port int, seq uint16, data []byte) {
	t.Helper()
	_, ip := ours(port)
	require.NoError(t, s.Ping(ip, 0x1234, seq, data))
	var got []layers.ICMPv4
	until(t, l, 10000, func() bool {
		got = s.Echoes()
		return len(got) > 0
	})
	require.Len(t, got, 1)
	require.Equal(t, layers.CreateICMPv4TypeCode(layers.ICMPv4TypeEchoReply, 0), got[0].TypeCode)
	require.Equal(t, [2]uint16{0x1234, seq}, [2]uint16{got[0].Id, got[0].Seq})
	require.Equal(t, data, got[0].Payload[:len(data)]) // the shortest are padded
}

// Right out of reset the board answers ARP and ping on both ports, before software has touched it; others' addresses
// it leaves alone.
func TestPing(t *testing.T) {
	eachSim(t, func(t *testing.T, l *board.Lab) {
		for port := range 2 {
			s := at(l, port)
			resolve(t, l, s, port)
			ping(t, l, s, port, 1, []byte("is anybody there"))
			require.NoError(t, s.WhoHas(s.IPv4.Next()))
			require.NoError(t, l.Run(1000))
			require.Nil(t, s.Neighbour(s.IPv4.Next()))
			require.Zero(t, s.Others())
		}
	})
}

// Pings of all sizes that a standard frame has are answered, one after the other.
func TestPingSizes(t *testing.T) {
	l := open(t, verilated, board.Options{})
	s := at(l, 0)
	resolve(t, l, s, 0)
	for seq, n := range []int{0, 1, 17, 18, 19, 56, 100, 999, 1471, 1472} {
		ping(t, l, s, 0, uint16(seq), make([]byte, n))
	}
}

// What a PHY may deliver besides good frames is counted, each kind for itself, and neither answered nor in
// the way of the next good frame.
func TestWrongFrames(t *testing.T) {
	l := open(t, verilated, board.Options{})
	s, host := at(l, 0), serialHost(t, l)
	resolve(t, l, s, 0)
	_, ip := ours(0)
	good := host.counter(t, format.BoardRxFrames)
	for _, c := range []struct {
		name  string
		count format.BoardCounter // none: it is not seen as a frame
		shape func(*rgmii.Frame)
	}{
		{"wrong FCS", format.BoardRxBadFCS, func(f *rgmii.Frame) { f.BadFCS = true }},
		{"error of the PHY", format.BoardRxError, func(f *rgmii.Frame) { f.ErrorAt = []int{20} }},
		{"errors of the PHY", format.BoardRxError, func(f *rgmii.Frame) { f.ErrorAt = []int{0, 1, 63} }},
		{"short", format.BoardRxBadSize, func(f *rgmii.Frame) { f.Runt, f.Data = true, f.Data[:40] }},
		{"long", format.BoardRxBadSize, func(f *rgmii.Frame) { f.Data = append(f.Data, make([]byte, 9100)...) }},
		{"one byte", format.BoardRxBadSize, func(f *rgmii.Frame) { f.Runt, f.Data, f.Cut = true, f.Data[:1], 4 }},
		{"no delimiter", format.BoardRxError, func(f *rgmii.Frame) { f.NoStart = true }},
	} {
		before := host.counter(t, c.count)
		l.Ports[0].Shape = func(frame []byte) rgmii.Frame {
			f := rgmii.Frame{Data: append([]byte(nil), frame...)}
			c.shape(&f)
			return f
		}
		require.NoError(t, s.Ping(ip, 1, 2, make([]byte, 64)))
		require.NoError(t, l.Run(64)) // it is on the pins
		until(t, l, 10000, func() bool { return l.Ports[0].Pending() == 0 })
		l.Ports[0].Shape = nil
		require.NoError(t, l.Run(2000))
		require.Empty(t, s.Echoes(), c.name)
		require.Equal(t, before+1, host.counter(t, c.count), c.name)
		ping(t, l, s, 0, 3, []byte("still there"))
		good++
		require.Equal(t, good, host.counter(t, format.BoardRxFrames), c.name)
	}
	// Of a preamble one byte is enough, and gaps may be short: repeaters eat of both.
	for missing := range 7 {
		l.Ports[0].Shape = func(frame []byte) rgmii.Frame { return rgmii.Frame{Data: frame, Preamble: missing, GapBehind: 5} }
		ping(t, l, s, 0, uint16(missing), []byte("short preamble"))
	}
	l.Ports[0].Shape = nil
}

// The clocks of the PHYs are up to 125 ppm off, either way and in opposite ways, in the longest frames, back to back.
func TestClocks(t *testing.T) {
	for name, clocks := range map[string]board.Clocks{
		"fast":     {Core: 16000, Net: 8000, Rx0: 7999, Rx1: 7999},
		"slow":     {Core: 16000, Net: 8000, Rx0: 8001, Rx1: 8001},
		"opposite": {Core: 16000, Net: 8000, Rx0: 7999, Rx1: 8001},
	} {
		t.Run(name, func(t *testing.T) {
			l := open(t, verilated, board.Options{Clocks: clocks})
			host := serialHost(t, l)
			const frames = 10
			for port := range 2 {
				s := at(l, port)
				resolve(t, l, s, port)
				ping(t, l, s, port, 1, make([]byte, 1400))
				before := host.counter(t, format.BoardRxFrames+format.BoardCounter(port*format.BoardPortCounters))
				for range frames {
					l.Ports[port].Receive(make([]byte, 9000))
				}
				until(t, l, 60*frames*1000, func() bool { return l.Ports[port].Pending() == 0 })
				require.NoError(t, l.Run(200))
				for kind := range format.BoardTxFrames {
					want := uint32(0)
					if kind == format.BoardRxFrames {
						want = before + frames
					}
					require.Equal(t, want, host.counter(t, kind+format.BoardCounter(port*format.BoardPortCounters)), kind)
				}
			}
		})
	}
}
