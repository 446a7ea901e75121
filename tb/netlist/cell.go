package netlist

import (
	"fmt"
	"strings"

	"gornic/fpga/netlist"
)

// cell prints a cell. A kind of cell, or a way to use one, that is not known is an error.
func (w *writer) cell(name string, c *netlist.Cell) error {
	switch c.Type {
	case "$scopeinfo":
		return nil
	case "LUT4":
		return w.lut(name, c)
	case "PFUMX":
		w.mux(c, "C0", "ALUT", "BLUT")
		return nil
	case "L6MUX21":
		w.mux(c, "SD", "D1", "D0")
		return nil
	case "CCU2C":
		return w.carry(c)
	case "TRELLIS_FF":
		return w.flipFlop(c)
	case "TRELLIS_DPR16X4":
		return w.lutRAM(name, c)
	case "DP16KD":
		return w.blockRAM(name, c)
	case "MULT18X18D":
		return w.multiplier(name, c)
	}
	return fmt.Errorf("the type %s is not known", c.Type)
}

func (w *writer) lut(name string, c *netlist.Cell) error {
	init, err := number(c.Parameters["INIT"])
	if err != nil {
		return err
	}
	expression := lutExpression(init, w.lutInputs(c, ""))
	if i := w.mutants[name]; i > 0 {
		expression = fmt.Sprintf("%s ^ (%s == %d)", expression, mutantPort, i)
	}
	w.drive(w.pin(c, "Z"), expression)
	return nil
}

// lutInputs are the four inputs of a LUT, which is one of two where tail is not empty.
func (w *writer) lutInputs(c *netlist.Cell, tail string) []string {
	var inputs []string
	for _, pin := range []string{"A", "B", "C", "D"} {
		inputs = append(inputs, w.bit(w.pin(c, pin+tail)))
	}
	return inputs
}

func (w *writer) mux(c *netlist.Cell, choose, one, zero string) {
	w.drive(w.pin(c, "Z"), fmt.Sprintf("%s ? %s : %s", w.bit(w.pin(c, choose)), w.bit(w.pin(c, one)), w.bit(w.pin(c, zero))))
}

// carry prints two bits of a carry chain: each has a LUT, whose output decides whether the carry goes on, and one of
// two inputs, which makes the carry where it does not.
func (w *writer) carry(c *netlist.Cell) error {
	in := w.bit(w.pin(c, "CIN"))
	for _, tail := range []string{"0", "1"} {
		init, err := number(c.Parameters["INIT"+tail])
		if err != nil {
			return err
		}
		inputs := w.lutInputs(c, tail)
		lut, small := lutExpression(init, inputs), lutExpression(init&0xf, inputs[:2])
		gated := in
		if strings.TrimSpace(c.Parameters["INJECT1_"+tail]) == "YES" {
			gated, small = constant(false), constant(false)
		}
		w.drive(w.pin(c, "S"+tail), fmt.Sprintf("%s ^ %s", lut, gated))
		out := fmt.Sprintf("((%s & %s) | (~%[1]s & %[3]s))", lut, in, small)
		if tail == "1" {
			w.drive(w.pin(c, "COUT"), out)
			return nil
		}
		middle := w.spare()
		w.drive(middle, out)
		in = w.bit(middle)
	}
	return nil
}

// A flipFlop is what flip-flops of one always block have in common.
type flipFlop struct {
	clock  string
	reset  string // "1'b0" for none
	enable string
}

// A state is one flip-flop of a block.
type state struct {
	q      netlist.Bit
	next   string
	preset string
}

func (w *writer) flipFlop(c *netlist.Cell) error {
	parameter := func(name, otherwise string) string {
		if value := strings.TrimSpace(c.Parameters[name]); value != "" {
			return value
		}
		return otherwise
	}
	if clk := parameter("CLKMUX", "CLK"); clk != "CLK" {
		return fmt.Errorf("a clock by %s", clk)
	}
	if mode := parameter("LSRMODE", "LSR"); mode != "LSR" {
		return fmt.Errorf("a set of %s", mode)
	}
	f := flipFlop{clock: w.bit(w.pin(c, "CLK")), reset: w.bit(w.pin(c, "LSR"))}
	if mode := parameter("SRMODE", "LSR_OVER_CE"); mode != "LSR_OVER_CE" && f.reset != constant(false) {
		return fmt.Errorf("a reset of %s", mode)
	}
	if parameter("LSRMUX", "LSR") == "INV" {
		f.reset = "~" + f.reset
	}
	switch mux := parameter("CEMUX", "1"); mux {
	case "1", "0":
		f.enable = "1'b" + mux
	case "INV":
		f.enable = "~" + w.bit(w.pin(c, "CE"))
	default:
		f.enable = w.bit(w.pin(c, "CE"))
	}
	if w.groups == nil {
		w.groups = map[flipFlop][]state{}
	}
	q := w.pin(c, "Q")
	if q < 0 {
		return nil
	}
	w.declare("reg", q)
	w.groups[f] = append(w.groups[f], state{q: q, next: w.bit(w.pin(c, "DI")), preset: constant(parameter("REGSET", "RESET") == "SET")})
	return nil
}

func (w *writer) lutRAM(name string, c *netlist.Cell) error {
	if c.Parameters["WCKMUX"] != "WCK" || c.Parameters["WREMUX"] != "WRE" {
		return fmt.Errorf("written by %s and %s", c.Parameters["WCKMUX"], c.Parameters["WREMUX"])
	}
	in := func(pin string) string { return w.vector(c.Connections[pin]) }
	fmt.Fprintf(&w.body, "TRELLIS_DPR16X4 %s(.DI(%s), .WAD(%s), .WRE(%s), .WCK(%s), .RAD(%s), .DO(%s));\n", w.instance(name),
		in("DI"), in("WAD"), in("WRE"), in("WCK"), in("RAD"), w.outputs(c.Connections["DO"]))
	return nil
}

// writeModes are the numbers of cells.v.
var writeModes = map[string]int{"": 0, "NORMAL": 0, "WRITETHROUGH": 1, "READBEFOREWRITE": 2}

func (w *writer) blockRAM(name string, c *netlist.Cell) error {
	for parameter, want := range map[string]string{
		"REGMODE_A": "NOREG", "REGMODE_B": "NOREG", "CLKAMUX": "CLKA", "CLKBMUX": "CLKB", "CSDECODE_A": "0b000", "CSDECODE_B": "0b000",
	} {
		if got := strings.TrimSpace(c.Parameters[parameter]); got != want {
			return fmt.Errorf("%s is %s", parameter, got)
		}
	}
	for _, pin := range []string{"RSTA", "RSTB", "CSA0", "CSA1", "CSA2", "CSB0", "CSB1", "CSB2"} {
		if b := w.pin(c, pin); b != netlist.Zero {
			return fmt.Errorf("%s is used", pin)
		}
	}
	same := 0
	if w.pin(c, "CLKA") == w.pin(c, "CLKB") {
		same = 1
	}
	var parameters, pins []string
	for _, port := range []string{"A", "B"} {
		width, err := number(c.Parameters["DATA_WIDTH_"+port])
		if err != nil {
			return err
		}
		mode, ok := writeModes[strings.TrimSpace(c.Parameters["WRITEMODE_"+port])]
		if !ok {
			return fmt.Errorf("the mode %s", c.Parameters["WRITEMODE_"+port])
		}
		parameters = append(parameters, fmt.Sprintf(".WIDTH_%s(%d), .WRITE_%[1]s(%[3]d)", port, width, mode))
		for _, pin := range []string{"CLK", "CE", "WE"} {
			pins = append(pins, fmt.Sprintf(".%s%s(%s)", pin, port, w.bit(w.pin(c, pin+port))))
		}
		pins = append(pins, fmt.Sprintf(".AD%s(%s), .DI%[1]s(%[3]s), .DO%[1]s(%[4]s)", port,
			w.vector(w.bus(c, "AD"+port, 14)), w.vector(w.bus(c, "DI"+port, 18)), w.outputs(w.bus(c, "DO"+port, 18))))
	}
	fmt.Fprintf(&w.body, "DP16KD #(%s, .SAME(%d)) %s(%s);\n", strings.Join(parameters, ", "), same, w.instance(name), strings.Join(pins, ", "))
	return nil
}

func (w *writer) multiplier(name string, c *netlist.Cell) error {
	for _, port := range []string{"A", "B"} {
		if b := w.pin(c, "SOURCE"+port); b >= 0 || b == netlist.One {
			return fmt.Errorf("SOURCE%s is used", port)
		}
	}
	for parameter, value := range c.Parameters {
		if strings.HasPrefix(parameter, "REG_") && strings.HasSuffix(parameter, "_CLK") && value != "NONE" {
			return fmt.Errorf("%s is %s", parameter, value)
		}
	}
	fmt.Fprintf(&w.body, "MULT18X18D %s(.A(%s), .B(%s), .SIGNEDA(%s), .SIGNEDB(%s), .P(%s));\n", w.instance(name),
		w.vector(w.bus(c, "A", 18)), w.vector(w.bus(c, "B", 18)), w.bit(w.pin(c, "SIGNEDA")), w.bit(w.pin(c, "SIGNEDB")),
		w.outputs(w.bus(c, "P", 36)))
	return nil
}

// instance is a cell's name as Verilog allows any.
func (w *writer) instance(name string) string { return "\\" + name + " " }
