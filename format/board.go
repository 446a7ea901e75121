package format

import "fmt"

// BoardPorts is how many Ethernet ports a board has at most; registers of one that it has not do not exist.
const BoardPorts = 2

// Offsets of the registers of a board from where they begin, in bytes. A host finds them at
// BoardRegisterBase. Those of 64 bits have their low half first.
const (
	BoardRegID       = 0x000
	BoardRegVersion  = 0x004
	BoardRegNameLow  = 0x008
	BoardRegNameHigh = 0x00C
	BoardRegClock    = 0x010
	BoardRegMemory   = 0x014
	BoardRegHosts    = 0x018
	BoardRegReset    = 0x01C
	BoardRegLEDs     = 0x020
	BoardRegDivisor  = 0x024
	BoardRegPeer     = 0x030
	BoardRegPeerIPv4 = 0x034
	BoardRegSession  = 0x038
	BoardRegPort     = 0x040 // of port 0; a port has BoardPortBytes
	BoardRegCounters = 0x100 // one 32-bit counter each, see BoardCounter
)

// Offsets in the registers of a port.
const (
	BoardPortMACLow  = 0x00
	BoardPortMACHigh = 0x04
	BoardPortIPv4    = 0x08
	BoardPortRxDelay = 0x0C
	BoardPortLink    = 0x10

	BoardPortBytes = 0x20
)

// BoardRegisterBase is where the registers of the board are for a host: behind those of the core.
const BoardRegisterBase = 0x8_0000

// BoardID is what BoardRegID reads as: "gbrd" in memory order.
const BoardID = 0x64726267

// Version of the board's registers, as BoardRegVersion reads.
const (
	BoardVersionMajor = 1
	BoardVersionMinor = 0
)

// Bits of the board's registers, and the value that resets it.
const (
	BoardHostSerial = 1 << 0 // BoardRegHosts: a serial line
	BoardHostUDP    = 1 << 1 // BoardRegHosts: UDP on port 1
	BoardHostPorts  = 8      // BoardRegHosts: the lowest of eight bits, how many Ethernet ports there are

	BoardResetKey = 0x21747372 // BoardRegReset: "rst!" in memory order

	BoardPeerUp = 1 << 0 // BoardRegPeer

	BoardLinkUp     = 1 << 0 // BoardPortLink
	BoardLinkSpeed  = 1      // BoardPortLink: the lower of two bits, 2 is 1 Gb/s
	BoardLinkDuplex = 1 << 3 // BoardPortLink
)

// BoardDivisorLeast is the least divisor that the serial line takes.
const BoardDivisorLeast = 8

// BoardDelayTaps is how many delays of 25 ps the receiver of a port has at most.
const BoardDelayTaps = 127

// BoardRegisters returns the registers of a board in the order of their offsets, without the counters.
func BoardRegisters() []Register {
	all := []Register{
		{"board_id", BoardRegID, ReadOnly, "0x64726267"},
		{"board_version", BoardRegVersion, ReadOnly, "major in bits 31:16, minor in 15:0"},
		{"name_low", BoardRegNameLow, ReadOnly, "first four characters of the board's name, zeros behind it"},
		{"name_high", BoardRegNameHigh, ReadOnly, "the next four"},
		{"clock", BoardRegClock, ReadOnly, "clock of the core in kHz"},
		{"memory", BoardRegMemory, ReadOnly, "bytes of host memory on the board, from bus address 0 on"},
		{"hosts", BoardRegHosts, ReadOnly, "what a host reaches the board over: bit 0: a serial line, bit 1: UDP on port 1. 15:8: Ethernet ports, 1 or 2"},
		{"reset", BoardRegReset, WriteOnly, "0x21747372 resets the board, a little later: the answer to this write is still given"},
		{"leds", BoardRegLEDs, ReadWrite, "7:0: LEDs that shine, of those that 15:8 takes from the board's own status"},
		{"divisor", BoardRegDivisor, ReadWrite, "cycles of the core for each bit on the serial line, 8 to 65535"},
		{"peer", BoardRegPeer, ReadOnly, "bit 0: a PC serves memory over UDP; 31:16: its UDP port"},
		{"peer_ipv4", BoardRegPeerIPv4, ReadOnly, "its IPv4 address, the first byte in 31:24"},
		{"session", BoardRegSession, ReadOnly, "number that it gave its session"},
	}
	for i := range uint32(BoardPorts) {
		all = append(all, boardPort(i)...)
	}
	return all
}

// boardPort returns the registers of port i.
func boardPort(i uint32) []Register {
	at := func(name string, offset uint32, access RegisterAccess, doc string) Register {
		return Register{fmt.Sprintf("port%d_%s", i, name), BoardRegPort + i*BoardPortBytes + offset, access, doc}
	}
	return []Register{
		at("mac_low", BoardPortMACLow, ReadWrite, "low 32 bits of the MAC address at which ARP and ping are answered"),
		at("mac_high", BoardPortMACHigh, ReadWrite, "its high 16 bits"),
		at("ipv4", BoardPortIPv4, ReadWrite, "IPv4 address at which ARP and ping are answered, the first byte in 31:24; 0: none is"),
		at("rx_delay", BoardPortRxDelay, ReadWrite, "6:0: delay of received RGMII data in taps of 25 ps"),
		at("link", BoardPortLink, ReadOnly, "as the PHY says between frames: bit 0: link, 2:1: speed (2: 1 Gb/s), bit 3: full duplex"),
	}
}

// BoardCounter is the number of a counter behind BoardRegCounters. Each has 32 bits and wraps.
type BoardCounter int

// Counters of a board. Those of port 1 are BoardPortCounters behind those of port 0.
const (
	// Port 0.
	BoardRxFrames   BoardCounter = iota // frames received without a fault
	BoardRxBadFCS                       // frames dropped because their FCS is wrong
	BoardRxBadSize                      // frames dropped because they are too short or too long
	BoardRxError                        // frames dropped because the PHY signalled an error in them
	BoardRxOverrun                      // frames dropped for want of room between clocks
	BoardTxFrames                       // frames sent
	BoardTxAborted                      // frames sent with a wrong FCS because their source failed
	BoardARPAnswers                     // ARP requests answered
	BoardPings                          // pings answered

	// Port 1, in the same order.
	BoardRxFrames1   // the same of port 1
	BoardRxBadFCS1   // the same of port 1
	BoardRxBadSize1  // the same of port 1
	BoardRxError1    // the same of port 1
	BoardRxOverrun1  // the same of port 1
	BoardTxFrames1   // the same of port 1
	BoardTxAborted1  // the same of port 1
	BoardARPAnswers1 // the same of port 1
	BoardPings1      // the same of port 1

	// The serial line.
	BoardSerialFraming // bytes without a stop bit
	BoardSerialBad     // frames dropped: damaged, too short, too long, or come before the answer to the one before
	BoardSerialRepeats // requests answered again, not executed again
	BoardSerialRefused // requests refused: unknown, malformed, or out of sequence

	// Host memory over UDP.
	BoardUDPSent    // datagrams to the PC
	BoardUDPResent  // times that requests were sent again, for want of an answer
	BoardUDPIgnored // datagrams of the PC that were not expected
	BoardUDPLost    // sessions that ended because the PC did not answer

	BoardCounterCount int = iota
)

// BoardPortCounters is how many counters a port has.
const BoardPortCounters = int(BoardRxFrames1)

var boardPortCounterNames = [BoardPortCounters]string{
	"rx_frames", "rx_bad_fcs", "rx_bad_size", "rx_error", "rx_overrun", "tx_frames", "tx_aborted", "arp_answers", "pings",
}

var boardCounterNames = [...]string{
	"serial_framing", "serial_bad", "serial_repeats", "serial_refused",
	"udp_sent", "udp_resent", "udp_ignored", "udp_lost",
}

func (c BoardCounter) String() string {
	switch i := int(c); {
	case i >= 0 && i < BoardPorts*BoardPortCounters:
		return fmt.Sprintf("port%d_%s", i/BoardPortCounters, boardPortCounterNames[i%BoardPortCounters])
	case i >= 0 && i < BoardCounterCount:
		return boardCounterNames[i-BoardPorts*BoardPortCounters]
	}
	return fmt.Sprintf("board counter %d", int(c))
}
