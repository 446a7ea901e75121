package netlist

import (
	"slices"
	"strings"

	"gornic/hdl/ir"
	"gornic/hdl/verilog"
)

// Source knows the names of a design, and where each was written.
type Source struct {
	modules map[string]*ir.Module // by the path of the instance
	lines   map[*ir.Module]map[string]ir.Pos
}

// Place is a name in the source.
type Place struct {
	Name string // with its path: "u_core.u_retry.state"
	Line string // "blocks/retry/retry.go:47"
}

// NewSource reads the names of a design.
func NewSource(d *ir.Design) *Source {
	s := &Source{modules: map[string]*ir.Module{}, lines: map[*ir.Module]map[string]ir.Pos{}}
	for _, m := range d.All {
		s.modules[m.Path] = m
	}
	return s
}

// Paths are the paths of all instances.
func (s *Source) Paths() map[string]bool {
	paths := map[string]bool{}
	for path := range s.modules {
		paths[path] = true
	}
	return paths
}

// Find says what a net or a cell of the netlist was in the source. Yosys calls what has no name of its own after a
// neighbour that has one, with a tail such as _LUT4_Z_3, and nextpnr adds tails behind a dollar sign: the longest name that
// the module declares counts. Where there is none, the place is the instance, and the line that its module begins at.
func (s *Source) Find(name string) Place {
	name = strings.TrimPrefix(name, "$glbnet$")
	name, _, _ = strings.Cut(name, "$")
	path, local := "", name
	for i := strings.LastIndexByte(name, '.'); i >= 0; i = strings.LastIndexByte(name[:i], '.') {
		if s.modules[name[:i]] != nil {
			path, local = name[:i], name[i+1:]
			break
		}
	}
	m := s.modules[path]
	if m == nil {
		return Place{Name: name}
	}
	local, _, _ = strings.Cut(local, "[")
	known := s.names(m)
	for local != "" {
		if pos, ok := known[local]; ok {
			return Place{Name: strings.TrimPrefix(path+"."+local, "."), Line: pos.String()}
		}
		local = local[:max(0, strings.LastIndexByte(local, '_'))]
	}
	return Place{Name: path, Line: m.Home.String()}
}

func (s *Source) names(m *ir.Module) map[string]ir.Pos {
	if names, ok := s.lines[m]; ok {
		return names
	}
	names := map[string]ir.Pos{}
	for _, clock := range slices.Concat(m.Clocks, m.Made) {
		names[clock.Clk] = m.Home
	}
	for _, memory := range m.Memories {
		names[memory.Name] = memory.Pos
	}
	for _, signal := range m.Signals {
		names[verilog.Name(signal)] = signal.Pos
	}
	s.lines[m] = names
	return names
}
