package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// longest is the longest way: how many cells, and what they make; see the package's comment for what counts.
func (n *netlist) longest() (int, []string, error) {
	w := walker{cells: n.Cells, drivers: n.drivers(), arrival: map[string]int{}, before: map[string]string{}}
	depth, last := 0, ""
	for _, name := range slices.Sorted(maps.Keys(n.Cells)) {
		at, err := w.visit(name)
		if err != nil {
			return 0, nil, err
		}
		if at > depth {
			depth, last = at, name
		}
	}
	return depth, n.path(w, last), nil
}

// path says what the cells on the way to one make.
func (n *netlist) path(w walker, last string) []string {
	names := n.names()
	var path []string
	for at := last; at != ""; at = w.before[at] {
		c := n.Cells[at]
		path = append(path, fmt.Sprintf("%-12s %s", c.Type, made(c, names)))
	}
	slices.Reverse(path)
	return append(path, n.readers(last, names)...)
}

// names gives each net a name: the author's, if it has one.
func (n *netlist) names() map[int]string {
	names := map[int]string{}
	hidden := map[int]bool{}
	for _, name := range slices.Sorted(maps.Keys(n.Nets)) {
		for i, bit := range n.Nets[name].Bits {
			id, ok := bit.(float64)
			if _, has := names[int(id)]; !ok || has && (n.Nets[name].Hidden == 1 || !hidden[int(id)]) {
				continue
			}
			hidden[int(id)] = n.Nets[name].Hidden == 1
			names[int(id)] = name
			if len(n.Nets[name].Bits) > 1 {
				names[int(id)] = fmt.Sprintf("%s[%d]", name, i)
			}
		}
	}
	return names
}

// made is the name of what a cell makes.
func made(c cell, names map[int]string) string {
	var all []string
	for _, port := range slices.Sorted(maps.Keys(c.Connections)) {
		for _, bit := range c.Connections[port] {
			if id, ok := bit.(float64); ok && c.Directions[port] == "output" {
				all = append(all, names[int(id)])
			}
		}
	}
	slices.SortStableFunc(all, func(a, b string) int { return hiddenLast(a) - hiddenLast(b) })
	if len(all) == 0 {
		return "?"
	}
	return all[0]
}

func hiddenLast(name string) int {
	if strings.Contains(name, "$") {
		return 1
	}
	return 0
}

// readers is one register or memory that takes what a cell makes; none if only ports do.
func (n *netlist) readers(last string, names map[int]string) []string {
	outputs := map[int]bool{}
	for port, bits := range n.Cells[last].Connections {
		for _, bit := range bits {
			if id, ok := bit.(float64); ok && n.Cells[last].Directions[port] == "output" {
				outputs[int(id)] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(n.Cells)) {
		c := n.Cells[name]
		for _, port := range slices.Sorted(maps.Keys(c.Connections)) {
			for _, bit := range c.Connections[port] {
				if id, ok := bit.(float64); ok && outputs[int(id)] && c.Directions[port] == "input" && kindOf(c.Type) != lut {
					return []string{fmt.Sprintf("%-12s %s, port %s", c.Type, made(c, names), port)}
				}
			}
		}
	}
	return nil
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
	before  map[string]string // the cell before, on the longest way to one; none: a register or port
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
	at, err := w.cell(name, w.cells[name])
	w.arrival[name] = at
	return at, err
}

func (w *walker) cell(name string, c cell) (int, error) {
	k := kindOf(c.Type)
	if k == flop || k == block || k == shifter {
		return 0, nil
	}
	cost := 1
	if k == other {
		cost = 0
	}
	latest := cost
	for _, port := range slices.Sorted(maps.Keys(c.Connections)) {
		if c.Directions[port] != "input" || k == lutRAM && !readAddress(c.Type, port) {
			continue
		}
		for _, bit := range c.Connections[port] {
			at, from, err := w.input(c, port, bit, cost)
			if err != nil {
				return 0, err
			}
			if at > latest || w.before[name] == "" {
				w.before[name] = from
			}
			latest = max(latest, at)
		}
	}
	return latest, nil
}

// input is when a cell's output is ready as far as one of its inputs is concerned, and the cell that this input comes from.
func (w *walker) input(c cell, port string, bit any, cost int) (int, string, error) {
	net, ok := bit.(float64)
	if !ok {
		return 0, "", nil // a constant
	}
	d, ok := w.drivers[int(net)]
	if !ok {
		return cost, "", nil // a port of the design
	}
	at, err := w.visit(d.cell)
	if err != nil || chained(w.cells[d.cell].Type, d.port, c.Type, port) {
		return at, d.cell, err
	}
	return at + cost, d.cell, nil
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
