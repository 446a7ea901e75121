package verilog

import (
	"strings"

	"gornic/hdl/ir"
)

// homeOf is the Go file that a module comes from: the one its Body begins in,
// or, for a Body that the compiler made, such as a method's, the one that most
// of the module was written in.
func homeOf(m *ir.Module) string {
	if file, _ := m.Home.Line(); strings.HasSuffix(file, ".go") {
		return file
	}
	count := map[string]int{}
	best := ""
	add := func(p ir.Pos) {
		file, _ := p.Line()
		count[file]++
		if file != "" && (best == "" || count[file] > count[best]) {
			best = file
		}
	}
	addPositions(m.Body, add)
	for _, s := range m.Signals {
		if s.Kind != ir.Input && s.Kind != ir.Output && s.Instance == nil {
			add(s.Pos)
		}
	}
	if best == "" {
		add(m.Pos)
	}
	return best
}

// addPositions calls add for every statement of a block.
func addPositions(b *ir.Block, add func(ir.Pos)) {
	for _, s := range b.Stmts {
		add(s.Position())
		switch s := s.(type) {
		case *ir.If:
			for _, a := range s.Arms {
				addPositions(a.Body, add)
			}
		case *ir.Switch:
			for _, a := range s.Arms {
				addPositions(a.Body, add)
			}
		}
	}
}
