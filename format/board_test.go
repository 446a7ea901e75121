package format_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
)

// The registers of a board are in order, each at a place of its own below the counters.
func TestBoardRegisters(t *testing.T) {
	last, names := -1, map[string]bool{}
	for _, r := range format.BoardRegisters() {
		require.Zero(t, r.Offset%4, r.Name)
		require.Greater(t, int(r.Offset), last, r.Name)
		require.False(t, names[r.Name], r.Name)
		last, names[r.Name] = int(r.Offset), true
	}
	require.Less(t, last, format.BoardRegCounters)
	require.Equal(t, format.BoardPorts*format.BoardPortCounters, int(format.BoardSerialFraming))
}

func TestBoardCounterNames(t *testing.T) {
	require.Equal(t, "port1_rx_bad_fcs", format.BoardRxBadFCS1.String())
	require.Equal(t, "udp_lost", format.BoardUDPLost.String())
	seen := map[string]bool{}
	for c := range format.BoardCounter(format.BoardCounterCount) {
		require.False(t, seen[c.String()])
		require.False(t, strings.HasPrefix(c.String(), "board counter"))
		seen[c.String()] = true
	}
	require.Equal(t, "board counter 99", format.BoardCounter(99).String())
}

// Longer requests and answers than these there are not.
func TestSerialSizes(t *testing.T) {
	request, answer := format.Size[format.SerialRequest[uint64]](), format.Size[format.SerialAnswer[uint64]]()
	require.Equal(t, 9, request)
	require.Equal(t, 4, answer)
	require.Equal(t, request+8*format.SerialWords+4, format.SerialMostBytes)
	require.Less(t, answer, request)
	require.Equal(t, "write memory", format.SerialWriteMemory.String())
	require.Equal(t, "out of sequence", format.SerialSequence.String())
	require.Equal(t, "serial operation 99", format.SerialOp(99).String())
	hostRoundTrip[format.SerialRequest[uint64]](t)
	hostRoundTrip[format.SerialAnswer[uint64]](t)
	hostRoundTrip[format.SerialIdentity[uint64]](t)
}
