package verbs_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/golden/lab"
	"gornic/verbs"
)

// onBoard is a reference NIC with the registers of a board around it.
type onBoard struct {
	verbs.Bus
	board  map[uint32]uint32
	closed int
}

func newOnBoard(t *testing.T) *onBoard {
	hosts := must(lab.New(lab.Options{Seed: 1}))
	t.Cleanup(func() { require.NoError(t, hosts.CheckGuards()) })
	at := uint32(format.BoardRegisterBase + format.BoardRegPort)
	return &onBoard{Bus: hosts.A, board: map[uint32]uint32{at + format.BoardPortMACLow: 0x6F726E01, at + format.BoardPortMACHigh: 0x0267}}
}

func (b *onBoard) ReadRegister(ctx context.Context, offset uint32) (uint32, error) {
	if offset >= format.BoardRegisterBase {
		return b.board[offset], nil
	}
	return b.Bus.ReadRegister(ctx, offset)
}

func (b *onBoard) WriteRegister(ctx context.Context, offset, value uint32) error {
	if offset >= format.BoardRegisterBase {
		b.board[offset] = value
		return nil
	}
	return b.Bus.WriteRegister(ctx, offset, value)
}

func (b *onBoard) Close() error {
	b.closed++
	return nil
}

// smallBoard has shared memory of its own, and little.
type smallBoard struct{ *onBoard }

func (smallBoard) LogKeys() int { return 4 }

// Names are taken apart, and what is wrong with one is told.
func TestDeviceNames(t *testing.T) {
	reached := errors.New("reached")
	for name, want := range map[string]string{
		"serial:/dev/ttyUSB0":              "serial /dev/ttyUSB0 115200",
		"serial:/dev/ttyUSB0?baud=1000000": "serial /dev/ttyUSB0 1000000",
		"serial:COM3":                      "serial COM3 115200",
		"udp:192.168.2.50":                 "udp 192.168.2.50",
		"udp:board.example:4791":           "udp board.example:4791",
		"":                                 "a device is serial:DEVICE",
		"/dev/ttyUSB0":                     "a device is serial:DEVICE",
		"tcp:host":                         "a device is serial:DEVICE",
		"serial:":                          "nothing behind serial:",
		"udp:":                             "nothing behind udp:",
		"serial:x?baud=fast":               "the one setting of a serial line is baud=N",
		"serial:x?baud=0":                  "the one setting of a serial line is baud=N",
		"serial:x?baud=1&parity=odd":       "the one setting of a serial line is baud=N",
		"serial:x?baud=1&baud=2":           "the one setting of a serial line is baud=N",
		"serial:x?%zz":                     "invalid URL escape",
	} {
		_, err := verbs.OpenDeviceBy(ctx, name, verbs.Config{},
			func(device string, baud int) (verbs.LineBus, error) {
				return nil, fmt.Errorf("serial %s %d: %w", device, baud, reached)
			},
			func(host string) (verbs.LineBus, error) { return nil, fmt.Errorf("udp %s: %w", host, reached) })
		require.ErrorContains(t, err, want, name)
		require.True(t, errors.Is(err, reached) != errors.Is(err, verbs.ErrInvalid), name)
	}
	_, err := verbs.OpenDevice(ctx, "serial:/dev/there-is-no-such-line", verbs.Config{})
	require.ErrorContains(t, err, `verbs: open "serial:/dev/there-is-no-such-line"`)
}

// A device of a board has its MAC address, or gives it its own, and takes its line along when it is closed.
func TestDeviceOfABoard(t *testing.T) {
	b := newOnBoard(t)
	udp := func(string) (verbs.LineBus, error) { return b, nil }
	d, err := verbs.OpenDeviceBy(ctx, "udp:host", verbs.Config{}, nil, udp)
	require.NoError(t, err)
	mac := must(verbs.ParseMAC("02:67:6f:72:6e:01"))
	require.Equal(t, mac, d.Attr().MAC)
	require.NoError(t, d.Close(ctx))
	require.NoError(t, d.Close(ctx))
	require.Equal(t, 1, b.closed)

	mac[5] = 9
	d, err = verbs.OpenDeviceBy(ctx, "udp:host", verbs.Config{MAC: mac}, nil, udp)
	require.NoError(t, err)
	require.EqualValues(t, 0x6F726E09, b.board[format.BoardRegisterBase+format.BoardRegPort])
	require.NoError(t, d.Close(ctx))

	_, err = verbs.OpenDeviceBy(ctx, "udp:host", verbs.Config{LogKeys: 99}, nil, udp)
	require.ErrorIs(t, err, verbs.ErrInvalid)
	require.Equal(t, 3, b.closed)
}

// Where shared memory is on the board, the key table is as small as the board says.
func TestDeviceOfASmallBoard(t *testing.T) {
	b := newOnBoard(t)
	d, err := verbs.OpenDeviceBy(ctx, "serial:x", verbs.Config{}, func(string, int) (verbs.LineBus, error) { return smallBoard{b}, nil }, nil)
	require.NoError(t, err)
	log, err := b.ReadRegister(ctx, format.RegKeyLogSize)
	require.NoError(t, err)
	require.EqualValues(t, 4, log)
	require.NoError(t, d.Close(ctx))
}
