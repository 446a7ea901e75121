package board

// Versa is the Lattice ECP5-5G Versa board: an LFE5UM5G-45F at grade 8. Its PHYs delay both clocks.
func Versa() Board {
	b := I9()
	b.Name, b.Title, b.Device, b.Speed = "versa", "Lattice ECP5-5G Versa", "LFE5UM5G-45F", 8
	b.PLL = PLL{Hz: 100_000_000, Input: 4, Feedback: 5, Net: 5, Core: 10}
	b.LEDs = LEDs{Count: 8, Low: true}
	b.PHYResets = 2
	for i := range b.Ports {
		b.Ports[i].RxDelay = 0
	}
	return b
}
