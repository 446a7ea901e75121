package hostnet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"syscall"
	"time"

	"gornic/format"
)

// Conn carries datagrams between the program and one board. It may lose, double and reorder them. Send and Receive may
// run at the same time, in two goroutines; no two of either.
type Conn interface {
	Send(b []byte) error
	// Receive waits for a datagram until Now is until, and returns its length; os.ErrDeadlineExceeded if none came.
	// One that is longer than b may be cut.
	Receive(b []byte, until time.Duration) (int, error)
	// Now is the time since some moment: of a simulation, its own.
	Now() time.Duration
	Close() error
}

// socketBytes is how much of what comes the system is asked to keep: some windows of a board.
const socketBytes = 1 << 20

// udpConn is a Conn over UDP.
type udpConn struct {
	*net.UDPConn
	start time.Time
}

// Dial opens the board at a host: a name or an IPv4 address, with a port or without. It returns when the board has
// answered, and has no other session any more. The errors are those of [Open], and of the network.
func Dial(ctx context.Context, host string) (*Bus, error) {
	if _, _, err := net.SplitHostPort(host); err != nil {
		host = net.JoinHostPort(host, strconv.Itoa(format.HostnetPort))
	}
	var d net.Dialer
	c, err := d.DialContext(ctx, "udp4", host)
	if err != nil {
		return nil, fmt.Errorf("hostnet: %w", err)
	}
	conn := &udpConn{UDPConn: c.(*net.UDPConn), start: time.Now()}
	_ = conn.SetReadBuffer(socketBytes) // a smaller one works, too
	bus, err := Open(ctx, conn, Options{})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", host, err), conn.Close())
	}
	return bus, nil
}

func (c *udpConn) Now() time.Duration { return time.Since(c.start) }

// Send sends a datagram. That nobody listens there is no error: the board may come.
func (c *udpConn) Send(b []byte) error {
	if _, err := c.Write(b); err != nil && !errors.Is(err, syscall.ECONNREFUSED) {
		return err
	}
	return nil
}

func (c *udpConn) Receive(b []byte, until time.Duration) (int, error) {
	if err := c.SetReadDeadline(c.start.Add(until)); err != nil {
		return 0, err
	}
	for {
		n, err := c.Read(b)
		switch {
		case err == nil:
			return n, nil
		case errors.Is(err, syscall.ECONNREFUSED): // of an earlier Send
		case errors.Is(err, os.ErrDeadlineExceeded):
			return 0, os.ErrDeadlineExceeded
		default:
			return 0, err
		}
	}
}
