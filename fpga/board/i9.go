package board

import "net/netip"

// I9 is the Colorlight i9 v7.2: an LFE5U-45F at grade 6, two gigabit PHYs (B50612D). Its PHYs delay the
// clock that they receive; the clock that they send is delayed here, by 2 ns. Nobody has
// proved these delays on the board: scan them first.
func I9() Board {
	return Board{
		Name: "i9", Title: "Colorlight i9 v7.2",
		Device: "LFE5U-45F", Package: "CABGA381", Speed: 6,
		PLL:        PLL{Hz: 25_000_000, Input: 1, Feedback: 5, Net: 5, Core: 10},
		Config:     "i9",
		HostMemory: 64 << 10,
		Hosts:      Hosts{Serial: true, UDP: true},
		Baud:       115200,
		LEDs:       LEDs{Count: 1, Low: true},
		PHYResets:  1,
		Ports: []Port{
			{MAC: [6]byte{2, 'g', 'o', 'r', 'n', 0}, IPv4: netip.AddrFrom4([4]byte{192, 168, 1, 50}), RxDelay: 80},
			{MAC: [6]byte{2, 'g', 'o', 'r', 'n', 1}, IPv4: netip.AddrFrom4([4]byte{192, 168, 2, 50}), RxDelay: 80},
		},
	}
}
