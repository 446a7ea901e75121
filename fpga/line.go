package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"gornic/format"
	"gornic/fpga/pingpong"
	"gornic/verbs"
	"gornic/verbs/board"
	"gornic/verbs/hostnet"
	"gornic/verbs/serial"
)

// lineFlag is how a board is reached.
func lineFlag(flags *flag.FlagSet) *string {
	return flags.String("line", "serial:/dev/ttyUSB0", "`line` to the board: serial:DEVICE, serial:DEVICE?baud=N or udp:ADDRESS")
}

func infoCommand(flags *flag.FlagSet) func(context.Context, io.Writer, io.Writer) error {
	line := lineFlag(flags)
	return func(ctx context.Context, stdout, _ io.Writer) error {
		return withBoard(ctx, *line, func(r board.Registers) error { return info(ctx, r, stdout) })
	}
}

// info prints what a board says of itself.
func info(ctx context.Context, r board.Registers, w io.Writer) error {
	i, err := board.Identify(ctx, r)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s: core at %.4g MHz, %d KiB of memory, %d ports\n", i.Name, float64(i.ClockKHz)/1e3, i.Memory>>10, i.Ports)
	for port := range i.Ports {
		mac, err := board.MAC(ctx, r, port)
		if err != nil {
			return err
		}
		address, err := board.IPv4(ctx, r, port)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "port %d: %v, %v\n", port, mac, address)
	}
	for c := range format.BoardCounter(format.BoardCounterCount) {
		n, err := board.Counter(ctx, r, c)
		if err != nil {
			return err
		}
		if n != 0 {
			fmt.Fprintf(w, "  %-32v %d\n", c, n)
		}
	}
	return nil
}

// withBoard opens the registers of a board, which has them on every line.
func withBoard(ctx context.Context, line string, do func(board.Registers) error) (err error) {
	kind, rest, _ := strings.Cut(line, ":")
	var bus interface {
		board.Registers
		io.Closer
	}
	switch kind {
	case "udp":
		bus, err = hostnet.Dial(ctx, rest)
	case "serial":
		device, rate, found := strings.Cut(rest, "?baud=")
		baud := verbs.DefaultBaud
		if found {
			if baud, err = strconv.Atoi(rate); err != nil {
				return &argumentError{fmt.Errorf("-line %s: %w", line, err)}
			}
		}
		bus, err = serial.Open(ctx, device, baud)
	default:
		return &argumentError{fmt.Errorf("-line %q is neither serial:DEVICE nor udp:ADDRESS", line)}
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bus.Close()) }()
	return do(bus)
}

func scanCommand(flags *flag.FlagSet) func(context.Context, io.Writer, io.Writer) error {
	line := lineFlag(flags)
	port := flags.Int("port", 0, "the Ethernet `port`")
	step := flags.Int("step", 4, "`taps` of 25 ps from one that is tried to the next")
	each := flags.Duration("each", time.Second, "how long to listen at each tap")
	return func(ctx context.Context, stdout, _ io.Writer) error {
		o := board.ScanOptions{Step: *step, Frames: 10, Traffic: func(ctx context.Context) error { return sleep(ctx, *each) }}
		return withBoard(ctx, *line, func(r board.Registers) error { return scan(ctx, r, *port, o, stdout) })
	}
}

// sleep waits while the peer sends: for long pings, say.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// scan tries the delays of a port and sets the best.
func scan(ctx context.Context, r board.Registers, port int, o board.ScanOptions, w io.Writer) error {
	o.Progress = func(t board.Tap) { fmt.Fprintf(w, "tap %3d: %4d good, %4d bad\n", t.Tap, t.Good, t.Bad) }
	eye, err := board.Scan(ctx, r, port, o)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "good from tap %d to %d, set to %d: RxDelay of fpga/board\n", eye.First, eye.Last, eye.Set)
	return nil
}

func pingpongCommand(flags *flag.FlagSet) func(context.Context, io.Writer, io.Writer) error {
	line := lineFlag(flags)
	peer := flags.String("peer", "", "`host` that runs ibv_rc_pingpong without an argument (default: wait for one that is told this host)")
	tcp := flags.Int("tcp", 18515, "TCP `port` on which the ends tell each other their queue pairs")
	mac := flags.String("mac", "", "`MAC` address of the peer's RDMA interface")
	address := flags.String("address", "192.168.1.50", "IPv4 `address` of the board's port 0")
	var o pingpong.Options
	flags.IntVar(&o.Size, "size", 4096, "bytes of a message")
	flags.IntVar(&o.Messages, "n", 1000, "messages each way")
	mtu := flags.Int("mtu", 1024, "path MTU in `bytes`")
	return func(ctx context.Context, stdout, stderr io.Writer) error {
		hardware, err := net.ParseMAC(*mac)
		if err != nil || len(hardware) != 6 {
			return &argumentError{fmt.Errorf("-mac %q is no MAC address", *mac)}
		}
		o.PeerMAC, o.Server = verbs.MAC(hardware), *peer == ""
		if o.IPv4, err = netip.ParseAddr(*address); err != nil {
			return &argumentError{fmt.Errorf("-address: %w", err)}
		}
		if o.MTU, err = pathMTU(*mtu); err != nil {
			return &argumentError{err}
		}
		return play(ctx, *line, *peer, *tcp, o, stdout)
	}
}

// play plays with a peer over a board.
func play(ctx context.Context, line, peer string, tcp int, o pingpong.Options, w io.Writer) (err error) {
	d, err := verbs.OpenDevice(ctx, line, verbs.Config{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close(context.WithoutCancel(ctx))) }()
	wire, err := meet(ctx, peer, tcp)
	if err != nil {
		return err
	}
	defer wire.Close()
	stop := context.AfterFunc(ctx, func() { wire.Close() }) // ends a wait for the peer
	defer stop()
	r, err := pingpong.Run(ctx, d, wire, o)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(w, r)
	return err
}

// meet connects to the peer, or waits for it where there is none.
func meet(ctx context.Context, peer string, tcp int) (net.Conn, error) {
	if peer != "" {
		var dialer net.Dialer
		return dialer.DialContext(ctx, "tcp", net.JoinHostPort(peer, strconv.Itoa(tcp)))
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", ":"+strconv.Itoa(tcp))
	if err != nil {
		return nil, err
	}
	defer listener.Close()
	stop := context.AfterFunc(ctx, func() { listener.Close() })
	defer stop()
	return listener.Accept()
}

func pathMTU(bytes int) (verbs.MTU, error) {
	for _, mtu := range []verbs.MTU{verbs.MTU256, verbs.MTU512, verbs.MTU1024, verbs.MTU2048, verbs.MTU4096} {
		if mtu.Bytes() == bytes {
			return mtu, nil
		}
	}
	return 0, fmt.Errorf("-mtu %d: a path has 256, 512, 1024, 2048 or 4096 bytes", bytes)
}
