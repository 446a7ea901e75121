package board

import "fmt"

// PLL is how the clocks are made of the board's oscillator, in the terms of the EHXPLLL: the
// VCO runs at Hz / Input * Feedback * Net, as the feedback is the net clock.
type PLL struct {
	Hz       int // of the oscillator
	Input    int // CLKI_DIV
	Feedback int // CLKFB_DIV
	Net      int // CLKOP_DIV: the clock of the Ethernet MACs
	Core     int // CLKOS_DIV: that of everything else
}

// EthernetHz is the clock of a gigabit MAC with a byte in each cycle.
const EthernetHz = 125_000_000

// NetHz is the frequency of the net clock.
func (p PLL) NetHz() int { return p.Hz / p.Input * p.Feedback }

// VCOHz is the frequency of the oscillator in the PLL.
func (p PLL) VCOHz() int { return p.NetHz() * p.Net }

// CoreHz is the frequency of the core's clock.
func (p PLL) CoreHz() int { return p.VCOHz() / p.Core }

// Limits of the ECP5's PLL in Hz (Lattice FPGA-DS-02012, sysCLOCK PLL timing), and of its dividers.
const (
	mega       = 1_000_000
	minInput   = 8 * mega
	maxClock   = 400 * mega
	minPhase   = 10 * mega // at the phase detector
	minVCO     = 400 * mega
	maxVCO     = 800 * mega
	minOutput  = 3_125_000
	maxDivider = 128
)

func (p PLL) validate() error {
	for name, d := range map[string]int{"input": p.Input, "feedback": p.Feedback, "net": p.Net, "core": p.Core} {
		if d < 1 || d > maxDivider {
			return fmt.Errorf("PLL: the %s divider is %d, want 1 to %d", name, d, maxDivider)
		}
	}
	for _, f := range []struct {
		name          string
		hz, low, high int
	}{
		{"oscillator", p.Hz, minInput, maxClock},
		{"phase detector", p.Hz / p.Input, minPhase, maxClock},
		{"VCO", p.VCOHz(), minVCO, maxVCO},
		{"net clock", p.NetHz(), EthernetHz, EthernetHz},
		{"core clock", p.CoreHz(), minOutput, maxClock},
	} {
		if f.hz < f.low || f.hz > f.high {
			return fmt.Errorf("PLL: the %s is at %d Hz, want %d to %d", f.name, f.hz, f.low, f.high)
		}
	}
	return nil
}
