package board_test

import (
	"fmt"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/fpga/board"
)

// Every board can be had by its name, and nothing is wrong with it.
func TestBoards(t *testing.T) {
	for _, want := range board.All() {
		t.Run(want.Name, func(t *testing.T) {
			require.NoError(t, want.Validate())
			got, err := board.Find(want.Name)
			require.NoError(t, err)
			require.Equal(t, want, got)
			require.Equal(t, board.EthernetHz, got.PLL.NetHz())
			require.GreaterOrEqual(t, got.PLL.CoreHz(), 62_500_000)
		})
	}
	_, err := board.Find("i7")
	require.ErrorContains(t, err, `no "i7": there are i9, i5, versa, ecpix5`)
}

// A bit lasts as long as the rate says, to less than one per cent at the usual ones.
func TestDivisor(t *testing.T) {
	b := board.I9()
	for _, baud := range []int{9600, 115200, 921600, 1_000_000} {
		b.Baud = baud
		is := float64(b.PLL.CoreHz()) / float64(b.Divisor())
		require.InEpsilon(t, baud, is, 0.01)
	}
}

// Each mistake is told, and all of them.
func TestValidate(t *testing.T) {
	for want, break_ := range map[string]func(*board.Board){
		`the name "I 9"`:                                  func(b *board.Board) { b.Name = "I 9" },
		`the name "colorlight"`:                           func(b *board.Board) { b.Name = "colorlight" },
		"title, device and package":                       func(b *board.Board) { b.Device = "" },
		"speed grade 5":                                   func(b *board.Board) { b.Speed = 5 },
		"the input divider is 0":                          func(b *board.Board) { b.PLL.Input = 0 },
		"the core divider is 129":                         func(b *board.Board) { b.PLL.Core = 129 },
		"the oscillator is at 7000000 Hz":                 func(b *board.Board) { b.PLL.Hz = 7_000_000 },
		"the phase detector is at 8333333 Hz":             func(b *board.Board) { b.PLL.Input, b.PLL.Feedback = 3, 15 },
		"the VCO is at 875000000 Hz":                      func(b *board.Board) { b.PLL.Net = 7 },
		"the net clock is at 100000000 Hz":                func(b *board.Board) { b.PLL.Feedback = 4 },
		"no host reaches it":                              func(b *board.Board) { b.Hosts = board.Hosts{} },
		"host memory of 98304 bytes":                      func(b *board.Board) { b.HostMemory = 96 << 10 },
		"1 Ethernet ports, want 1, or 2 with":             func(b *board.Board) { b.Ports = b.Ports[:1] },
		"2 Ethernet ports, want 1, or 2 with":             func(b *board.Board) { b.Hosts.UDP = false },
		"9 LEDs":                                          func(b *board.Board) { b.LEDs.Count = 9 },
		"0 pins that reset PHYs":                          func(b *board.Board) { b.PHYResets = 0 },
		`no configuration "large"`:                        func(b *board.Board) { b.Config = "large" },
		"configuration dc is 512 bits wide, want 64":      func(b *board.Board) { b.Config = "dc" },
		"an ack_tick of 16: 4.096 us are 256 cycles":      func(b *board.Board) { b.Config = "tiny" },
		"a serial line at 0 baud":                         func(b *board.Board) { b.Baud = 0 },
		"at 300 baud takes a divisor of 208333":           func(b *board.Board) { b.Baud = 300 },
		"at 31250000 baud takes a divisor of 2":           func(b *board.Board) { b.Baud = 31_250_000 },
		"port 0: 03 67 6f 72 6e 00 is no station's":       func(b *board.Board) { b.Ports[0].MAC[0] |= 1 },
		"port 1: ::1 is no host's IPv4 address":           func(b *board.Board) { b.Ports[1].IPv4 = netip.IPv6Loopback() },
		"port 1 has an address of port 0":                 func(b *board.Board) { b.Ports[1].IPv4 = b.Ports[0].IPv4 },
		"port 0: delays of 128 and 0 taps, want 0 to 127": func(b *board.Board) { b.Ports[0].RxDelay = 128 },
	} {
		t.Run(want, func(t *testing.T) {
			b := board.I9()
			break_(&b)
			require.ErrorContains(t, b.Validate(), want)
			b.Package = "" // a second mistake
			err := b.Validate()
			require.ErrorContains(t, err, "title, device and package")
		})
	}
}

func ExampleFind() {
	b, err := board.Find("i9")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %s, core at %.1f MHz\n", b.Title, b.Device, float64(b.PLL.CoreHz())/1e6)
	// Output: Colorlight i9 v7.2: LFE5U-45F, core at 62.5 MHz
}
