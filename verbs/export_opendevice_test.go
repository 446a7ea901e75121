package verbs

import (
	"context"
	"io"
)

// LineBus is lineBus, for tests.
type LineBus interface {
	Bus
	io.Closer
}

// OpenDeviceBy is OpenDevice with lines of a test.
func OpenDeviceBy(
	ctx context.Context, name string, c Config,
	serial func(device string, baud int) (LineBus, error), udp func(host string) (LineBus, error),
) (*Device, error) {
	return lines{
		serial: func(_ context.Context, device string, baud int) (lineBus, error) { return serial(device, baud) },
		udp:    func(_ context.Context, host string) (lineBus, error) { return udp(host) },
	}.open(ctx, name, c)
}
