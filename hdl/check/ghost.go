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
		for _, n := range memoryInputs(mem) {
			g.report(c, m, mem.Pos, "memory "+mem.Name, n)
		}
	}
}

// ghosts has for each expression the first ghost signal that it reads.
type ghosts map[*ir.Node]*ir.Signal

func (g ghosts) report(c *checker, m *ir.Module, pos ir.Pos, reader string, n *ir.Node) {
	if s := g.in(n); s != nil {
		c.report(pos, m, "%s depends on %s (%v), which serves properties only", reader, s.Name, s.Pos)
	}
}

func (g ghosts) in(n *ir.Node) *ir.Signal {
	if s, ok := g[n]; ok {
		return s
	}
	g[n] = nil
	if n.Op == ir.OpSignal && n.Signal.Ghost {
		g[n] = n.Signal
	}
	for _, a := range n.Args {
		if s := g.in(a); s != nil {
			g[n] = s
			break
		}
	}
	return g[n]
}
