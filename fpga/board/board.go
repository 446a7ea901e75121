package board

import (
	"fmt"
	"net/netip"
	"strings"

	"gornic/format"
)

// MostPorts is how many Ethernet ports a board has at most: port 0 is the RDMA NIC's, port 1 that of
// a host that reaches the board over UDP.
const MostPorts = format.BoardPorts

// BusBits is the width of every board's frames and host memory.
const BusBits = 64

// NameBytes is how long a name may be: a register holds it.
const NameBytes = 8

// Board is a board with its FPGA.
type Board struct {
	Name  string // as in `make fpga BOARD=NAME`, of [NameBytes] or less; also of its constraints, NAME.lpf
	Title string // what is printed on it

	Device  string // "LFE5U-45F"
	Package string // "CABGA381"
	Speed   int    // grade: 6, 7 or 8

	PLL        PLL
	Config     string // configuration of the core: a name that configs.Named takes
	HostMemory int    // bytes of block RAM that serve as host memory
	Hosts      Hosts
	Baud       int // of the serial line after reset
	LEDs       LEDs
	PHYResets  int    // pins that reset PHYs: 1 where both share one
	Ports      []Port // those that are built: port 1 with Hosts.UDP alone
}

// Hosts says what a host reaches the board over. One is enough.
type Hosts struct {
	Serial bool // a serial line
	UDP    bool // port 1; the core's memory may then be on the PC
}

// LEDs are the status LEDs.
type LEDs struct {
	Count int
	Low   bool // they shine when their pin is low
}

// Port is an Ethernet port.
type Port struct {
	MAC  [6]byte    // after reset
	IPv4 netip.Addr // at which ARP and ping are answered after reset

	// Delays that the FPGA adds to RGMII pins, in taps of [DelayTap]: to data and control that are
	// received, and to the clock that is sent. Where the PHY delays, there is none here.
	RxDelay, TxDelay int
}

// DelayTap is the unit of delays in picoseconds.
const DelayTap = 25

// Divisor is how many cycles of the core a bit on the serial line takes.
func (b Board) Divisor() int { return (b.PLL.CoreHz() + b.Baud/2) / b.Baud }

// All returns the boards, the first one being what new users are told to buy.
func All() []Board { return []Board{I9(), I5(), Versa(), ECPIX5()} }

// Find returns the board of that name.
func Find(name string) (Board, error) {
	var names []string
	for _, b := range All() {
		if b.Name == name {
			return b, nil
		}
		names = append(names, b.Name)
	}
	return Board{}, fmt.Errorf("board: no %q: there are %s", name, strings.Join(names, ", "))
}
