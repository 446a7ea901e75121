package verbs

import (
	"fmt"
	"net"
)

// MAC is an Ethernet address in wire order.
type MAC [6]byte

// ParseMAC reads an address such as "02:00:00:00:00:01".
func ParseMAC(s string) (MAC, error) {
	b, err := net.ParseMAC(s)
	if err != nil || len(b) != len(MAC{}) {
		return MAC{}, fmt.Errorf("verbs: %q: %w", s, invalid("not a MAC address"))
	}
	return MAC(b), nil
}

func (m MAC) String() string { return net.HardwareAddr(m[:]).String() }

// number is the address as the device has it: the first byte on top.
func (m MAC) number() uint64 {
	var n uint64
	for _, b := range m {
		n = n<<8 | uint64(b)
	}
	return n
}

func macOf(n uint64) MAC {
	var m MAC
	for i := range m {
		m[i] = byte(n >> (40 - 8*i))
	}
	return m
}

// check refuses what cannot be the address of a port.
func (m MAC) check() error {
	if m == (MAC{}) || m[0]&1 == 1 {
		return invalid("%v is not the MAC address of a port", m)
	}
	return nil
}
