package monitor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/tb/wire"
	"gornic/tb/wire/monitor"
)

// A packet that is sent again may ask for an acknowledgement where it did not, or the other way round.
func TestAgainWithAckReq(t *testing.T) {
	asks := first(0)
	asks.a = 1
	require.NoError(t, watch(t, []step{first(0), last(1), asks, last(1), first(0), last(1)}).Err())
}

// Bits that nobody looks at may flip; others make a packet a lost one.
func TestFlips(t *testing.T) {
	for at, arrives := range map[int]bool{0: true, 14 + 8: true, 14 + 12: false, 14 + 20 + 8 + 3: false, 14 + 20 + 8 + 4: true} { // MAC, TTL, address, P_Key, the byte of BECN
		c := only(0).crossing(t, 1)
		c.Action = wire.Flip
		c.Arriving = append([]byte(nil), c.Frame...)
		if c.Arriving[at] ^= 1; at == 14+8 {
			c.Arriving[14+11]-- // the checksum of the header, too, as three flips may
		}
		m := watch(t, nil)
		m.Tap(c)
		require.NoError(t, m.Err())
		m.Tap(ack(0, 1).crossing(t, 2))
		require.Equal(t, arrives, m.Err() == nil, "byte %d: %v", at, m.Err())
	}
}

// Who may give up owes no acknowledgement at the end.
func TestFinishWhoFails(t *testing.T) {
	m := monitor.New()
	m.Add(monitor.Connection{QPN: [2]uint32{qpnA, qpnB}, PSN: [2]uint32{psnA, psnB}, PathMTU: 256, Fails: true})
	m.Tap(only(0).lost().crossing(t, 1))
	require.NoError(t, m.Finish())
}

// Tries counts a packet that is sent again as long as nothing before it is owed, and RNR NAKs that arrive.
func TestTries(t *testing.T) {
	m := watch(t, []step{
		only(0), only(1), only(0), only(1), only(0), only(1), ack(0, 1), answer(1, 0x21, 1), only(1), answer(1, 0x21, 1).lost(), only(1), answer(1, 0x21, 1), answer(1, 0x21, 1),
	})
	require.NoError(t, m.Err())
	const first, second = psnA, psnA + 1
	require.Equal(t, monitor.Tries{Resent: 2}, m.Tries(wire.AToB, qpnB, first, 1))
	require.Equal(t, monitor.Tries{Resent: 2, NotReady: 3, Waits: 2}, m.Tries(wire.AToB, qpnB, second, 1))
	require.Equal(t, monitor.Tries{Resent: 2, NotReady: 3, Waits: 2}, m.Tries(wire.AToB, qpnB, first, 9))
	require.Zero(t, m.Tries(wire.BToA, qpnB, first, 1))
	require.Zero(t, m.Tries(wire.AToB, qpnB, 7, 1))
}

// A packet that is sent again while its ACK comes in may have another payload: software may have its buffer back.
func TestPayloadBehindAcknowledgement(t *testing.T) {
	other := only(0)
	other.damage = payload
	require.ErrorContains(t, watch(t, []step{only(0), other}).Err(), "another payload")
	require.ErrorContains(t, watch(t, []step{only(0), ack(0, 1).lost(), other}).Err(), "another payload")
	require.NoError(t, watch(t, []step{only(0), ack(0, 1), other}).Err())
}
