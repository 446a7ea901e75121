package board

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"

	"gornic/format"
)

// Registers are those of core and board. A verbs.Bus has them.
type Registers interface {
	ReadRegister(ctx context.Context, offset uint32) (uint32, error)
	WriteRegister(ctx context.Context, offset, value uint32) error
}

// ErrNotABoard means that the registers are not those of a board that this package knows.
var ErrNotABoard = errors.New("no gornic board of a version known")

// Info says what a board is.
type Info struct {
	Name     string
	ClockKHz int    // of the core
	Memory   uint64 // bytes of host memory on the board, from bus address 0 on
	Serial   bool   // a host reaches it over a serial line
	UDP      bool   // or over UDP on port 1
	Ports    int    // Ethernet ports
}

// Identify reads what the board is. It wraps [ErrNotABoard] if it is none, or its registers are of another major version.
func Identify(ctx context.Context, r Registers) (Info, error) {
	words := make([]uint32, format.BoardRegHosts/4+1)
	for i := range words {
		var err error
		if words[i], err = read(ctx, r, uint32(4*i)); err != nil {
			return Info{}, fmt.Errorf("board: identify: %w", err)
		}
		if i == format.BoardRegVersion/4 && (words[0] != format.BoardID || words[i]>>16 != format.BoardVersionMajor) {
			return Info{}, fmt.Errorf("board: identify: ID %#x, version %d.%d: %w", words[0], words[i]>>16, words[i]&0xFFFF, ErrNotABoard)
		}
	}
	at := func(offset int) uint32 { return words[offset/4] }
	hosts := at(format.BoardRegHosts)
	return Info{
		Name: name(at(format.BoardRegNameLow), at(format.BoardRegNameHigh)), ClockKHz: int(at(format.BoardRegClock)),
		Memory: uint64(at(format.BoardRegMemory)), Serial: hosts&format.BoardHostSerial != 0, UDP: hosts&format.BoardHostUDP != 0,
		Ports: int(hosts >> format.BoardHostPorts & 0xFF),
	}, nil
}

// name is that of a board as its registers have it.
func name(low, high uint32) string {
	var b strings.Builder
	for _, word := range []uint32{low, high} {
		for i := range 4 {
			if c := byte(word >> (8 * i)); c != 0 {
				b.WriteByte(c)
			}
		}
	}
	return b.String()
}

// read reads a register of the board, by its offset in their part.
func read(ctx context.Context, r Registers, offset uint32) (uint32, error) {
	return r.ReadRegister(ctx, format.BoardRegisterBase+offset)
}

func write(ctx context.Context, r Registers, offset, value uint32) error {
	return r.WriteRegister(ctx, format.BoardRegisterBase+offset, value)
}

// portAt is the offset of a register of a port.
func portAt(port int, offset uint32) (uint32, error) {
	if port < 0 || port >= format.BoardPorts {
		return 0, fmt.Errorf("board: port %d: not 0 to %d", port, format.BoardPorts-1)
	}
	return format.BoardRegPort + uint32(port)*format.BoardPortBytes + offset, nil
}

// readPort reads a register of a port.
func readPort(ctx context.Context, r Registers, port int, offset uint32) (uint32, error) {
	at, err := portAt(port, offset)
	if err != nil {
		return 0, err
	}
	v, err := read(ctx, r, at)
	if err != nil {
		return 0, fmt.Errorf("board: port %d: %w", port, err)
	}
	return v, nil
}

func writePort(ctx context.Context, r Registers, port int, offset, value uint32) error {
	at, err := portAt(port, offset)
	if err != nil {
		return err
	}
	if err := write(ctx, r, at, value); err != nil {
		return fmt.Errorf("board: port %d: %w", port, err)
	}
	return nil
}

// MAC returns the MAC address at which a port answers ARP and ping. That of the NIC itself is in the core's registers: a driver
// keeps the two of port 0 equal.
func MAC(ctx context.Context, r Registers, port int) (net.HardwareAddr, error) {
	low, err := readPort(ctx, r, port, format.BoardPortMACLow)
	if err != nil {
		return nil, err
	}
	high, err := readPort(ctx, r, port, format.BoardPortMACHigh)
	if err != nil {
		return nil, err
	}
	return net.HardwareAddr{byte(high >> 8), byte(high), byte(low >> 24), byte(low >> 16), byte(low >> 8), byte(low)}, nil
}

// SetMAC sets it.
func SetMAC(ctx context.Context, r Registers, port int, mac net.HardwareAddr) error {
	if len(mac) != 6 {
		return fmt.Errorf("board: a MAC address of %d bytes", len(mac))
	}
	low := uint32(mac[2])<<24 | uint32(mac[3])<<16 | uint32(mac[4])<<8 | uint32(mac[5])
	if err := writePort(ctx, r, port, format.BoardPortMACLow, low); err != nil {
		return err
	}
	return writePort(ctx, r, port, format.BoardPortMACHigh, uint32(mac[0])<<8|uint32(mac[1]))
}

// IPv4 returns the address at which a port answers ARP and ping.
func IPv4(ctx context.Context, r Registers, port int) (netip.Addr, error) {
	v, err := readPort(ctx, r, port, format.BoardPortIPv4)
	return netip.AddrFrom4([4]byte{byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)}), err
}

// SetIPv4 sets it.
func SetIPv4(ctx context.Context, r Registers, port int, addr netip.Addr) error {
	if !addr.Is4() {
		return fmt.Errorf("board: %v is no IPv4 address", addr)
	}
	b := addr.As4()
	return writePort(ctx, r, port, format.BoardPortIPv4, uint32(b[0])<<24|uint32(b[1])<<16|uint32(b[2])<<8|uint32(b[3]))
}

// Link is what the PHY of a port says.
type Link struct {
	Up     bool
	Mbps   int // 10, 100 or 1000; 0: not known
	Duplex bool
}

// LinkOf reads the state of a port's link.
func LinkOf(ctx context.Context, r Registers, port int) (Link, error) {
	v, err := readPort(ctx, r, port, format.BoardPortLink)
	if err != nil {
		return Link{}, err
	}
	speeds := [4]int{10, 100, 1000, 0}
	return Link{Up: v&format.BoardLinkUp != 0, Mbps: speeds[v>>format.BoardLinkSpeed&3], Duplex: v&format.BoardLinkDuplex != 0}, nil
}

// Counter reads a counter of the board, which wraps at 2^32.
func Counter(ctx context.Context, r Registers, c format.BoardCounter) (uint32, error) {
	if c < 0 || int(c) >= format.BoardCounterCount {
		return 0, fmt.Errorf("board: there is no %v", c)
	}
	v, err := read(ctx, r, format.BoardRegCounters+4*uint32(c))
	if err != nil {
		return 0, fmt.Errorf("board: %v: %w", c, err)
	}
	return v, nil
}

// Reset resets the board, a little after the answer to that. Whoever has it open has to open it again.
func Reset(ctx context.Context, r Registers) error {
	if err := write(ctx, r, format.BoardRegReset, format.BoardResetKey); err != nil {
		return fmt.Errorf("board: reset: %w", err)
	}
	return nil
}
