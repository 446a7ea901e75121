package board_test

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl/hdltest"
	"gornic/tb/board"
	"gornic/tb/program"
	"gornic/tb/wire"
	"gornic/tb/wire/monitor"
	"gornic/verbs"
	"gornic/verbs/hostnet"
)

// Random verbs programs, as they run on the core alone (package program): over the serial line small ones, since the board
// has little memory, and over UDP larger ones.
func TestPrograms(t *testing.T) {
	for _, c := range []struct {
		name   string
		bus    func(*testing.T, *board.Lab) verbs.Bus
		shrink func(*program.Limits)
		memory int // bytes that regions of the board's host may have
	}{
		{"serial", func(t *testing.T, l *board.Lab) verbs.Bus { return serialHost(t, l).Bus }, func(l *program.Limits) {
			l.Connections, l.Bytes, l.Messages = 1, 1<<10, 6
		}, 16 << 10},
		{"UDP", func(t *testing.T, l *board.Lab) verbs.Bus { return udpHost(t, l, hostnet.Options{}).Bus }, func(l *program.Limits) {
			l.Connections, l.Bytes, l.Messages = 2, 4<<10, 16
		}, 1 << 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := open(t, verilated, board.Options{})
			d, err := small()
			require.NoError(t, err)
			limits := program.LimitsOf(d.Core())
			c.shrink(&limits)
			limits.Timeout += 3 // answers take longer here
			work := program.Random(hdltest.Seed(t), limits)
			for seed := hdltest.Seed(t); memory(work) > c.memory; seed++ {
				work = program.Random(seed, limits)
			}
			watch := monitor.New()
			peer, err := board.NewPeer(l, hdltest.Seed(t), wire.Faults{}, watch.Tap)
			require.NoError(t, err)
			mac, ip := ours(0)
			hosts := [2]program.Host{
				{Device: device(t, c.bus(t, l), mac), MAC: mac, IPv4: ip, IPv6: netip.MustParseAddr("fd00::1"), Retries: true},
				{Device: device(t, peer, peer.MAC), MAC: peer.MAC, IPv4: peer.IPv4, IPv6: netip.MustParseAddr("fd00::2"), Retries: true},
			}
			_, err = program.Run(ctx, work, hosts, program.Options{Watch: watch})
			require.NoError(t, err)
			require.NoError(t, hosts[0].Device.Close(ctx))
			require.NoError(t, peer.CheckGuards())
		})
	}
}

// memory is what the regions of the first host of a program take, pages and alignment included.
func memory(p program.Program) int {
	most := 0
	for _, act := range p.Acts {
		n := 0
		for _, r := range act.Hosts[0].Regions {
			n += r.Length + 2*r.PageSize
		}
		most = max(most, n)
	}
	return most
}

// device opens a device with tables that fit a board's memory.
func device(t *testing.T, bus verbs.Bus, mac verbs.MAC) *verbs.Device {
	t.Helper()
	d, err := verbs.Open(ctx, bus, verbs.Config{MAC: mac, LogKeys: 8, Events: 64})
	require.NoError(t, err)
	return d
}
