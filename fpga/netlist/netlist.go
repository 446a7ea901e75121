package netlist

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

// Netlist is a flat design made of a family's cells.
type Netlist struct {
	Top   string           `json:"-"`
	Ports map[string]*Port `json:"ports"`
	Cells map[string]*Cell `json:"cells"`
	Nets  map[string]*Net  `json:"netnames"`
}

// Port is a port of the top.
type Port struct {
	Direction string `json:"direction"` // input, output, inout
	Bits      []Bit  `json:"bits"`
}

// Net is a name of one or more bits, the least significant first.
type Net struct {
	Hidden int   `json:"hide_name"` // 1: a name of Yosys' own
	Bits   []Bit `json:"bits"`
}

// Cell is a cell of the family.
type Cell struct {
	Type        string            `json:"type"`
	Parameters  map[string]string `json:"parameters"` // Verilog's constants, as strings of 0 and 1 or text
	Directions  map[string]string `json:"port_directions"`
	Connections map[string][]Bit  `json:"connections"`
}

// Bit is the number of a net of one bit, or a constant, which is negative.
type Bit int

// The constants: Yosys' "0", "1", and "x" or "z".
const (
	Zero Bit = -1 - iota
	One
	Open
)

// UnmarshalJSON reads a number or a constant.
func (b *Bit) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case `"0"`:
		*b = Zero
	case `"1"`:
		*b = One
	case `"x"`, `"z"`:
		*b = Open
	default:
		var n int
		if err := json.Unmarshal(text, &n); err != nil {
			return fmt.Errorf("a bit: %w", err)
		}
		*b = Bit(n)
	}
	return nil
}

// Read reads the module top of a file of Yosys' write_json.
func Read(path, top string) (*Netlist, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var file struct {
		Modules map[string]json.RawMessage `json:"modules"`
	}
	if err := json.NewDecoder(bufio.NewReaderSize(f, 1<<20)).Decode(&file); err != nil {
		return nil, fmt.Errorf("netlist %s: %w", path, err)
	}
	text, ok := file.Modules[top]
	if !ok {
		return nil, fmt.Errorf("netlist %s: no module %s", path, top)
	}
	n := &Netlist{Top: top}
	if err := json.Unmarshal(text, n); err != nil {
		return nil, fmt.Errorf("netlist %s: %w", path, err)
	}
	return n, nil
}
