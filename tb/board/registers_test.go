package board_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	boards "gornic/fpga/board"
	"gornic/tb/board"
)

// The registers tell which board it is and what it has.
func TestRegisters(t *testing.T) {
	h, b := serialHost(t, open(t, verilated, board.Options{})), boards.I9()
	require.EqualValues(t, format.BoardID, h.register(t, format.BoardRegID))
	require.EqualValues(t, 'i'|'9'<<8, h.register(t, format.BoardRegNameLow))
	require.EqualValues(t, 62500, h.register(t, format.BoardRegClock))
	require.EqualValues(t, b.HostMemory, h.register(t, format.BoardRegMemory))
}

// What the registers set is set: addresses at which the board answers, delays at the pads, LEDs. What they show of links is
// what the PHYs say.
func TestSettings(t *testing.T) {
	l := open(t, verilated, board.Options{})
	h := serialHost(t, l)
	for port := range uint32(2) {
		base := format.BoardRegPort + port*format.BoardPortBytes
		require.EqualValues(t, format.BoardLinkUp|2<<format.BoardLinkSpeed|format.BoardLinkDuplex, h.register(t, base+format.BoardPortLink))
		require.EqualValues(t, 80, h.register(t, base+format.BoardPortRxDelay))
		require.EqualValues(t, 80, l.RxDelay(int(port)))
		h.set(t, base+format.BoardPortRxDelay, 17+port)
		require.NoError(t, l.Run(10))
		require.EqualValues(t, 17+port, l.RxDelay(int(port)))

		s := at(l, int(port))
		resolve(t, l, s, int(port))
		h.set(t, base+format.BoardPortIPv4, 0) // nobody is there
		_, ip := ours(int(port))
		require.NoError(t, s.Ping(ip, 1, 1, nil))
		require.NoError(t, l.Run(5000))
		require.Empty(t, s.Echoes())
	}
	h.set(t, format.BoardRegLEDs, 0xFF01)
	require.NoError(t, l.Run(10))
	require.EqualValues(t, 1, l.LEDs())
	h.set(t, format.BoardRegLEDs, 0xFF00)
	require.NoError(t, l.Run(10))
	require.Zero(t, l.LEDs())
}
