package hdl

import (
	"gornic/hdl/check"
	"gornic/hdl/ir"
)

// A holder is what has a name in a module, and where it was made.
type holder struct {
	what string // such as "output tokens"
	pos  ir.Pos
}

// open reports whether the Body runs, and where it has ended that something comes too late.
func (m *Module) open(what string, pos ir.Pos) bool {
	if m.done {
		m.reportAt(check.Owner, pos.AtUser(), "%s is added to module %s, whose Body has ended", what, m.ir.Name)
	}
	return !m.done
}

// claim takes a name in the module, and reports the second taker: once a
// statement, which may make a whole bundle, or an instance and its ports.
func (m *Module) claim(what, name string, pos ir.Pos) {
	if !m.open(what+" "+name, pos) {
		return
	}
	if name == "" {
		m.reportAt(check.Clash, pos, "a signal, memory or instance without a name")
		return
	}
	first, taken := m.names[name]
	switch {
	case !taken:
		m.names[name] = holder{what + " " + name, pos.AtUser()}
	case !m.clashed[pos]:
		m.clashed[pos] = true
		m.reportAt(check.Clash, pos.AtUser(), "%s %s: the name is taken by %s (%s)", what, name, first.what, first.pos)
	}
}
