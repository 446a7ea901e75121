package hdl

import (
	"gornic/hdl/check"
	"gornic/hdl/ir"
)

// Clock is a clock domain of a module: a rising-edge clock with a synchronous,
// active-high reset.
type Clock struct {
	m     *Module
	clock *ir.Clock
}

// Domain returns the module's clock domain of that name; its ports are
// NAME_clk and NAME_rst. The default domain, which state is in unless [Module.In]
// says otherwise, has the name "" and the ports clk and rst.
func (m *Module) Domain(name string) Clock {
	if c, ok := m.named[name]; ok {
		return Clock{m, c}
	}
	c := &ir.Clock{Name: name, Clk: "clk", Rst: "rst", Module: m.ir}
	if name != "" {
		c.Clk, c.Rst = name+"_clk", name+"_rst"
	}
	pos := ir.Here(0)
	m.claim("clock", c.Clk, pos)
	m.claim("reset", c.Rst, pos)
	m.named[name] = c
	m.ir.Clocks = append(m.ir.Clocks, c)
	return Clock{m, c}
}

// ClockOf makes a clock domain of two signals of one bit: a clock, such as that
// of a PLL or of a pin, and its synchronous, active-high reset. They become wires,
// NAME_clk and NAME_rst, which constraints can name. Only the outermost module of a
// design makes clocks, and only its Verilog runs: the simulators of package sim
// drive clocks, which are ports. So a board is two modules: this one, with little more
// than the parts of the vendor, and the logic inside.
func (m *Module) ClockOf(name string, clk, rst Bits) Clock {
	if m.parent != nil {
		m.reportf(check.Misuse, "ClockOf(%q) inside %s: only the outermost module makes clocks", name, m.ir.Name)
	}
	if _, taken := m.named[name]; taken {
		m.reportf(check.Clash, "the clock domain %q is there already", name)
		return Clock{m, m.named[name]}
	}
	c := &ir.Clock{Name: name, Clk: "clk", Rst: "rst", Module: m.ir}
	if name != "" {
		c.Clk, c.Rst = name+"_clk", name+"_rst"
	}
	for _, net := range []struct {
		name string
		from Bits
	}{{c.Clk, clk}, {c.Rst, rst}} {
		wire := m.Wire(net.name, 1)
		wire.Set(net.from)
		m.Unused(wire) // its readers are the registers of the domain
	}
	m.named[name] = c
	m.ir.Made = append(m.ir.Made, c)
	return Clock{m, c}
}

// In runs f with its registers, memory ports and properties in domain c.
func (m *Module) In(c Clock, f func()) {
	if c.m != m {
		m.reportf(check.Owner, "the clock domain belongs to another module")
		return
	}
	outer := m.clock
	m.clock = c.clock
	defer func() { m.clock = outer }()
	f()
}

// ClockJoin says which domain of a module a domain of an instance is.
type ClockJoin struct {
	child  string
	parent Clock
}

// WithClock joins the instance's clock domain of that name to the domain to of
// the module around it, for [Instance].
func WithClock(child string, to Clock) ClockJoin { return ClockJoin{child, to} }

// joinClocks connects the clocks of an instance.
func (m *Module) joinClocks(inst *ir.Instance, joins []ClockJoin) {
	wanted := map[string]*ir.Clock{}
	for _, j := range joins {
		if j.parent.m != m {
			m.reportf(check.Owner, "WithClock(%q) of %s: the clock domain belongs to another module", j.child, inst.Name)
			continue
		}
		wanted[j.child] = j.parent.clock
	}
	for _, c := range inst.Module.Clocks {
		switch to, ok := wanted[c.Name]; {
		case ok:
			inst.Clocks[c] = to
			delete(wanted, c.Name)
		case c.Name == "":
			inst.Clocks[c] = m.domain()
		default:
			inst.Clocks[c] = m.Domain(c.Name).clock
		}
	}
	for _, j := range joins {
		if _, left := wanted[j.child]; left {
			m.reportf(check.Misuse, "WithClock(%q): %s has no such clock domain", j.child, inst.Module.Name)
		}
	}
}

// domain returns the domain that new state goes to.
func (m *Module) domain() *ir.Clock {
	if m.clock != nil {
		return m.clock
	}
	return m.Domain("").clock
}

// CrossSafe marks a register as safe to be read from another clock domain: the
// reader synchronises it and can do with any mix of old and new bits. It
// returns the register.
func CrossSafe(x Bits) Bits {
	if s := x.Signal(); s != nil && s.Kind == ir.Reg {
		s.Cross = true
	} else if x.m != nil {
		x.m.reportf(check.Assign, "CrossSafe of %s, which is not a register", x.describe())
	}
	return x
}
