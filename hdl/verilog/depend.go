package verilog

import "gornic/hdl/ir"

// paths knows which outputs of a module follow which inputs within the cycle.
type paths struct {
	memo map[*ir.Module]map[*ir.Signal][]*ir.Signal // output port -> input ports
}

func newPaths() *paths { return &paths{memo: map[*ir.Module]map[*ir.Signal][]*ir.Signal{}} }

// inputsOf returns the inputs of m that an output of it follows.
func (p *paths) inputsOf(m *ir.Module, output *ir.Signal) []*ir.Signal {
	table, ok := p.memo[m]
	if !ok {
		table = p.trace(m)
		p.memo[m] = table
	}
	return table[output]
}

func (p *paths) trace(m *ir.Module) map[*ir.Signal][]*ir.Signal {
	drivers := p.drivers(m.Body)
	table := map[*ir.Signal][]*ir.Signal{}
	for _, out := range m.Signals {
		if out.Kind != ir.Output {
			continue
		}
		seen := map[*ir.Signal]bool{}
		var walk func(*ir.Signal)
		walk = func(s *ir.Signal) {
			if seen[s] {
				return
			}
			seen[s] = true
			if s.Kind == ir.Input {
				table[out] = append(table[out], s)
			}
			for _, d := range drivers[s] {
				walk(d)
			}
		}
		walk(out)
	}
	return table
}

// drivers returns, for each combinational target of a block, the signals that
// it follows within the cycle: inputs and other targets. Outputs of instances
// are replaced by the inputs that they follow.
func (p *paths) drivers(b *ir.Block) map[*ir.Signal][]*ir.Signal {
	d := &driverList{paths: p, list: map[*ir.Signal][]*ir.Signal{}, reads: map[*ir.Node][]*ir.Signal{}}
	if b != nil {
		d.block(b, nil)
	}
	return d.list
}

type driverList struct {
	paths *paths
	list  map[*ir.Signal][]*ir.Signal
	reads map[*ir.Node][]*ir.Signal
}

// block adds the drivers of the targets in b; under are the signals that
// decide whether b runs.
func (d *driverList) block(b *ir.Block, under []*ir.Signal) {
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *ir.Assign:
			if combinational(s.Target) {
				d.list[s.Target] = union(d.list[s.Target], under, d.signals(s.Value))
			}
		case *ir.If:
			conds := under
			for _, a := range s.Arms {
				if a.Cond != nil {
					conds = union(conds, d.signals(a.Cond))
				}
				d.block(a.Body, conds)
			}
		case *ir.Switch:
			conds := union(under, d.signals(s.Subject))
			for _, a := range s.Arms {
				d.block(a.Body, conds)
			}
		}
	}
}

// signals returns what an expression follows within the cycle.
func (d *driverList) signals(n *ir.Node) []*ir.Signal {
	if list, ok := d.reads[n]; ok {
		return list
	}
	var list []*ir.Signal
	seen := map[*ir.Node]bool{}
	var walk func(*ir.Node)
	walk = func(n *ir.Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		if n.Op == ir.OpSignal {
			list = union(list, d.sources(n.Signal))
		}
		for _, a := range n.Args {
			walk(a)
		}
	}
	walk(n)
	d.reads[n] = list
	return list
}

func (d *driverList) sources(s *ir.Signal) []*ir.Signal {
	switch {
	case s.Kind == ir.ChildOutput:
		var list []*ir.Signal
		for _, in := range d.paths.inputsOf(s.Instance.Module, s.Port) {
			for _, port := range s.Instance.Ports {
				if port.Port == in {
					list = append(list, port)
				}
			}
		}
		return list
	case combinational(s):
		return []*ir.Signal{s}
	}
	return nil
}

// combinational reports whether a signal follows its drivers within the cycle.
func combinational(s *ir.Signal) bool { return s.Kind != ir.Reg && s.Kind != ir.ReadData }

// union appends what is not yet in the first list; it does not change it.
func union(first []*ir.Signal, more ...[]*ir.Signal) []*ir.Signal {
	list := first[:len(first):len(first)]
	var seen map[*ir.Signal]bool
	for _, signals := range more {
		for _, s := range signals {
			if seen == nil {
				seen = make(map[*ir.Signal]bool, len(first)+len(signals))
				for _, f := range first {
					seen[f] = true
				}
			}
			if !seen[s] {
				seen[s] = true
				list = append(list, s)
			}
		}
	}
	return list
}
