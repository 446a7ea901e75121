package netlist

import "strings"

// Size is what cells cost.
type Size struct {
	LUT        int     `json:"lut"`         // LUTs of any size
	Carry      int     `json:"carry"`       // cells of carry chains
	LUTRAM     int     `json:"lut_ram"`     // cells of memories in LUTs
	FF         int     `json:"ff"`          // flip-flops
	RAM        float64 `json:"ram"`         // block RAMs: DP16KD, or RAMB36 with RAMB18 as a half
	Multiplier int     `json:"multipliers"` // MULT18X18D or DSP slices
}

// Add adds another size.
func (s *Size) Add(o Size) {
	s.LUT += o.LUT
	s.Carry += o.Carry
	s.LUTRAM += o.LUTRAM
	s.FF += o.FF
	s.RAM += o.RAM
	s.Multiplier += o.Multiplier
}

// Comb is how many of the ECP5's places for a LUT4 (nextpnr's TRELLIS_COMB) the cells take: a piece of a carry chain
// takes two. A memory of 16 x 4 takes four, and two more that only address it.
func (s Size) Comb() int { return s.LUT + 2*s.Carry + 6*s.LUTRAM }

// Size is what one cell costs.
func (c *Cell) Size() Size {
	switch KindOf(c.Type) {
	case LUT:
		return Size{LUT: 1}
	case Carry:
		return Size{Carry: 1}
	case LUTRAM:
		return Size{LUTRAM: 1}
	case FlipFlop:
		return Size{FF: 1}
	case BlockRAM:
		if strings.HasPrefix(c.Type, "RAMB18") {
			return Size{RAM: 0.5}
		}
		return Size{RAM: 1}
	case Multiplier:
		return Size{Multiplier: 1}
	}
	return Size{}
}
