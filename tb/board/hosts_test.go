package board_test

import (
	"cmp"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/board"
	"gornic/verbs"
	"gornic/verbs/hostnet"
	"gornic/verbs/serial"
)

// host is how a PC reaches the board.
type host struct{ verbs.Bus }

// answerTime is more than a request and its answer take on the serial line.
const answerTime = time.Millisecond

// serialHost opens the board over the serial line.
func serialHost(t *testing.T, l *board.Lab) host {
	t.Helper()
	bus, err := serial.New(ctx, l.Serial, serial.Options{Timeout: answerTime})
	require.NoError(t, err)
	return host{bus}
}

// session is the first of a PC's.
const session = 1

// udpHost opens the board over UDP, from a station on port 1.
func udpHost(t *testing.T, l *board.Lab, o hostnet.Options) host {
	t.Helper()
	_, ip := ours(1)
	s := at(l, 1)
	mac, _ := ours(1)
	s.Know(ip, mac[:])
	u, err := board.DialUDP(l, s, 40000, netip.AddrPortFrom(ip, format.HostnetPort))
	require.NoError(t, err)
	o.NoServer, o.Timeout = true, 500*time.Microsecond
	o.Session = cmp.Or(o.Session, session)
	o.Wait, o.Work = cmp.Or(o.Wait, 40*time.Microsecond), cmp.Or(o.Work, 4*time.Microsecond)
	bus, err := hostnet.Open(ctx, u, o)
	require.NoError(t, err)
	return host{bus}
}

// register reads a register of the board.
func (h host) register(t *testing.T, offset uint32) uint32 {
	t.Helper()
	v, err := h.ReadRegister(ctx, format.BoardRegisterBase+offset)
	require.NoError(t, err)
	return v
}

// counter reads a counter of the board.
func (h host) counter(t *testing.T, c format.BoardCounter) uint32 {
	t.Helper()
	return h.register(t, format.BoardRegCounters+4*uint32(c))
}

// set writes a register of the board.
func (h host) set(t *testing.T, offset, value uint32) {
	t.Helper()
	require.NoError(t, h.WriteRegister(ctx, format.BoardRegisterBase+offset, value))
}
