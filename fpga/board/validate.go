package board

import (
	"errors"
	"fmt"
	"regexp"

	"gornic/configs"
	"gornic/format"
)

// nameForm is what names a file and an argument.
var nameForm = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// Block RAM for the host in bytes.
const (
	minMemory = 4 << 10
	maxMemory = 256 << 10
)

// maxDivisor is what the register of the divisor holds.
const maxDivisor = 1<<16 - 1

// Validate returns everything that is wrong with a board.
func (b Board) Validate() error {
	pll := b.PLL.validate()
	errs := []error{b.names(), b.chip(), pll, b.host(), b.pins()}
	if pll == nil { // what is counted in its cycles
		errs = append(errs, b.core(), b.serial())
	}
	for i := range b.Ports {
		errs = append(errs, b.port(i))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("board %s: %w", b.Name, err)
	}
	return nil
}

func (b Board) names() error {
	if !nameForm.MatchString(b.Name) || len(b.Name) > NameBytes {
		return fmt.Errorf("the name %q: want 1 to %d lower-case letters and digits", b.Name, NameBytes)
	}
	return nil
}

func (b Board) chip() error {
	switch {
	case b.Title == "" || b.Device == "" || b.Package == "":
		return errors.New("title, device and package must not be empty")
	case b.Speed < 6 || b.Speed > 8:
		return fmt.Errorf("speed grade %d, want 6 to 8", b.Speed)
	}
	return nil
}

func (b Board) host() error {
	switch m := b.HostMemory; {
	case b.Hosts == Hosts{}:
		return errors.New("no host reaches it")
	case len(b.Ports) != 1 && !b.Hosts.UDP, len(b.Ports) != MostPorts && b.Hosts.UDP:
		return fmt.Errorf("%d Ethernet ports, want 1, or %d with a host over UDP", len(b.Ports), MostPorts)
	case m < minMemory || m > maxMemory || m&(m-1) != 0:
		return fmt.Errorf("host memory of %d bytes, want a power of two from %d to %d", m, minMemory, maxMemory)
	}
	return nil
}

func (b Board) pins() error {
	switch {
	case b.LEDs.Count < 1 || b.LEDs.Count > 8:
		return fmt.Errorf("%d LEDs, want 1 to 8", b.LEDs.Count)
	case b.PHYResets < 1 || b.PHYResets > MostPorts:
		return fmt.Errorf("%d pins that reset PHYs, want 1 or %d", b.PHYResets, MostPorts)
	}
	return nil
}

// core checks the configuration, in which the unit of timers is in cycles.
func (b Board) core() error {
	c, err := configs.Named(b.Config)
	if err != nil {
		return err
	}
	want := (b.PLL.CoreHz()/1000*4096 + 500_000) / 1_000_000
	switch {
	case c.DataWidth != BusBits:
		return fmt.Errorf("configuration %s is %d bits wide, want %d", c.Name, c.DataWidth, BusBits)
	case c.AckTick != want:
		return fmt.Errorf("configuration %s has an ack_tick of %d: 4.096 us are %d cycles", c.Name, c.AckTick, want)
	}
	return nil
}

func (b Board) serial() error {
	if !b.Hosts.Serial {
		return nil
	}
	if b.Baud < 1 {
		return fmt.Errorf("a serial line at %d baud", b.Baud)
	}
	if d := b.Divisor(); d < format.BoardDivisorLeast || d > maxDivisor {
		return fmt.Errorf("a serial line at %d baud takes a divisor of %d, want %d to %d", b.Baud, d, format.BoardDivisorLeast, maxDivisor)
	}
	return nil
}

func (b Board) port(i int) error {
	p := b.Ports[i]
	switch {
	case p.MAC[0]&1 == 1 || p.MAC == [6]byte{}:
		return fmt.Errorf("port %d: % x is no station's MAC address", i, p.MAC)
	case !p.IPv4.Is4() || p.IPv4.IsMulticast() || p.IPv4.IsUnspecified():
		return fmt.Errorf("port %d: %v is no host's IPv4 address", i, p.IPv4)
	case i > 0 && (p.MAC == b.Ports[0].MAC || p.IPv4 == b.Ports[0].IPv4):
		return fmt.Errorf("port %d has an address of port 0", i)
	case p.RxDelay < 0 || p.RxDelay > format.BoardDelayTaps || p.TxDelay < 0 || p.TxDelay > format.BoardDelayTaps:
		return fmt.Errorf("port %d: delays of %d and %d taps, want 0 to %d", i, p.RxDelay, p.TxDelay, format.BoardDelayTaps)
	}
	return nil
}
