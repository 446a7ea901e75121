package verbs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"

	"gornic/verbs/board"
	"gornic/verbs/hostnet"
	"gornic/verbs/serial"
)

// DefaultBaud is the speed of a serial line whose name has none: that of boards after reset.
const DefaultBaud = 115200

// OpenDevice opens a board by the line that it is reached over:
//
//	serial:/dev/ttyUSB0               a serial line; shared memory is on the board
//	serial:/dev/ttyUSB0?baud=1000000  the same at another speed, which the board was built for
//	udp:192.168.2.50                  the board's second Ethernet port; shared memory is in this process
//
// A Config without a MAC address takes the one that the board has for port 0; one with it sets the board's, too, so that ARP names
// the address that the NIC has. Where shared memory is on the board, what Config leaves open is chosen small. [Device.Close] closes
// the line. Errors wrap [ErrInvalid] for a name that is none, what verbs/serial, verbs/hostnet and verbs/board return, or
// what [Open] does.
func OpenDevice(ctx context.Context, name string, c Config) (*Device, error) {
	d, err := lines{
		serial: func(ctx context.Context, device string, baud int) (lineBus, error) {
			return serial.Open(ctx, device, baud)
		},
		udp: func(ctx context.Context, host string) (lineBus, error) { return hostnet.Dial(ctx, host) },
	}.open(ctx, name, c)
	if err != nil {
		return nil, fmt.Errorf("verbs: open %q: %w", name, err)
	}
	return d, nil
}

// lineBus is a bus over a line, which can be closed.
type lineBus interface {
	Bus
	io.Closer
}

// lines opens lines of each kind.
type lines struct {
	serial func(ctx context.Context, device string, baud int) (lineBus, error)
	udp    func(ctx context.Context, host string) (lineBus, error)
}

func (l lines) open(ctx context.Context, name string, c Config) (*Device, error) {
	bus, err := l.dial(ctx, name)
	if err != nil {
		return nil, err
	}
	d, err := openBoard(ctx, bus, c)
	if err != nil {
		return nil, errors.Join(err, bus.Close())
	}
	d.line = bus
	return d, nil
}

// dial opens the line that a name names.
func (l lines) dial(ctx context.Context, name string) (lineBus, error) {
	kind, rest, _ := strings.Cut(name, ":")
	switch {
	case kind != "serial" && kind != "udp":
		return nil, invalid("a device is serial:DEVICE, serial:DEVICE?baud=N or udp:HOST")
	case rest == "":
		return nil, invalid("nothing behind %s:", kind)
	case kind == "udp":
		return l.udp(ctx, rest)
	}
	device, baud, err := serialName(rest)
	if err != nil {
		return nil, err
	}
	return l.serial(ctx, device, baud)
}

// serialName takes DEVICE?baud=N apart.
func serialName(s string) (device string, baud int, err error) {
	device, query, has := strings.Cut(s, "?")
	if !has {
		return device, DefaultBaud, nil
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return "", 0, invalid("%q: %v", query, err)
	}
	baud, err = strconv.Atoi(values.Get("baud"))
	if err != nil || baud < 1 || len(values) != 1 || len(values["baud"]) != 1 {
		return "", 0, invalid("%q: the one setting of a serial line is baud=N", query)
	}
	return device, baud, nil
}

// smallEvents is how many events a device gets whose shared memory is on the board.
const smallEvents = 64

// openBoard opens the device of a board, with what its Config leaves open fit for that.
func openBoard(ctx context.Context, bus Bus, c Config) (*Device, error) {
	if small, ok := bus.(interface{ LogKeys() int }); ok {
		if c.LogKeys == 0 {
			c.LogKeys = small.LogKeys()
		}
		if c.Events == 0 {
			c.Events = smallEvents
		}
	}
	if c.MAC == (MAC{}) {
		mac, err := board.MAC(ctx, bus, 0)
		if err != nil {
			return nil, err
		}
		copy(c.MAC[:], mac)
	} else if err := board.SetMAC(ctx, bus, 0, c.MAC[:]); err != nil {
		return nil, err
	}
	return Open(ctx, bus, c)
}
