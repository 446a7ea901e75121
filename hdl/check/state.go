package check

import "gornic/hdl/ir"

// checkStates finds states of FSMs that are never entered or never left.
func checkStates(c *checker, m *ir.Module) {
	byTarget := assignments(m)
	for _, s := range m.Signals {
		if s.Kind == ir.Reg && s.FSM && s.Enum != nil && len(s.Enum.Values) > 0 && len(byTarget[s]) > 0 {
			c.states(m, s)
		}
	}
}

func (c *checker) states(m *ir.Module, reg *ir.Signal) {
	f := newTransitions(m, reg)
	f.follow(reg, f.all())
	for _, bad := range f.strangers {
		c.report(bad.Pos, m, "%v is assigned to %s, of which it is no state", bad.Const, reg.Name)
	}
	entered := f.reachable()
	for i, v := range reg.Enum.Values {
		switch {
		case !entered.has(i):
			c.report(reg.Pos, m, "state %s of %s is never entered", v.Name, reg.Name)
		case f.dead(i):
			c.report(reg.Pos, m, "state %s of %s is never left", v.Name, reg.Name)
		}
	}
}

// transitions finds the edges between the states of one FSM. An edge that
// cannot be ruled out is taken as there.
type transitions struct {
	module    *ir.Module
	reg       *ir.Signal
	index     map[uint64]int // of a state, by value
	edges     []mask         // for each state, the states that may follow it
	strangers []*ir.Node     // constants that are no state
	within    map[*ir.Signal]bool
}

func newTransitions(m *ir.Module, reg *ir.Signal) *transitions {
	f := &transitions{module: m, reg: reg, index: make(map[uint64]int), within: make(map[*ir.Signal]bool)}
	for i, v := range reg.Enum.Values {
		f.index[v.Value] = i
		f.edges = append(f.edges, newMask(len(reg.Enum.Values)))
	}
	return f
}

func (f *transitions) none() mask { return newMask(len(f.edges)) }

func (f *transitions) all() mask {
	m := f.none()
	m.fill(0, len(f.edges))
	return m
}

// follow adds the edges of every assignment to target, the register or a wire
// that it takes its next state from, for the present states in here.
func (f *transitions) follow(target *ir.Signal, here mask) {
	if f.within[target] {
		return
	}
	f.within[target] = true
	defer delete(f.within, target)
	for _, b := range blocks(f.module) {
		f.block(b, target, here)
	}
}

func (f *transitions) block(b *ir.Block, target *ir.Signal, here mask) {
	if here.empty() {
		return
	}
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *ir.Assign:
			if s.Target == target {
				f.value(s.Value, here)
			}
		case *ir.If:
			rest := here
			for _, arm := range s.Arms {
				taken := rest
				if arm.Cond != nil {
					taken, rest = f.split(arm.Cond, rest)
				}
				f.block(arm.Body, target, taken)
			}
		case *ir.Switch:
			f.cases(s, target, here)
		}
	}
}

func (f *transitions) cases(s *ir.Switch, target *ir.Signal, here mask) {
	onState := s.Subject.Op == ir.OpSignal && s.Subject.Signal == f.reg
	rest := here
	for _, arm := range s.Arms {
		taken := rest
		if onState && len(arm.Values) > 0 {
			listed := f.none()
			for _, v := range arm.Values {
				if i, ok := f.index[v.Uint64()]; ok {
					listed.set(i)
				}
			}
			taken, rest = both(here, listed), without(rest, listed)
		}
		f.block(arm.Body, target, taken)
	}
}

// value adds the edges from the states in here to what n can be.
func (f *transitions) value(n *ir.Node, here mask) {
	switch {
	case n.Op == ir.OpConst:
		i, ok := f.index[n.Const.Uint64()]
		if !ok {
			f.strangers = append(f.strangers, n)
			return
		}
		to := f.none()
		to.set(i)
		f.add(here, to)
	case n.Op == ir.OpMux:
		yes, no := f.split(n.Args[0], here)
		f.value(n.Args[1], yes)
		f.value(n.Args[2], no)
	case n.Op == ir.OpSignal && n.Signal == f.reg: // the state stays
	case n.Op == ir.OpSignal && n.Signal.Kind == ir.Wire:
		f.follow(n.Signal, here)
	default:
		f.add(here, f.all())
	}
}

func (f *transitions) add(from, to mask) {
	for i := range f.edges {
		if from.has(i) {
			f.edges[i].or(to)
		}
	}
}

// split returns the states of here in which a condition can be one, and those
// in which it can be zero.
func (f *transitions) split(cond *ir.Node, here mask) (one, zero mask) {
	switch cond.Op {
	case ir.OpNot:
		one, zero = f.split(cond.Args[0], here)
		return zero, one
	case ir.OpAnd:
		oneA, zeroA := f.split(cond.Args[0], here)
		oneB, zeroB := f.split(cond.Args[1], here)
		return both(oneA, oneB), either(zeroA, zeroB)
	case ir.OpOr:
		oneA, zeroA := f.split(cond.Args[0], here)
		oneB, zeroB := f.split(cond.Args[1], here)
		return either(oneA, oneB), both(zeroA, zeroB)
	case ir.OpEq, ir.OpNe:
		state, ok := f.compared(cond)
		if !ok {
			return here, here
		}
		one, zero = both(here, state), without(here, state)
		if cond.Op == ir.OpNe {
			return zero, one
		}
		return one, zero
	}
	return here, here
}

// compared returns the state that a comparison of the register with a
// constant asks for, as a set.
func (f *transitions) compared(n *ir.Node) (mask, bool) {
	a, b := n.Args[0], n.Args[1]
	if a.Op == ir.OpConst {
		a, b = b, a
	}
	if a.Op != ir.OpSignal || a.Signal != f.reg || b.Op != ir.OpConst {
		return nil, false
	}
	state := f.none()
	if i, ok := f.index[b.Const.Uint64()]; ok {
		state.set(i)
	}
	return state, true
}

// reachable returns the states that can follow reset. Without a reset value
// every state can be the first one.
func (f *transitions) reachable() mask {
	if f.reg.Reset == nil {
		return f.all()
	}
	entered := f.none()
	var enter func(i int)
	enter = func(i int) {
		if entered.has(i) {
			return
		}
		entered.set(i)
		for next := range f.edges {
			if f.edges[i].has(next) {
				enter(next)
			}
		}
	}
	if i, ok := f.index[f.reg.Reset.Uint64()]; ok {
		enter(i)
	}
	return entered
}

// dead reports whether state i is followed by none but itself.
func (f *transitions) dead(i int) bool {
	for next := range f.edges {
		if next != i && f.edges[i].has(next) {
			return false
		}
	}
	return len(f.edges) > 1
}

func both(a, b mask) mask {
	m := make(mask, len(a))
	for i := range m {
		m[i] = a[i] & b[i]
	}
	return m
}

func either(a, b mask) mask {
	m := make(mask, len(a))
	for i := range m {
		m[i] = a[i] | b[i]
	}
	return m
}

func without(a, b mask) mask {
	m := make(mask, len(a))
	for i := range m {
		m[i] = a[i] &^ b[i]
	}
	return m
}
