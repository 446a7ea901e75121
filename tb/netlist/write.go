package netlist

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gornic/fpga/netlist"
	"gornic/hdl/verilog"
)

//go:embed cells.v
var cells []byte

// mutantPort is the input that says which mutant the netlist is: zero for none, from one on in the order they were asked for.
const (
	mutantPort  = "gornic_mutant"
	mutantWidth = 16
)

// Write prints a netlist of the ECP5 as Verilog, with the LUTs of the mutants' names ready to be inverted.
func Write(n *netlist.Netlist, mutants []string) ([]verilog.File, error) {
	w := &writer{netlist: n, names: map[netlist.Bit]string{}, driven: map[netlist.Bit]bool{}, mutants: map[string]int{}}
	for i, name := range mutants {
		if c := n.Cells[name]; c == nil || c.Type != "LUT4" {
			return nil, fmt.Errorf("netlist: %s is no LUT", name)
		}
		w.mutants[name] = i + 1
	}
	w.head()
	for _, name := range slices.Sorted(maps.Keys(n.Cells)) {
		if err := w.cell(name, n.Cells[name]); err != nil {
			return nil, fmt.Errorf("netlist: cell %s: %w", name, err)
		}
	}
	w.flipFlops()
	w.tail()
	text := "`default_nettype none\n" + w.ports.String() + w.nets.String() + w.body.String() + "endmodule\n`default_nettype wire\n"
	return []verilog.File{{Name: "cells.v", Text: cells}, {Name: n.Top + ".v", Text: []byte(text)}}, nil
}

// A writer collects the parts of the module.
type writer struct {
	netlist *netlist.Netlist
	mutants map[string]int
	names   map[netlist.Bit]string // of inputs; other nets are n and their number
	driven  map[netlist.Bit]bool   // declared nets
	groups  map[flipFlop][]state

	ports, nets, body strings.Builder
}

// head prints the ports, and learns the names of the inputs' bits.
func (w *writer) head() {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(w.netlist.Ports)) {
		p := w.netlist.Ports[name]
		span := ""
		if len(p.Bits) > 1 {
			span = fmt.Sprintf("[%d:0] ", len(p.Bits)-1)
		}
		list = append(list, fmt.Sprintf("    %-6s wire %s%s", p.Direction, span, name))
		if p.Direction == "input" {
			for i, bit := range p.Bits {
				w.names[bit] = name
				if len(p.Bits) > 1 {
					w.names[bit] = fmt.Sprintf("%s[%d]", name, i)
				}
			}
		}
	}
	list = append(list, fmt.Sprintf("    input  wire [%d:0] %s", mutantWidth-1, mutantPort))
	fmt.Fprintf(&w.ports, "module %s (\n%s\n);\n", w.netlist.Top, strings.Join(list, ",\n"))
}

// tail drives the outputs.
func (w *writer) tail() {
	for _, name := range slices.Sorted(maps.Keys(w.netlist.Ports)) {
		if p := w.netlist.Ports[name]; p.Direction == "output" {
			fmt.Fprintf(&w.body, "assign %s = %s;\n", name, w.vector(p.Bits))
		}
	}
}

// bit is a net in an expression.
func (w *writer) bit(b netlist.Bit) string {
	switch {
	case b == netlist.One:
		return constant(true)
	case b < 0:
		return constant(false)
	case w.names[b] != "":
		return w.names[b]
	}
	return fmt.Sprintf("n%d", b)
}

// vector is several nets, the first one lowest.
func (w *writer) vector(bits []netlist.Bit) string {
	parts := make([]string, len(bits))
	for i, b := range bits {
		parts[len(bits)-1-i] = w.bit(b)
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// pin is the one net at a pin; a pin that is not there is open.
func (w *writer) pin(c *netlist.Cell, name string) netlist.Bit {
	if bits := c.Connections[name]; len(bits) == 1 {
		return bits[0]
	}
	return netlist.Open
}

// bus is the nets at pins NAME0, NAME1 and so on.
func (w *writer) bus(c *netlist.Cell, name string, width int) []netlist.Bit {
	bits := make([]netlist.Bit, width)
	for i := range bits {
		bits[i] = w.pin(c, fmt.Sprintf("%s%d", name, i))
	}
	return bits
}

// drive assigns an expression to the net at an output, if one is there.
func (w *writer) drive(b netlist.Bit, expression string) {
	if b >= 0 {
		w.declare("wire", b)
		fmt.Fprintf(&w.body, "assign n%d = %s;\n", b, expression)
	}
}

func (w *writer) declare(kind string, b netlist.Bit) {
	if !w.driven[b] {
		w.driven[b] = true
		fmt.Fprintf(&w.nets, "%s n%d;\n", kind, b)
	}
}

// outputs declares the nets at outputs of an instance, and returns what is connected there.
func (w *writer) outputs(bits []netlist.Bit) string {
	bits = slices.Clone(bits)
	for i, b := range bits {
		if b < 0 { // nobody reads it
			bits[i] = w.spare()
		}
		w.declare("wire", bits[i])
	}
	return w.vector(bits)
}

// spare is a net that the netlist does not have.
func (w *writer) spare() netlist.Bit { return netlist.Bit(1<<30 + len(w.driven)) }
