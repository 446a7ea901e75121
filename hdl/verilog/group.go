package verilog

import (
	"cmp"
	"slices"

	"gornic/hdl/ir"
)

// An item is one assign or always block.
type item struct {
	order   int // of its first statement in the module's body
	targets []*ir.Signal
	body    []stmt
	clock   *ir.Clock // of registers; nil for combinational logic
	reset   bool      // the registers have a reset
	plain   bool      // one unconditional assignment: an assign
}

// A goal is a target with the top-level statements that count for it: those
// from its last unconditional assignment on.
type goal struct {
	signal *ir.Signal
	stmts  []int
	plain  bool
}

// grouper sorts the statements of a block into items.
type grouper struct {
	block    *ir.Block
	low      *lowerer
	goals    map[*ir.Signal]*goal
	order    []*goal // by first statement
	drivers  map[*ir.Signal][]*ir.Signal
	declared map[*ir.Signal]int // place of the declaration
}

// group returns the items of a block in source order. Targets that skip wants
// are left out.
func group(m *ir.Module, b *ir.Block, p *paths, low *lowerer, skip func(*ir.Signal) bool) []*item {
	g := &grouper{block: b, low: low, goals: map[*ir.Signal]*goal{}, drivers: p.drivers(b), declared: map[*ir.Signal]int{}}
	for i, s := range m.Signals {
		g.declared[s] = i
	}
	g.findGoals(skip)
	items := append(g.combinational(), g.registers()...)
	for _, it := range items {
		g.finish(it)
	}
	slices.SortStableFunc(items, func(a, b *item) int { return cmp.Compare(a.order, b.order) })
	return items
}

func (g *grouper) findGoals(skip func(*ir.Signal) bool) {
	for i, s := range g.block.Stmts {
		_, plain := s.(*ir.Assign)
		for _, t := range targetsOf(s, nil) {
			if skip(t) {
				continue
			}
			o := g.goals[t]
			if o == nil {
				o = &goal{signal: t}
				g.goals[t] = o
				g.order = append(g.order, o)
			}
			if plain {
				o.stmts, o.plain = nil, true
			} else {
				o.plain = false
			}
			o.stmts = append(o.stmts, i)
		}
	}
}

// targetsOf appends the targets in a statement, each once.
func targetsOf(s ir.Stmt, list []*ir.Signal) []*ir.Signal {
	each := func(b *ir.Block) {
		for _, s := range b.Stmts {
			list = targetsOf(s, list)
		}
	}
	switch s := s.(type) {
	case *ir.Assign:
		if !slices.Contains(list, s.Target) {
			list = append(list, s.Target)
		}
	case *ir.If:
		for _, a := range s.Arms {
			each(a.Body)
		}
	case *ir.Switch:
		for _, a := range s.Arms {
			each(a.Body)
		}
	}
	return list
}

// finish fills in what follows from the targets of an item.
func (g *grouper) finish(it *item) {
	slices.SortStableFunc(it.targets, func(a, b *ir.Signal) int { return cmp.Compare(g.declared[a], g.declared[b]) })
	it.order = len(g.block.Stmts)
	live := map[int]map[*ir.Signal]bool{}
	for _, t := range it.targets {
		for _, i := range g.goals[t].stmts {
			if live[i] == nil {
				live[i] = map[*ir.Signal]bool{}
			}
			live[i][t] = true
			it.order = min(it.order, i)
		}
	}
	for i, s := range g.block.Stmts {
		if keep := live[i]; keep != nil {
			it.body = append(it.body, g.low.cut([]ir.Stmt{s}, func(t *ir.Signal) bool { return keep[t] })...)
		}
	}
	it.plain = it.clock == nil && len(it.targets) == 1 && g.goals[it.targets[0]].plain
}

// combinational makes an assign of each target that is assigned once, and one
// always block of targets that share a condition tree. A block never depends
// on itself, directly or through other blocks: it is split where it would.
func (g *grouper) combinational() []*item {
	var items []*item
	var shared []*goal
	for _, o := range g.order {
		switch {
		case !combinational(o.signal):
		case o.plain:
			items = append(items, &item{targets: []*ir.Signal{o.signal}})
		default:
			shared = append(shared, o)
		}
	}
	for _, group := range g.together(shared) {
		for _, layer := range g.layers(group) {
			items = append(items, &item{targets: layer})
		}
	}
	return g.untangle(items)
}

// together joins the goals that share a top-level If or Switch.
func (g *grouper) together(goals []*goal) [][]*ir.Signal {
	groupOf := map[int]int{} // statement -> group
	var groups [][]*ir.Signal
	for _, o := range goals {
		at := -1
		for _, i := range o.stmts {
			if _, plain := g.block.Stmts[i].(*ir.Assign); plain {
				continue
			}
			other, taken := groupOf[i]
			switch {
			case !taken:
			case at < 0:
				at = other
			case other != at:
				groups[at] = append(groups[at], groups[other]...)
				groups[other] = nil
				for s, grp := range groupOf {
					if grp == other {
						groupOf[s] = at
					}
				}
			}
			if at < 0 {
				at = len(groups)
				groups = append(groups, nil)
			}
			groupOf[i] = at
		}
		groups[at] = append(groups[at], o.signal)
	}
	return slices.DeleteFunc(groups, func(s []*ir.Signal) bool { return len(s) == 0 })
}

// layers splits a group so that no target of a layer depends on another.
func (g *grouper) layers(group []*ir.Signal) [][]*ir.Signal {
	if len(group) == 1 {
		return [][]*ir.Signal{group}
	}
	depth := map[*ir.Signal]int{} // targets of the group on the longest way to the signal
	var depthOf func(*ir.Signal) int
	depthOf = func(s *ir.Signal) int {
		if d, ok := depth[s]; ok {
			return d
		}
		depth[s] = 0 // a loop, which package check reports, ends here
		d := 0
		for _, from := range g.drivers[s] {
			n := depthOf(from)
			if slices.Contains(group, from) {
				n++
			}
			d = max(d, n)
		}
		depth[s] = d
		return d
	}
	var list [][]*ir.Signal
	for _, s := range group {
		d := depthOf(s)
		for len(list) <= d {
			list = append(list, nil)
		}
		list[d] = append(list[d], s)
	}
	return slices.DeleteFunc(list, func(s []*ir.Signal) bool { return len(s) == 0 })
}

// untangle splits the blocks that depend on each other in a circle into one
// block a target.
func (g *grouper) untangle(items []*item) []*item {
	for {
		knots := g.knots(items)
		var next []*item
		for i, it := range items {
			if !knots[i] || len(it.targets) == 1 {
				next = append(next, it)
				continue
			}
			for _, t := range it.targets {
				next = append(next, &item{targets: []*ir.Signal{t}})
			}
		}
		if len(next) == len(items) {
			return items
		}
		items = next
	}
}

// knots says which items are part of a circle (Tarjan's algorithm).
func (g *grouper) knots(items []*item) []bool {
	itemOf := map[*ir.Signal]int{}
	for i, it := range items {
		for _, t := range it.targets {
			itemOf[t] = i
		}
	}
	index, low := make([]int, len(items)), make([]int, len(items))
	inStack, knot := make([]bool, len(items)), make([]bool, len(items))
	var stack []int
	count := 0
	var visit func(int)
	visit = func(i int) {
		count++
		index[i], low[i] = count, count
		stack, inStack[i] = append(stack, i), true
		for _, t := range items[i].targets {
			for _, from := range g.drivers[t] {
				j, ok := itemOf[from]
				switch {
				case !ok:
				case index[j] == 0:
					visit(j)
					low[i] = min(low[i], low[j])
				case inStack[j]:
					low[i] = min(low[i], index[j])
				}
			}
		}
		if low[i] != index[i] {
			return
		}
		at := slices.Index(stack, i)
		for _, j := range stack[at:] {
			inStack[j] = false
			knot[j] = len(stack)-at > 1
		}
		stack = stack[:at]
	}
	for i := range items {
		if index[i] == 0 {
			visit(i)
		}
	}
	return knot
}

// registers makes one always block of registers that share a condition tree,
// and one of pipeline registers that stand together; those with and without
// reset apart.
func (g *grouper) registers() []*item {
	type key struct {
		clock *ir.Clock
		group int
		plain bool
	}
	var shared []*goal
	runOf := g.runs()
	groups := map[key][]*ir.Signal{}
	var keys []key
	add := func(k key, s *ir.Signal) {
		if groups[k] == nil {
			keys = append(keys, k)
		}
		groups[k] = append(groups[k], s)
	}
	for _, o := range g.order {
		switch {
		case o.signal.Kind != ir.Reg:
		case o.plain:
			add(key{o.signal.Clock, runOf[o.stmts[0]], true}, o.signal)
		default:
			shared = append(shared, o)
		}
	}
	for i, group := range g.together(shared) {
		for _, s := range group {
			add(key{s.Clock, i, false}, s)
		}
	}
	var items []*item
	for _, k := range keys {
		for _, reset := range []bool{true, false} {
			it := &item{clock: k.clock, reset: reset}
			for _, s := range groups[k] {
				if (s.Reset != nil) == reset {
					it.targets = append(it.targets, s)
				}
			}
			if len(it.targets) > 0 {
				items = append(items, it)
			}
		}
	}
	return items
}

// runs numbers the stretches of unconditional assignments between conditions.
func (g *grouper) runs() []int {
	run := make([]int, len(g.block.Stmts))
	n := 0
	for i, s := range g.block.Stmts {
		if _, plain := s.(*ir.Assign); !plain {
			n++
		}
		run[i] = n
	}
	return run
}
