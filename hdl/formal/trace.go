package formal

import (
	"fmt"
	"strings"

	"gornic/hdl/ir"
)

// A Trace is a run that the solver found: a counterexample, or the way to a cover.
type Trace struct {
	Start   Start
	Cycles  int           // the properties that it shows are false, or the covers true, in the last one
	Signals []TraceSignal // the reset, then those of each instance, parents first
	File    string        // the same as a VCD file, with the wires between; relative to the working folder where it is below it

	design   *ir.Design
	signals  map[*ir.Signal]int   // where in Signals
	memories map[*ir.Memory][]int // where in Signals its words are
}

// Start says where a trace starts.
type Start int

// The starts.
const (
	FromReset    Start = iota // cycle 0 is in reset
	FromAnyState              // registers and memories hold anything that no property forbids, be it reachable or not: an induction step
)

func (t *Trace) origin() string {
	if t.Start == FromReset {
		return "(0 is in reset)"
	}
	return "(0 is an arbitrary state, which may be unreachable)"
}

// A TraceSignal is what one port, register, wire or ghost was in each cycle, or one word of a memory.
type TraceSignal struct {
	Path   string     // from the top: "u_fifo.head", "u_fifo.ram[3]"
	Signal *ir.Signal // nil for the reset and for a word of a memory
	Values []ir.Const // in each cycle
}

// Text returns the value in a cycle for people: the name of a state or of another named value, else a number.
func (s TraceSignal) Text(cycle int) string {
	v := s.Values[cycle]
	if s.Signal != nil && s.Signal.Enum != nil && v.Width <= 64 {
		if name := enumName(s.Signal.Enum, v.Uint64()); name != "" {
			return name
		}
	}
	text := v.Big().Text(16)
	switch {
	case len(text) == 1 && text <= "9":
		return text
	case len(text) > 16:
		text = text[:6] + ".." + text[len(text)-8:]
	}
	return "0x" + text
}

func enumName(e *ir.Enum, value uint64) string {
	for _, v := range e.Values {
		if v.Value == value {
			return v.Name
		}
	}
	return ""
}

// Signal returns the signal at a path, such as "u_fifo.head".
func (t *Trace) Signal(path string) (TraceSignal, bool) {
	for _, s := range t.Signals {
		if s.Path == path {
			return s, true
		}
	}
	return TraceSignal{}, false
}

// String shows the covers that a witness reaches and its last cycles.
func (w Witness) String() string {
	var text strings.Builder
	for _, c := range w.Covers {
		fmt.Fprintf(&text, "%s reached in cycle %d\n", c, w.Trace.Cycles-1)
	}
	text.WriteString(w.Trace.Table(w.Covers...))
	text.WriteString("waves: " + w.Trace.File)
	return text.String()
}
