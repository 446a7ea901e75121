package check

import "gornic/hdl/ir"

// blocks returns the statements of a module: those of the hardware and those
// that serve its properties.
func blocks(m *ir.Module) []*ir.Block {
	var list []*ir.Block
	for _, b := range []*ir.Block{m.Body, m.Ghost} {
		if b != nil {
			list = append(list, b)
		}
	}
	return list
}

// bodies returns the blocks inside a statement, in order.
func bodies(s ir.Stmt) []*ir.Block {
	var list []*ir.Block
	switch s := s.(type) {
	case *ir.If:
		for _, arm := range s.Arms {
			list = append(list, arm.Body)
		}
	case *ir.Switch:
		for _, arm := range s.Arms {
			list = append(list, arm.Body)
		}
	}
	return list
}

// conditions returns the values that decide which body of a statement runs.
func conditions(s ir.Stmt) []*ir.Node {
	var list []*ir.Node
	switch s := s.(type) {
	case *ir.If:
		for _, arm := range s.Arms {
			if arm.Cond != nil {
				list = append(list, arm.Cond)
			}
		}
	case *ir.Switch:
		list = append(list, s.Subject)
	}
	return list
}

// eachStmt calls visit for every statement of b, inner ones after the one
// that holds them.
func eachStmt(b *ir.Block, visit func(ir.Stmt)) {
	for _, s := range b.Stmts {
		visit(s)
		for _, body := range bodies(s) {
			eachStmt(body, visit)
		}
	}
}

// assignments returns the assignments of a module by target, each list in the
// order they were written.
func assignments(m *ir.Module) map[*ir.Signal][]*ir.Assign {
	byTarget := make(map[*ir.Signal][]*ir.Assign)
	for _, b := range blocks(m) {
		eachStmt(b, func(s ir.Stmt) {
			if a, ok := s.(*ir.Assign); ok {
				byTarget[a.Target] = append(byTarget[a.Target], a)
			}
		})
	}
	return byTarget
}

// roots returns every expression that a module uses, outside the arguments of
// other expressions.
func roots(m *ir.Module) []*ir.Node {
	var list []*ir.Node
	for _, b := range blocks(m) {
		eachStmt(b, func(s ir.Stmt) {
			if a, ok := s.(*ir.Assign); ok {
				list = append(list, a.Value)
			}
			list = append(list, conditions(s)...)
		})
	}
	for _, mem := range m.Memories {
		list = append(list, memoryInputs(mem)...)
	}
	for _, c := range m.Checks {
		list = append(list, c.Cond)
	}
	list = append(list, eventValues(m)...)
	return append(list, m.Unused...)
}

// eventValues returns the conditions and fields of the events of a module.
func eventValues(m *ir.Module) []*ir.Node {
	var list []*ir.Node
	for _, e := range m.Events {
		list = append(list, e.When)
		for _, f := range e.Fields {
			list = append(list, f.Value)
		}
	}
	return list
}

// memoryInputs returns the values that the ports of a memory take.
func memoryInputs(mem *ir.Memory) []*ir.Node {
	var list []*ir.Node
	for _, p := range mem.Reads {
		list = append(list, p.Addr, p.En)
	}
	for _, p := range mem.Writes {
		list = append(list, p.Addr, p.En, p.Data)
		if p.Lanes != nil {
			list = append(list, p.Lanes)
		}
	}
	return list
}

// postorder returns the nodes that roots reach, each once, arguments before
// the nodes that use them.
func postorder(roots []*ir.Node) []*ir.Node {
	var order []*ir.Node
	seen := make(map[*ir.Node]bool)
	var visit func(*ir.Node)
	visit = func(n *ir.Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		for _, a := range n.Args {
			visit(a)
		}
		order = append(order, n)
	}
	for _, n := range roots {
		visit(n)
	}
	return order
}

// combinational reports whether a signal follows its drivers within the
// cycle: all but registers and the data of synchronous reads.
func combinational(s *ir.Signal) bool { return s.Kind != ir.Reg && s.Kind != ir.ReadData }

// hollow reports whether a module is a black box without a model, about whose
// inside nothing can be said.
func hollow(m *ir.Module) bool {
	return m.External && len(m.Instances) == 0 && len(m.Memories) == 0 && (m.Body == nil || len(m.Body.Stmts) == 0)
}
