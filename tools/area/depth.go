package main

import (
	"fmt"
	"strings"
)

// depth is the longest way in cells; see the package's comment for what counts.
func (n *netlist) depth() (int, error) {
	w := walker{cells: n.Cells, drivers: n.drivers(), arrival: map[string]int{}}
	longest := 0
	for name := range n.Cells {
		at, err := w.visit(name)
		if err != nil {
			return 0, err
		}
		longest = max(longest, at)
	}
	return longest, nil
}

// A driver is the cell and the output that a net comes from.
type driver struct{ cell, port string }

func (n *netlist) drivers() map[int]driver {
	drivers := map[int]driver{}
	for name, c := range n.Cells {
		for port, bits := range c.Connections {
			if c.Directions[port] != "output" {
				continue
			}
			for _, bit := range bits {
				if net, ok := bit.(float64); ok {
					drivers[int(net)] = driver{name, port}
				}
			}
		}
	}
	return drivers
}

// walker computes when the output of each cell arrives, in cells after a register.
type walker struct {
	cells   map[string]cell
	drivers map[int]driver
	arrival map[string]int
}

const visiting = -1

func (w *walker) visit(name string) (int, error) {
	if at, ok := w.arrival[name]; ok {
		if at == visiting {
			return 0, fmt.Errorf("a combinational loop through %s", name)
		}
		return at, nil
	}
	w.arrival[name] = visiting
	at, err := w.cell(w.cells[name])
	w.arrival[name] = at
	return at, err
}

func (w *walker) cell(c cell) (int, error) {
	k := kindOf(c.Type)
	if k == flop || k == block || k == shifter {
		return 0, nil
	}
	cost := 1
	if k == other {
		cost = 0
	}
	latest := cost
	for port, bits := range c.Connections {
		if c.Directions[port] != "input" || k == lutRAM && !readAddress(c.Type, port) {
			continue
		}
		for _, bit := range bits {
			at, err := w.input(c, port, bit, cost)
			if err != nil {
				return 0, err
			}
			latest = max(latest, at)
		}
	}
	return latest, nil
}

// input is when a cell's output is ready as far as one of its inputs is concerned.
func (w *walker) input(c cell, port string, bit any, cost int) (int, error) {
	net, ok := bit.(float64)
	if !ok {
		return 0, nil // a constant
	}
	d, ok := w.drivers[int(net)]
	if !ok {
		return cost, nil // a port of the design
	}
	at, err := w.visit(d.cell)
	if err != nil || chained(w.cells[d.cell].Type, d.port, c.Type, port) {
		return at, err
	}
	return at + cost, nil
}

// chained tells the hard-wired connection between two pieces of one carry chain.
func chained(from, output, to, input string) bool {
	return kindOf(from) == carry && kindOf(to) == carry &&
		(output == "CO" || output == "COUT") && (input == "CI" || input == "CIN")
}

// readAddress tells the inputs of a LUT RAM that its output follows without a clock.
func readAddress(cellType, port string) bool {
	switch {
	case strings.HasPrefix(cellType, "TRELLIS_DPR16X4"):
		return port == "RAD"
	case strings.HasPrefix(cellType, "RAM32M16"), strings.HasPrefix(cellType, "RAM64M8"):
		return strings.HasPrefix(port, "ADDR") && port != "ADDRH" // which writes
	case strings.HasPrefix(cellType, "RAM32M"), strings.HasPrefix(cellType, "RAM64M"):
		return strings.HasPrefix(port, "ADDR") && port != "ADDRD"
	}
	return strings.HasPrefix(port, "A") || strings.HasPrefix(port, "DPRA")
}
