package check

import (
	"regexp"
	"strings"

	"gornic/hdl/ir"
)

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_$]*$`)

// checkNames finds names that cannot be printed. Two things of one name in a
// module are found by package hdl where the second one is made.
func checkNames(c *checker) {
	byFold := make(map[string]*ir.Module)
	for _, m := range c.modules {
		fold := strings.ToLower(m.Name)
		if other := byFold[fold]; other != nil && other.Name != m.Name {
			c.report(m.Pos, m, "the name differs only in case from module %s (%v)", other.Name, other.Pos)
		}
		byFold[fold] = m
		eachName(m, func(what, name string, pos ir.Pos) {
			c.identifier(m, what, name, pos)
		})
		for _, e := range m.Events { // reserved words may be their names: they are parts of longer ones
			c.identifier(m, "event", e.Name, e.Pos)
			for _, f := range e.Fields {
				c.identifier(m, "field of event "+e.Name, f.Name, e.Pos)
			}
		}
	}
}

func (c *checker) identifier(m *ir.Module, what, name string, pos ir.Pos) {
	if !identifier.MatchString(name) {
		c.report(pos, m, "%s: %q is not a Verilog identifier", what, name)
	}
}

// checkReserved finds names that mean something else to Verilog.
func checkReserved(c *checker) {
	for _, m := range c.modules {
		eachName(m, func(what, name string, pos ir.Pos) {
			if language := reserved[name]; language != "" {
				c.report(pos, m, "%s: %s is a reserved word of %s", what, name, language)
			}
		})
	}
}

// kindName is the kind of a signal in a message.
func kindName(k ir.Kind) string {
	if k == ir.Reg {
		return "register"
	}
	return k.String()
}

// eachName calls visit for the names of a module and of what is in it.
func eachName(m *ir.Module, visit func(what, name string, pos ir.Pos)) {
	visit("module", m.Name, m.Pos)
	for _, s := range m.Signals {
		if s.Instance == nil { // the names of the instance and of its port are visited
			visit(kindName(s.Kind), s.Name, s.Pos)
		}
	}
	for _, clk := range m.Clocks {
		visit("clock", clk.Clk, m.Pos)
		visit("reset", clk.Rst, m.Pos)
	}
	for _, mem := range m.Memories {
		visit("memory", mem.Name, mem.Pos)
	}
	for _, i := range m.Instances {
		visit("instance", i.Name, i.Pos)
	}
	for _, p := range m.Checks {
		visit("property", p.Name, p.Pos)
	}
}
