package board_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/tb/board"
	"gornic/tb/wire"
	"gornic/verbs"
	"gornic/verbs/hostnet"
)

// The board is reset in the middle of traffic on both ports and the serial line, many times, each time at another moment; and each
// time it is as if it had never worked before.
func TestResetInTraffic(t *testing.T) {
	l := open(t, verilated, board.Options{})
	r := rand.New(rand.NewPCG(hdltest.Seed(t), 3))
	b := peerOf(t, l, wire.Faults{})
	mac, ip := ours(0)
	for round := range 4 {
		bus := udpHost(t, l, hostnet.Options{Session: uint32(session + round)})
		a := newEnd(t, bus, mac, ip)
		b.create()
		connect(t, a, b)
		write(t, r, a, b, 1, 300)
		for id := range uint64(3) { // and then more than can be done
			require.NoError(t, a.qp.PostSend(ctx, verbs.SendWR{
				WRID: id, Opcode: verbs.WRWrite, SGL: []verbs.SGE{a.mr.SGE(0, 2000)}, RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey(),
			}))
			require.NoError(t, b.qp.PostSend(ctx, verbs.SendWR{
				WRID: id, Opcode: verbs.WRRead, SGL: []verbs.SGE{b.mr.SGE(0, 2000)}, RemoteAddr: a.mr.Addr(), RKey: a.mr.RKey(),
			}))
		}
		_, err := l.Serial.Write([]byte{0xC0, byte(format.SerialReadMemory), 1, 64, 0xFF})
		require.NoError(t, err)
		require.NoError(t, l.Run(200+r.IntN(3000)))
		require.NoError(t, l.Reset())
	}
	h := serialHost(t, l)
	require.EqualValues(t, format.BoardID, h.register(t, format.BoardRegID))
	require.Zero(t, h.counter(t, format.BoardTxAborted))
	a := newEnd(t, udpHost(t, l, hostnet.Options{Session: 100}), mac, ip)
	b.create()
	connect(t, a, b)
	walk(t, a, b, 300)
}

// Software resets the board: it has answered before it does.
func TestSoftReset(t *testing.T) {
	l := open(t, verilated, board.Options{})
	h := serialHost(t, l)
	h.set(t, format.BoardRegLEDs, 0xFF00)
	h.set(t, format.BoardRegReset, format.BoardResetKey)
	until(t, l, 10000, l.WantsReset)
	require.NoError(t, l.Reset())
	require.False(t, l.WantsReset())
	require.Zero(t, serialHost(t, l).register(t, format.BoardRegLEDs))
}
