package serial

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.bug.st/serial"

	"gornic/format"
)

// Open opens the board at a serial device, such as "/dev/ttyUSB0" or "COM3", of that many baud, which are those of the
// board. Errors are those of [New] and of the device.
func Open(ctx context.Context, device string, baud int) (*Bus, error) {
	port, err := serial.Open(device, &serial.Mode{BaudRate: baud, DataBits: 8, Parity: serial.NoParity, StopBits: serial.OneStopBit})
	if err != nil {
		return nil, fmt.Errorf("serial: %s at %d baud: %w", device, baud, err)
	}
	b, err := New(ctx, port, Options{Timeout: timeoutAt(baud)})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s at %d baud: %w", device, baud, err), port.Close())
	}
	return b, nil
}

// timeoutAt is in how long an answer comes that comes at all: the longest frame each way, and what USB and the system
// add.
func timeoutAt(baud int) time.Duration {
	const bits = 2 * 10 * 2 * format.SerialMostBytes // both ways, bits of a byte, each byte escaped
	return defaultTimeout + bits*time.Second/time.Duration(max(baud, 1))
}
