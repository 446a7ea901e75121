package check

import "gornic/hdl/ir"

// checkClocks finds state without a clock, and domains of instances that are
// not connected.
func checkClocks(c *checker, m *ir.Module) {
	for _, s := range m.Signals {
		if s.Kind == ir.Reg {
			c.clocked(m, s.Clock, s.Pos, "register "+s.Name)
		}
	}
	for _, mem := range m.Memories {
		for _, p := range mem.Reads {
			c.clocked(m, p.Clock, p.Pos, "read port of memory "+mem.Name)
		}
		for _, p := range mem.Writes {
			c.clocked(m, p.Clock, p.Pos, "write port of memory "+mem.Name)
		}
	}
	for _, p := range m.Checks {
		c.clocked(m, p.Clock, p.Pos, "property "+p.Name)
	}
	for _, e := range m.Events {
		c.clocked(m, e.Clock, e.Pos, "event "+e.Name)
	}
	for _, i := range m.Instances {
		c.connected(m, i)
	}
}

// clocked verifies that a clock is one of module m.
func (c *checker) clocked(m *ir.Module, clk *ir.Clock, pos ir.Pos, what string) {
	switch {
	case clk == nil:
		c.report(pos, m, "%s has no clock", what)
	case clk.Module != m:
		c.report(pos, m, "%s has the clock %s of another module", what, clk.Clk)
	}
}

func (c *checker) connected(m *ir.Module, i *ir.Instance) {
	for _, clk := range i.Module.Clocks {
		switch to := i.Clocks[clk]; {
		case to == nil:
			c.report(i.Pos, m, "clock %s of %s is not connected", clk.Clk, i.Name)
		case to.Module != m:
			c.report(i.Pos, m, "clock %s of %s is connected to a clock of another module", clk.Clk, i.Name)
		}
	}
}
