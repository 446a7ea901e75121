package verilator

import (
	"strings"

	"gornic/hdl/ir"
	"gornic/hdl/sim"
	"gornic/hdl/verilog"
)

// text is a design as Verilator is given it, with the names of what the shim and Go must find in it again.
type text struct {
	top     string
	files   []file
	clocks  []clockNames
	ports   []portName
	signals []signalName
	covers  []string     // paths of the counters of covers, in the order of sim.Checks
	events  []eventNames // with Options.Events
	parts   []partNames  // that have a clock of their own
	waves   bool

	replaced bool // the files are not those of the design
}

// level is how hard the compiler tries with what runs in each cycle. A netlist is tens of megabytes of short statements, on which
// -O2 takes many minutes.
func (t text) level() string {
	if t.replaced {
		return "-O1"
	}
	return "-O2"
}

type file struct{ name, text string }

type clockNames struct{ clk, rst string }

type portName struct {
	name  string
	width int
	input bool
}

// signalName is a signal's path in the language and in Verilog, where a reserved word has got a tail.
type signalName struct {
	path, verilog string
	width         int
}

// emit prints a design for Verilator. Positions are left out, so that a moved line of Go does not make another library. With
// Coverage the arms of the design are covers, too, which the second result counts.
func emit(d *ir.Design, o sim.Options) (text, *armCovers, error) {
	printed, arms := d, (*armCovers)(nil)
	if o.Coverage {
		printed, arms = withArmCovers(d)
	}
	options := verilog.Options{Checks: o.HasChecks(), Events: o.Events, Waves: o.Waves != "", Models: true}
	var parts []*ir.Instance
	if !o.Coverage && o.Waves == "" { // in waves clocks do not stand still
		parts = partsOf(d)
	}
	if parts != nil {
		printed = withPartWires(d, parts, o.Events, o.HasChecks())
		options.Clocked, options.Events, options.State = parts, true, true
	}
	files, err := verilog.Emit(printed, options)
	if err != nil {
		return text{}, nil, err
	}
	t := describe(d)
	t.waves = o.Waves != ""
	if o.HasChecks() {
		t.covers = covers(printed)
	}
	if o.Events {
		t.events = eventsOf(d, files)
	}
	if parts != nil {
		t.parts = describeParts(d, parts, files, o.Events, o.HasChecks())
	}
	for _, f := range files {
		t.files = append(t.files, file{f.Name, string(f.Text)})
	}
	return t, arms, nil
}

// covers lists the counters of the covers of a design.
func covers(d *ir.Design) []string {
	var paths []string
	for _, c := range sim.Checks(d) {
		if c.Kind == ir.Cover {
			paths = append(paths, joined(c.Module.Path, verilog.CoverCount(c.Check)))
		}
	}
	return paths
}

// describe collects the names of a design.
func describe(d *ir.Design) text {
	t := text{top: d.Top.Name}
	for _, c := range d.Top.Clocks {
		t.clocks = append(t.clocks, clockNames{c.Clk, c.Rst})
	}
	for _, s := range topPorts(d) {
		t.ports = append(t.ports, portName{verilog.Name(s), s.Width, s.Kind == ir.Input})
	}
	for _, m := range d.All {
		for _, s := range m.Signals {
			if s.Module != d.Top || !isPort(s) {
				t.signals = append(t.signals, signalName{joined(m.Path, s.Name), joined(m.Path, verilog.Name(s)), s.Width})
			}
		}
	}
	return t
}

// topPorts lists the ports of the top, without clocks and resets, in the order that both sides number them.
func topPorts(d *ir.Design) []*ir.Signal {
	var ports []*ir.Signal
	for _, s := range d.Top.Signals {
		if isPort(s) {
			ports = append(ports, s)
		}
	}
	return ports
}

func isPort(s *ir.Signal) bool { return s.Kind == ir.Input || s.Kind == ir.Output }

func joined(path, name string) string { return strings.TrimPrefix(path+"."+name, ".") }
