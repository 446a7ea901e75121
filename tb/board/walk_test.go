package board_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl/hdltest"
	"gornic/tb/board"
	"gornic/tb/wire"
	"gornic/tb/wire/monitor"
	"gornic/verbs"
	"gornic/verbs/hostnet"
)

// sizes of messages at a path MTU of 256 bytes: one packet and several, with any pad.
var sizes = []int{5, 300}

// W1, S1 and R1 by verbs over the serial line: the board's core against the reference on its RGMII pins, each
// of them as requester.
func TestWalkOverSerial(t *testing.T) {
	l := open(t, verilated, board.Options{})
	walkBothWays(t, l, func() *end {
		mac, ip := ours(0)
		return newEnd(t, serialHost(t, l).Bus, mac, ip)
	})
}

// The same over UDP, with queues and buffers in the PC.
func TestWalkOverUDP(t *testing.T) {
	l := open(t, verilated, board.Options{})
	walkBothWays(t, l, func() *end {
		mac, ip := ours(0)
		return newEnd(t, udpHost(t, l, hostnet.Options{}).Bus, mac, ip)
	})
}

// walkBothWays does the walks of a board whose software opens it so, and its peer.
func walkBothWays(t *testing.T, l *board.Lab, open func() *end) {
	t.Helper()
	watch := monitor.New()
	b := peerOf(t, l, wire.Faults{}, watch.Tap)
	a := open()
	connect(t, a, b)
	watch.Payloads = true
	watch.Add(monitor.Connection{QPN: [2]uint32{a.qp.QPN(), b.qp.QPN()}, PSN: firstPSN, PathMTU: verbs.MTU256.Bytes()})
	walk(t, a, b, sizes...)
	walk(t, b, a, sizes...)
	require.NoError(t, l.Run(2000))
	require.NoError(t, watch.Finish())
	for i, p := range l.Ports {
		require.Zero(t, p.Aborted(), "port %d", i)
	}
}

// A wire that loses and damages packets: what is lost is sent again, as everywhere.
func TestWalkOnLossyWire(t *testing.T) {
	l := open(t, verilated, board.Options{})
	b := peerOf(t, l, wire.Faults{Seed: hdltest.Seed(t), Rules: []wire.Rule{{Action: wire.Drop, Rate: wire.Million / 10, Attempts: 5}, {Action: wire.Flip, Rate: wire.Million / 20, Attempts: 5}}})
	mac, ip := ours(0)
	a := newEnd(t, udpHost(t, l, hostnet.Options{}).Bus, mac, ip)
	connect(t, a, b)
	walk(t, a, b, 300, 700)
	walk(t, b, a, 300, 700)
}
