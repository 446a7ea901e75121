package formal

import (
	"slices"

	"gornic/hdl/ir"
)

// relevant lists at most limit signals of the trace that decide over properties, in the order of the trace: the reset, what
// the properties read, the ports and registers behind that, then those that decide over those registers, and so on.
func (t *Trace) relevant(about []Property, limit int) []int {
	s := &search{trace: t, sources: sourcesOf(t.design), limit: limit, found: []int{0}, seen: map[*ir.Signal]bool{}, nodes: map[*ir.Node]bool{}}
	s.read = true
	for _, p := range about {
		if p.Check != nil {
			s.node(p.Check.Cond)
		}
	}
	s.read = false
	for len(s.state) > 0 {
		state := s.state
		s.state = nil
		for _, r := range state {
			for _, n := range s.sources.of[r] {
				s.node(n)
			}
		}
	}
	slices.Sort(s.found)
	return slices.Compact(s.found)
}

// A search walks from properties to what decides over them, up to registers and ports.
type search struct {
	trace   *Trace
	sources sources
	limit   int
	found   []int
	read    bool         // by a property itself: wires count, too
	state   []*ir.Signal // registers that were met, not yet looked behind
	seen    map[*ir.Signal]bool
	nodes   map[*ir.Node]bool
}

func (s *search) add(signal *ir.Signal) {
	if i, ok := s.trace.signals[signal]; ok && len(s.found) < s.limit {
		s.found = append(s.found, i)
	}
}

func (s *search) node(n *ir.Node) {
	if n == nil || s.nodes[n] || len(s.found) >= s.limit {
		return
	}
	s.nodes[n] = true
	switch n.Op {
	case ir.OpSignal:
		s.signal(n.Signal)
	case ir.OpMemRead:
		s.memory(n.Memory)
	}
	for _, a := range n.Args {
		s.node(a)
	}
}

func (s *search) signal(signal *ir.Signal) {
	if signal.Port != nil {
		signal = signal.Port
	}
	if s.seen[signal] {
		return
	}
	s.seen[signal] = true
	if s.read || signal.Kind == ir.Reg || signal.Kind == ir.ReadData || signal.Kind == ir.Input {
		s.add(signal)
	}
	switch signal.Kind {
	case ir.Reg:
		s.state = append(s.state, signal)
	case ir.ReadData:
		s.state = append(s.state, signal)
		s.memory(signal.Read.Memory)
	default:
		read := s.read
		s.read = false
		for _, n := range s.sources.of[signal] {
			s.node(n)
		}
		s.read = read
	}
}

// memory adds the words of a small memory.
func (s *search) memory(mem *ir.Memory) {
	if words := s.trace.memories[mem]; len(words) <= s.limit-len(s.found) {
		s.found = append(s.found, words...)
	}
}

// sources are the expressions that decide over each signal: its values, and the conditions around them.
type sources struct {
	of map[*ir.Signal][]*ir.Node
}

func sourcesOf(d *ir.Design) sources {
	s := sources{map[*ir.Signal][]*ir.Node{}}
	for _, m := range d.All {
		for _, b := range []*ir.Block{m.Body, m.Ghost} {
			s.block(b, nil)
		}
		for _, mem := range m.Memories {
			for _, r := range mem.Reads {
				s.of[r.Data] = append(s.of[r.Data], r.Addr, r.En)
			}
		}
	}
	return s
}

func (s sources) block(b *ir.Block, under []*ir.Node) {
	if b == nil {
		return
	}
	for _, stmt := range b.Stmts {
		switch stmt := stmt.(type) {
		case *ir.Assign:
			target := stmt.Target
			if target.Port != nil {
				target = target.Port // the input of an instance, as it sees it
			}
			s.of[target] = append(append(s.of[target], stmt.Value), under...)
		case *ir.If:
			inner := slices.Clone(under)
			for _, arm := range stmt.Arms {
				inner = append(inner, arm.Cond) // nil for else
				s.block(arm.Body, slices.Clone(inner))
			}
		case *ir.Switch:
			for _, arm := range stmt.Arms {
				s.block(arm.Body, append(slices.Clone(under), stmt.Subject))
			}
		}
	}
}
