package netlist

import "gornic/hdl/ir"

// A scope holds the values that the statements of a block have given to their
// targets so far, over those of the blocks around it.
type scope struct {
	outer *scope
	value map[*ir.Signal]*ir.Node
	order []*ir.Signal // keys of value, first assigned first
}

func newScope(outer *scope) *scope { return &scope{outer: outer, value: map[*ir.Signal]*ir.Node{}} }

func (s *scope) set(target *ir.Signal, v *ir.Node) {
	if _, ok := s.value[target]; !ok {
		s.order = append(s.order, target)
	}
	s.value[target] = v
}

// get returns the present value: a register that nothing was assigned to
// holds, anything else is undefined, which reads as zero.
func (s *scope) get(target *ir.Signal) *ir.Node {
	for at := s; at != nil; at = at.outer {
		if v, ok := at.value[target]; ok {
			return v
		}
	}
	if target.Kind == ir.Reg {
		return &ir.Node{Op: ir.OpSignal, Width: target.Width, Signal: target, Module: target.Module}
	}
	zero, _ := ir.NewConst(target.Width, 0)
	return &ir.Node{Op: ir.OpConst, Width: target.Width, Const: zero}
}

// run walks a block; the values of its targets end up in s.
func (s *scope) run(block *ir.Block) {
	if block == nil {
		return
	}
	for _, stmt := range block.Stmts {
		switch stmt := stmt.(type) {
		case *ir.Assign:
			s.set(stmt.Target, stmt.Value)
		case *ir.If:
			s.merge(ifBranches(stmt))
		case *ir.Switch:
			s.merge(switchBranches(stmt))
		}
	}
}

// A branch is an arm of an If or Switch. A nil condition is the last arm's,
// which is then taken when no other is.
type branch struct {
	cond *ir.Node
	body *ir.Block
	pos  ir.Pos
	kind string
}

// merge runs the branches and joins what they assign, target by target.
// Targets that depend on each other through different branches are thus no loop.
func (s *scope) merge(branches []branch) {
	arms := make([]*scope, len(branches))
	targets := newScope(nil)
	for i, b := range branches {
		arms[i] = newScope(s)
		arms[i].run(b.body)
		for _, t := range arms[i].order {
			targets.set(t, nil)
		}
	}
	for _, t := range targets.order {
		v := s.get(t)
		for i := len(branches) - 1; i >= 0; i-- {
			if branches[i].cond == nil {
				v = arms[i].get(t)
			} else {
				v = mux(branches[i].cond, arms[i].get(t), v)
			}
		}
		s.set(t, v)
	}
}

func mux(cond, a, b *ir.Node) *ir.Node {
	if a == b {
		return a
	}
	return &ir.Node{Op: ir.OpMux, Width: a.Width, Args: []*ir.Node{cond, a, b}, Module: cond.Module, Pos: cond.Pos}
}

func ifBranches(stmt *ir.If) []branch {
	var out []branch
	for i, a := range stmt.Arms {
		kind := "else if"
		switch {
		case i == 0:
			kind = "if"
		case a.Cond == nil:
			kind = "else"
		}
		out = append(out, branch{cond: a.Cond, body: a.Body, pos: a.Pos, kind: kind})
	}
	return out
}

func switchBranches(stmt *ir.Switch) []branch {
	var out []branch
	listed := 0
	for _, a := range stmt.Arms {
		b := branch{body: a.Body, pos: a.Pos, kind: "default"}
		if len(a.Values) > 0 {
			b.cond, b.kind = oneOf(stmt.Subject, a.Values), "case"
		}
		listed += len(a.Values)
		out = append(out, b)
	}
	if w := stmt.Subject.Width; len(out) > 0 && w < 31 && listed == 1<<w {
		out[len(out)-1].cond = nil // every value is listed: there is no way past the last arm
	}
	return out
}

// oneOf is one where subject has one of the values.
func oneOf(subject *ir.Node, values []ir.Const) *ir.Node {
	if len(values) > 2 && subject.Width <= 6 {
		return inSet(subject, values)
	}
	var any *ir.Node
	for _, v := range values {
		k := &ir.Node{Op: ir.OpConst, Width: v.Width, Const: v}
		eq := &ir.Node{Op: ir.OpEq, Width: 1, Args: []*ir.Node{subject, k}, Module: subject.Module, Pos: subject.Pos}
		if any == nil {
			any = eq
		} else {
			any = &ir.Node{Op: ir.OpOr, Width: 1, Args: []*ir.Node{any, eq}, Module: subject.Module, Pos: subject.Pos}
		}
	}
	return any
}

// inSet is oneOf by look-up: bit number subject of a constant.
func inSet(subject *ir.Node, values []ir.Const) *ir.Node {
	set := uint64(0)
	for _, v := range values {
		set |= 1 << v.Uint64()
	}
	c, _ := ir.NewConst(64, set)
	table := &ir.Node{Op: ir.OpConst, Width: 64, Const: c}
	at := &ir.Node{Op: ir.OpShr, Width: 64, Args: []*ir.Node{table, subject}, Module: subject.Module}
	return &ir.Node{Op: ir.OpSlice, Width: 1, Args: []*ir.Node{at}, Module: subject.Module}
}

// definitions returns what drives each assigned signal of a module.
func definitions(m *ir.Module) *scope {
	s := newScope(nil)
	s.run(m.Body)
	s.run(m.Ghost)
	return s
}
