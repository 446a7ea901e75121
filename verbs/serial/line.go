package serial

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// Line is a serial line. Read returns what has come, at least one byte, or after the read timeout without a byte either 0 and no
// error or [os.ErrDeadlineExceeded]. Write takes all bytes.
type Line interface {
	io.ReadWriter
	SetReadTimeout(d time.Duration) error
}

// Errors of a Bus, which what its methods return wraps.
var (
	ErrTimeout  = errors.New("no answer from the board")
	ErrNotSent  = errors.New("not done, as the call before has no answer yet")
	ErrFault    = errors.New("nothing answers at that address")
	ErrSession  = errors.New("the board was reset, or somebody else uses the line")
	ErrProtocol = errors.New("the board does not keep to the protocol")
	ErrRange    = errors.New("impossible address, size or alignment")
	ErrNoRoom   = errors.New("no room in the board's memory")
)

// read returns some bytes, none if none came in time.
func read(l Line, b []byte) (int, error) {
	n, err := l.Read(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = nil
	}
	if err != nil {
		return 0, fmt.Errorf("serial: line: %w", err)
	}
	return n, nil
}
