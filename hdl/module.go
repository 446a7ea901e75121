package hdl

import (
	"gornic/hdl/check"
	"gornic/hdl/ir"
)

// Module is a module while its Body runs: it declares the module's state and
// takes its statements.
type Module struct {
	b      *builder
	ir     *ir.Module
	parent *Module
	block  *ir.Block
	nested int // how many If and Switch arms are open
	ghost  bool
	clock  *ir.Clock // where new state goes; nil until first asked for
	named  map[string]*ir.Clock
	done   bool

	names    map[string]holder
	clashed  map[ir.Pos]bool // statements whose clash of names is reported
	rejected bool            // the Body did not take its parameters
	broken   bool            // the Body did not come to its end
}

// Name returns the module's Verilog name.
func (m *Module) Name() string { return m.ir.Name }

// Reg returns a register of width bits that takes the value reset under
// reset. It keeps its value in cycles in which no Set is reached.
func (m *Module) Reg(name string, width int, reset uint64) Bits {
	c, ok := ir.NewConst(max(width, 1), reset) // a width of none is reported where it is declared
	if !ok {
		m.reportf(check.Constant, "reset value %#x of %s does not fit in %s", reset, name, plural(width, "bit"))
	}
	x := m.RegN(name, width)
	x.n.Signal.Reset = &c
	return x
}

// RegN returns a register of width bits without reset: its value is unknown
// until it is first Set.
func (m *Module) RegN(name string, width int) Bits {
	x := m.declare(name, W(width), ir.Reg)
	x.n.Signal.Clock = m.domain()
	return x
}

// Wire returns a combinational value of width bits; it must be Set on every path.
func (m *Module) Wire(name string, width int) Bits { return m.declare(name, W(width), ir.Wire) }

// declare adds a signal to the module.
func (m *Module) declare(name string, proto Bits, kind ir.Kind) Bits {
	return m.declareAt(ir.Here(1), name, proto, kind)
}

func (m *Module) declareAt(pos ir.Pos, name string, proto Bits, kind ir.Kind) Bits {
	width := proto.w
	if width < 1 {
		m.reportAt(check.Width, pos, "%s has a width of %d bits: a width is at least 1", name, width)
		width = 1
	}
	m.claim(kind.String(), name, pos)
	s := &ir.Signal{
		Name: name, Width: width, Kind: kind, Module: m.ir, Enum: proto.enum, Ghost: m.ghost, Pos: pos,
	}
	if !m.done { // what comes too late is reported, and nothing else of it
		m.ir.Signals = append(m.ir.Signals, s)
	}
	return m.read(s)
}

// read returns the value of a signal of the module.
func (m *Module) read(s *ir.Signal) Bits {
	return m.wrap(&ir.Node{Op: ir.OpSignal, Width: s.Width, Signal: s, Module: m.ir, Pos: s.Pos})
}

// Unused names values that nobody reads on purpose. Without it an unread bit
// is a mistake.
func (m *Module) Unused(xs ...Bits) {
	for _, x := range xs {
		if m.admit("Unused", x) || x.poisoned() { // what went into a faulty operation counts as read
			m.ir.Unused = append(m.ir.Unused, x.n)
		}
	}
}
