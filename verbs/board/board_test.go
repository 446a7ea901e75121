package board_test

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/verbs/board"
)

// model is the registers of a board whose port 1 receives well from tap open to tap shut, with a hole.
type model struct {
	words      map[uint32]uint32
	open, shut int
	hole       int
	fails      error // of every access
}

func newModel() *model {
	m := &model{words: map[uint32]uint32{}, open: 40, shut: 100, hole: 50}
	for offset, v := range map[uint32]uint32{
		format.BoardRegID: format.BoardID, format.BoardRegVersion: format.BoardVersionMajor << 16, format.BoardRegNameLow: 'i' | '9'<<8,
		format.BoardRegNameHigh: 0, format.BoardRegClock: 62500, format.BoardRegMemory: 65536, format.BoardRegHosts: 0x203,
		format.BoardRegReset: 0,
	} {
		m.words[format.BoardRegisterBase+offset] = v
	}
	for p := range uint32(2) {
		for at := uint32(0); at <= format.BoardPortLink; at += 4 {
			m.words[format.BoardRegisterBase+format.BoardRegPort+p*format.BoardPortBytes+at] = 0
		}
	}
	for c := range uint32(format.BoardCounterCount) {
		m.words[format.BoardRegisterBase+format.BoardRegCounters+4*c] = 0xFFFFFFF0 // about to wrap
	}
	return m
}

var errNone = errors.New("no such register")

func (m *model) ReadRegister(_ context.Context, offset uint32) (uint32, error) {
	v, ok := m.words[offset]
	if !ok {
		return 0, errNone
	}
	return v, m.fails
}

func (m *model) WriteRegister(_ context.Context, offset, value uint32) error {
	if _, ok := m.words[offset]; !ok {
		return errNone
	}
	if m.fails == nil {
		m.words[offset] = value
	}
	return m.fails
}

const delayOf1 = format.BoardRegisterBase + format.BoardRegPort + format.BoardPortBytes + format.BoardPortRxDelay

// traffic is a hundred frames from a peer of port 1.
func (m *model) traffic(context.Context) error {
	count := func(c format.BoardCounter, n uint32) {
		m.words[format.BoardRegisterBase+format.BoardRegCounters+4*uint32(c)] += n
	}
	tap := int(m.words[delayOf1])
	count(format.BoardRxFrames, 7) // of the other port
	count(format.BoardRxBadFCS, 7)
	switch {
	case tap == m.hole || tap == m.open-1:
		count(format.BoardRxFrames1, 60)
		count(format.BoardRxBadFCS1, 40)
	case tap == m.shut+1:
		count(format.BoardRxFrames1, 99)
		count(format.BoardRxError1, 1)
	case tap >= m.open && tap <= m.shut:
		count(format.BoardRxFrames1, 100)
	}
	return nil
}

func TestIdentify(t *testing.T) {
	m := newModel()
	info, err := board.Identify(t.Context(), m)
	require.NoError(t, err)
	require.Equal(t, board.Info{Name: "i9", ClockKHz: 62500, Memory: 65536, Serial: true, UDP: true, Ports: 2}, info)
	m.words[format.BoardRegisterBase+format.BoardRegVersion] = 2 << 16
	_, err = board.Identify(t.Context(), m)
	require.ErrorIs(t, err, board.ErrNotABoard)
	_, err = board.Identify(t.Context(), &model{})
	require.ErrorIs(t, err, errNone)
}

func TestAddresses(t *testing.T) {
	m := newModel()
	mac := net.HardwareAddr{2, 1, 0xA, 0xB, 0xC, 0xD}
	require.NoError(t, board.SetMAC(t.Context(), m, 1, mac))
	got, err := board.MAC(t.Context(), m, 1)
	require.NoError(t, err)
	require.Equal(t, mac, got)
	require.EqualValues(t, 0x0A0B0C0D, m.words[format.BoardRegisterBase+format.BoardRegPort+format.BoardPortBytes])
	ip := netip.MustParseAddr("192.168.7.9")
	require.NoError(t, board.SetIPv4(t.Context(), m, 0, ip))
	is, err := board.IPv4(t.Context(), m, 0)
	require.NoError(t, err)
	require.Equal(t, ip, is)
	require.Error(t, board.SetIPv4(t.Context(), m, 0, netip.MustParseAddr("::1")))
	require.Error(t, board.SetMAC(t.Context(), m, 0, mac[:5]))
	_, err = board.MAC(t.Context(), m, 2)
	require.ErrorContains(t, err, "port 2")
	m.words[format.BoardRegisterBase+format.BoardRegPort+format.BoardPortLink] = 0xD
	link, err := board.LinkOf(t.Context(), m, 0)
	require.NoError(t, err)
	require.Equal(t, board.Link{Up: true, Mbps: 1000, Duplex: true}, link)
	require.NoError(t, board.Reset(t.Context(), m))
	require.EqualValues(t, format.BoardResetKey, m.words[format.BoardRegisterBase+format.BoardRegReset])
	_, err = board.Counter(t.Context(), m, format.BoardCounter(format.BoardCounterCount))
	require.ErrorContains(t, err, "there is no board counter")
}

// The longest run of taps without a fault is found, and its middle is set; a tap with one bad frame in
// a hundred is not in it.
func TestScan(t *testing.T) {
	m := newModel()
	seen := 0
	eye, err := board.Scan(t.Context(), m, 1, board.ScanOptions{Traffic: m.traffic, Frames: 50, Progress: func(board.Tap) { seen++ }})
	require.NoError(t, err)
	require.Equal(t, 128, seen)
	require.Equal(t, []int{51, 100, 75}, []int{eye.First, eye.Last, eye.Set})
	require.EqualValues(t, 75, m.words[delayOf1])
	require.Equal(t, board.Tap{Tap: 101, Good: 99, Bad: 1}, eye.Taps[101])
	var text strings.Builder
	require.NoError(t, eye.Print(&text))
	require.Equal(t, strings.Repeat(".", 39)+"x"+strings.Repeat("#", 10)+"x"+strings.Repeat("#", 50)+"x"+strings.Repeat(".", 26)+
		"\ngood from tap 51 to 100, 1225 ps wide; 75 is set (1875 ps)\n", text.String())
}

// Where there is no eye, or something fails, the delay is what it was.
func TestScanRestores(t *testing.T) {
	m := newModel()
	m.words[delayOf1] = 33
	m.open, m.shut, m.hole = 200, 200, 200
	eye, err := board.Scan(t.Context(), m, 1, board.ScanOptions{Traffic: m.traffic, Step: 8})
	require.ErrorIs(t, err, board.ErrNoEye)
	require.Len(t, eye.Taps, 16)
	require.Equal(t, []int{-1, -1, 33}, []int{eye.First, eye.Last, eye.Set})
	require.EqualValues(t, 33, m.words[delayOf1])

	broken := errors.New("cable")
	_, err = board.Scan(t.Context(), m, 1, board.ScanOptions{Traffic: func(context.Context) error { return broken }, First: 5})
	require.ErrorIs(t, err, broken)
	require.ErrorContains(t, err, "port 1, tap 5")
	require.EqualValues(t, 33, m.words[delayOf1])

	ctx, cancel := context.WithCancel(t.Context())
	_, err = board.Scan(ctx, m, 1, board.ScanOptions{Traffic: func(ctx context.Context) error { cancel(); return ctx.Err() }})
	require.ErrorIs(t, err, context.Canceled)
	require.EqualValues(t, 33, m.words[delayOf1])

	m.fails = broken
	_, err = board.Scan(t.Context(), m, 1, board.ScanOptions{Traffic: m.traffic})
	require.ErrorIs(t, err, broken)
	for _, o := range []board.ScanOptions{{}, {Traffic: m.traffic, First: 128}, {Traffic: m.traffic, Last: 128}, {Traffic: m.traffic, First: -1}} {
		_, err = board.Scan(t.Context(), m, 1, o)
		require.ErrorContains(t, err, "scan of taps")
	}
}

func ExampleScan() {
	m := newModel()
	eye, err := board.Scan(context.Background(), m, 1, board.ScanOptions{Traffic: m.traffic, Step: 4})
	if err != nil {
		return
	}
	_ = eye.Print(os.Stdout)
	// Output:
	// ..........################......
	// good from tap 40 to 100, 1500 ps wide; 70 is set (1750 ps)
}
