package check

import "gornic/hdl/ir"

// checkGhosts finds hardware that depends on state of properties.
func checkGhosts(c *checker, m *ir.Module) {
	g := ghosts{}
	if m.Body != nil {
		eachStmt(m.Body, func(s ir.Stmt) {
			for _, n := range conditions(s) {
				g.report(c, m, s.Position(), "a condition of the hardware", n)
			}
			if a, ok := s.(*ir.Assign); ok && !a.Target.Ghost { // otherwise hdl has reported it
				g.report(c, m, a.Pos, a.Target.Name, a.Value)
			}
		})
	}
	for _, mem := range m.Memories {
		if mem.Ghost {
			continue
		}
		for _, n := range memoryInputs(mem) {
			g.report(c, m, mem.Pos, "memory "+mem.Name, n)
		}
	}
}

// ghosts has for each expression the first node in it that reads state of
// properties.
type ghosts map[*ir.Node]*ir.Node

func (g ghosts) report(c *checker, m *ir.Module, pos ir.Pos, reader string, n *ir.Node) {
	switch x := g.in(n); {
	case x == nil:
	case x.Op == ir.OpMemRead:
		c.report(pos, m, "%s depends on memory %s (%v), which serves properties only", reader, x.Memory.Name, x.Memory.Pos)
	default:
		c.report(pos, m, "%s depends on %s (%v), which serves properties only", reader, x.Signal.Name, x.Signal.Pos)
	}
}

func (g ghosts) in(n *ir.Node) *ir.Node {
	if x, ok := g[n]; ok {
		return x
	}
	g[n] = nil
	if n.Op == ir.OpSignal && n.Signal.Ghost || n.Op == ir.OpMemRead && n.Memory.Ghost {
		g[n] = n
		return n
	}
	for _, a := range n.Args {
		if x := g.in(a); x != nil {
			g[n] = x
			break
		}
	}
	return g[n]
}
