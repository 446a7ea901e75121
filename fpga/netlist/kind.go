package netlist

import "strings"

// Kind is what a cell does.
type Kind int

// The kinds of cell.
const (
	Other    Kind = iota // buffers, pads, PLLs, constants
	LUT                  // a LUT of any size
	Mux                  // a multiplexer that joins LUTs
	Carry                // a piece of a carry chain
	FlipFlop             // one bit
	LUTRAM               // a memory or a shift register in LUTs
	BlockRAM             // a block RAM, or half of one
	Multiplier
)

// prefixes are the beginnings of the names of cells; the first that fits counts.
var prefixes = []struct {
	name string
	kind Kind
}{
	{"RAMB", BlockRAM}, {"DP16KD", BlockRAM}, {"PDPW16KD", BlockRAM}, {"URAM", BlockRAM},
	{"RAM", LUTRAM}, {"TRELLIS_DPR16X4", LUTRAM}, {"SRL", LUTRAM},
	{"LUT", LUT}, {"INV", LUT},
	{"MUXF", Mux}, {"PFUMX", Mux}, {"L6MUX21", Mux},
	{"CARRY", Carry}, {"CCU2C", Carry},
	{"FD", FlipFlop}, {"TRELLIS_FF", FlipFlop},
	{"MULT18X18D", Multiplier}, {"DSP", Multiplier},
}

// KindOf returns the kind of a type of cell of the ECP5 or UltraScale+ families.
func KindOf(cellType string) Kind {
	for _, p := range prefixes {
		if strings.HasPrefix(cellType, p.name) {
			return p.kind
		}
	}
	return Other
}
