package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A netlist is a flat design made of a family's cells, as Yosys' write_json prints it.
type netlist struct {
	Cells map[string]cell `json:"cells"`
	Nets  map[string]net  `json:"netnames"`
}

// A net is what the author calls one or more bits.
type net struct {
	Hidden int   `json:"hide_name"` // 1: a name of Yosys' own
	Bits   []any `json:"bits"`      // as in a cell
}

type cell struct {
	Type        string            `json:"type"`
	Directions  map[string]string `json:"port_directions"`
	Connections map[string][]any  `json:"connections"` // a net's number, or "0", "1", "x"
}

func parseNetlist(text []byte, top string) (*netlist, error) {
	var file struct {
		Modules map[string]*netlist `json:"modules"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("netlist: %w", err)
	}
	n, ok := file.Modules[top]
	if !ok {
		return nil, fmt.Errorf("netlist: no module %s", top)
	}
	return n, nil
}

// A kind is what a cell does on the way of a signal.
type kind int

const (
	other   kind = iota // buffers, constants
	lut                 // a LUT, a multiplexer of LUTs, an inverter
	carry               // a piece of a carry chain
	flop                // a flip-flop
	lutRAM              // a memory in LUTs: its read is a LUT
	shifter             // a shift register in a LUT
	block               // a block RAM
)

func kindOf(cellType string) kind {
	has := func(prefixes ...string) bool {
		for _, p := range prefixes {
			if strings.HasPrefix(cellType, p) {
				return true
			}
		}
		return false
	}
	switch {
	case has("RAMB", "DP16KD", "PDPW16KD", "URAM"):
		return block
	case has("RAM", "TRELLIS_DPR16X4"):
		return lutRAM
	case has("LUT", "MUXF", "PFUMX", "L6MUX21", "INV"):
		return lut
	case has("CARRY", "CCU2C"):
		return carry
	case has("FD", "TRELLIS_FF"):
		return flop
	case has("SRL"):
		return shifter
	}
	return other
}

// Size is what a netlist costs.
type Size struct {
	LUT    int     `json:"lut"`     // LUT cells of any size
	FF     int     `json:"ff"`      // flip-flops
	Carry  int     `json:"carry"`   // cells of carry chains
	LUTRAM int     `json:"lut_ram"` // cells of memories and shift registers in LUTs
	RAM    float64 `json:"ram"`     // block RAMs: DP16KD, or RAMB36 with RAMB18 as a half
	Depth  int     `json:"depth"`   // see the package's comment
	// Path is the longest way: what each cell on it makes, from a register or port to a register or port.
	Path []string `json:"path,omitempty"`
}

func (n *netlist) size() (Size, error) {
	var s Size
	for _, c := range n.Cells {
		switch kindOf(c.Type) {
		case lut:
			if strings.HasPrefix(c.Type, "LUT") {
				s.LUT++
			}
		case carry:
			s.Carry++
		case flop:
			s.FF++
		case lutRAM, shifter:
			s.LUTRAM++
		case block:
			s.RAM += ramUnits(c.Type)
		}
	}
	var err error
	s.Depth, s.Path, err = n.longest()
	return s, err
}

func ramUnits(cellType string) float64 {
	if strings.HasPrefix(cellType, "RAMB18") {
		return 0.5
	}
	return 1
}
