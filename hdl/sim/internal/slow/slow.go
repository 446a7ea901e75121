// Package slow runs a design the plain way: it walks the statements as they
// were written and the expressions as trees, with integers of any size. It shares
// nothing with the real simulator and is what that is compared with.
package slow

import (
	"math/big"

	"gornic/hdl/ir"
)

// Sim is a running design.
type Sim struct {
	d       *ir.Design
	state   map[*ir.Signal]*big.Int // inputs, registers, read data
	words   map[*ir.Memory][]*big.Int
	inst    map[*ir.Module]*ir.Instance
	outer   map[*ir.Signal]*ir.Signal
	root    map[*ir.Clock]*ir.Clock
	resets  map[*ir.Clock]bool
	signals map[*ir.Signal]*big.Int // values of this cycle
	nodes   map[*ir.Node]*big.Int
}

// New returns a design with all resets high. load gives the first value of each
// register, read data and memory word.
func New(d *ir.Design, load func(m *ir.Module, name string, index int) *big.Int) *Sim {
	s := &Sim{
		d: d, state: map[*ir.Signal]*big.Int{}, words: map[*ir.Memory][]*big.Int{},
		inst: map[*ir.Module]*ir.Instance{}, outer: map[*ir.Signal]*ir.Signal{},
		root: map[*ir.Clock]*ir.Clock{}, resets: map[*ir.Clock]bool{},
	}
	for _, c := range d.Top.Clocks {
		s.root[c], s.resets[c] = c, true
	}
	for _, m := range d.All {
		for _, inst := range m.Instances {
			s.inst[inst.Module] = inst
			for child, parent := range inst.Clocks {
				s.root[child] = s.root[parent]
			}
			for _, p := range inst.Ports {
				s.outer[p.Port] = p
			}
		}
		for _, sig := range m.Signals {
			if sig.Kind == ir.Reg || sig.Kind == ir.ReadData {
				s.state[sig] = load(m, sig.Name, -1)
			}
		}
		for _, mem := range m.Memories {
			for i := range mem.Depth {
				s.words[mem] = append(s.words[mem], load(m, mem.Name, i))
			}
		}
	}
	s.changed()
	return s
}

// Set drives an input port of the top.
func (s *Sim) Set(port *ir.Signal, v *big.Int) {
	s.state[port] = v
	s.changed()
}

// SetReset drives the reset of a clock of the top.
func (s *Sim) SetReset(clock *ir.Clock, high bool) { s.resets[clock] = high }

// Get returns the value of any signal.
func (s *Sim) Get(sig *ir.Signal) *big.Int { return s.signal(sig) }

// Value returns the value of any expression of the design.
func (s *Sim) Value(n *ir.Node) *big.Int { return s.value(n) }

func (s *Sim) changed() {
	s.signals = map[*ir.Signal]*big.Int{}
	s.nodes = map[*ir.Node]*big.Int{}
}

func (s *Sim) signal(sig *ir.Signal) *big.Int {
	if v, ok := s.state[sig]; ok {
		return v
	}
	if v, ok := s.signals[sig]; ok {
		return v
	}
	var v *big.Int
	switch {
	case sig.Kind == ir.Input:
		v = s.signal(s.outer[sig])
	case sig.Kind == ir.ChildOutput:
		v = s.signal(sig.Port)
	default:
		v = s.assigned(sig, new(big.Int))
	}
	s.signals[sig] = v
	return v
}

// assigned returns the value of the last assignment reached, or otherwise.
func (s *Sim) assigned(sig *ir.Signal, otherwise *big.Int) *big.Int {
	last := s.walk(sig.Module.Body, sig)
	if last == nil && sig.Module.Ghost != nil {
		last = s.walk(sig.Module.Ghost, sig)
	}
	if last == nil {
		return otherwise
	}
	return s.value(last.Value)
}

func (s *Sim) walk(b *ir.Block, sig *ir.Signal) (last *ir.Assign) {
	for _, stmt := range b.Stmts {
		var inner *ir.Assign
		switch stmt := stmt.(type) {
		case *ir.Assign:
			if stmt.Target == sig {
				inner = stmt
			}
		case *ir.If:
			if assigns(stmt, sig) {
				inner = s.walkIf(stmt, sig)
			}
		case *ir.Switch:
			if assigns(stmt, sig) {
				inner = s.walkSwitch(stmt, sig)
			}
		}
		if inner != nil {
			last = inner
		}
	}
	return last
}

// assigns reports whether a statement assigns sig anywhere: the conditions
// around what it does not assign may depend on it.
func assigns(stmt ir.Stmt, sig *ir.Signal) bool {
	var bodies []*ir.Block
	switch stmt := stmt.(type) {
	case *ir.Assign:
		return stmt.Target == sig
	case *ir.If:
		for _, a := range stmt.Arms {
			bodies = append(bodies, a.Body)
		}
	case *ir.Switch:
		for _, a := range stmt.Arms {
			bodies = append(bodies, a.Body)
		}
	}
	for _, b := range bodies {
		for _, inner := range b.Stmts {
			if assigns(inner, sig) {
				return true
			}
		}
	}
	return false
}

func (s *Sim) walkIf(stmt *ir.If, sig *ir.Signal) *ir.Assign {
	for _, a := range stmt.Arms {
		if a.Cond == nil || s.value(a.Cond).Sign() != 0 {
			return s.walk(a.Body, sig)
		}
	}
	return nil
}

func (s *Sim) walkSwitch(stmt *ir.Switch, sig *ir.Signal) *ir.Assign {
	v := s.value(stmt.Subject)
	for _, a := range stmt.Arms {
		if len(a.Values) == 0 {
			return s.walk(a.Body, sig)
		}
		for _, c := range a.Values {
			if c.Big().Cmp(v) == 0 {
				return s.walk(a.Body, sig)
			}
		}
	}
	return nil
}

// Edge is a rising edge of clocks of the top.
func (s *Sim) Edge(clocks ...*ir.Clock) {
	rising := map[*ir.Clock]bool{}
	for _, c := range clocks {
		rising[c] = true
	}
	next := map[*ir.Signal]*big.Int{}
	var writes []func()
	for _, m := range s.d.All {
		for _, sig := range m.Signals {
			root := s.root[sig.Clock]
			if sig.Kind != ir.Reg || !rising[root] {
				continue
			}
			next[sig] = s.assigned(sig, s.state[sig])
			if s.resets[root] && sig.Reset != nil {
				next[sig] = sig.Reset.Big()
			}
		}
		for _, mem := range m.Memories {
			writes = append(writes, s.memory(mem, rising, next)...)
		}
	}
	for _, w := range writes {
		w()
	}
	for sig, v := range next {
		s.state[sig] = v
	}
	s.changed()
}

// memory collects what an edge reads, and what it will write.
func (s *Sim) memory(mem *ir.Memory, rising map[*ir.Clock]bool, next map[*ir.Signal]*big.Int) []func() {
	words := append([]*big.Int(nil), s.words[mem]...)
	for _, p := range mem.Writes {
		addr := s.value(p.Addr)
		if !rising[s.root[p.Clock]] || s.value(p.En).Sign() == 0 || addr.Cmp(big.NewInt(int64(mem.Depth))) >= 0 {
			continue
		}
		at := int(addr.Int64())
		words[at] = s.merge(mem, p, words[at])
	}
	seen := s.words[mem]
	if mem.Collide == ir.ReadNew {
		seen = words
	}
	for _, p := range mem.Reads {
		if !rising[s.root[p.Clock]] || s.value(p.En).Sign() == 0 {
			continue
		}
		next[p.Data] = new(big.Int)
		if addr := s.value(p.Addr); addr.Cmp(big.NewInt(int64(mem.Depth))) < 0 {
			next[p.Data] = seen[addr.Int64()]
		}
	}
	return []func(){func() { s.words[mem] = words }}
}

func (s *Sim) merge(mem *ir.Memory, p *ir.WritePort, old *big.Int) *big.Int {
	data := s.value(p.Data)
	if p.Lanes == nil {
		return data
	}
	lanes, word := s.value(p.Lanes), new(big.Int).Set(old)
	for i := range mem.Width {
		if lanes.Bit(i/mem.Lane) == 1 {
			word.SetBit(word, i, data.Bit(i))
		}
	}
	return word
}
