package check

import (
	"fmt"
	"math/bits"

	"gornic/hdl/ir"
)

// checkLatches finds signals without a register that are assigned on some
// paths only.
func checkLatches(c *checker, m *ir.Module) {
	assigned := assignments(m)
	covered := make(map[*ir.Signal]bool)
	for _, b := range blocks(m) {
		for s := range covers(b) {
			covered[s] = true
		}
	}
	for _, s := range m.Signals {
		if !combinational(s) || len(assigned[s]) == 0 || covered[s] {
			continue
		}
		for _, b := range blocks(m) {
			for _, g := range findGaps(b, s) {
				c.report(g.pos, m, "%s (%v) is not assigned %s: it would be a latch; Set a default first", s.Name, s.Pos, g.when)
			}
		}
	}
}

// covers returns the signals that every path through a block assigns.
func covers(b *ir.Block) map[*ir.Signal]bool {
	all := make(map[*ir.Signal]bool)
	for _, s := range b.Stmts {
		if a, ok := s.(*ir.Assign); ok {
			all[a.Target] = true
			continue
		}
		if exhaustive(s) {
			for t := range common(bodies(s)) {
				all[t] = true
			}
		}
	}
	return all
}

// common returns the signals that all blocks cover.
func common(list []*ir.Block) map[*ir.Signal]bool {
	if len(list) == 0 {
		return nil
	}
	shared := covers(list[0])
	for _, b := range list[1:] {
		other := covers(b)
		for s := range shared {
			if !other[s] {
				delete(shared, s)
			}
		}
	}
	return shared
}

// exhaustive reports whether one body of a statement always runs: there is an
// else, or a default, or a case for every value.
func exhaustive(s ir.Stmt) bool {
	switch s := s.(type) {
	case *ir.If:
		return len(s.Arms) > 0 && s.Arms[len(s.Arms)-1].Cond == nil
	case *ir.Switch:
		return len(s.Arms) > 0 && len(s.Arms[len(s.Arms)-1].Values) == 0 || everyValue(s)
	}
	return true
}

// everyValue reports whether the cases of a switch list every value of its
// subject. Nothing is missing where the subject is faulty.
func everyValue(s *ir.Switch) bool {
	width := s.Subject.Width
	if s.Subject.Op == ir.OpInvalid {
		return true
	}
	if width >= bits.UintSize-1 {
		return false
	}
	listed := make(map[uint64]bool)
	for _, arm := range s.Arms {
		for _, v := range arm.Values {
			listed[v.Uint64()] = true
		}
	}
	return len(listed) == 1<<width
}

// gap is a path on which a signal is not assigned.
type gap struct {
	pos  ir.Pos
	when string
}

// findGaps returns the paths through a block that leave target unassigned,
// none where nothing in the block assigns it.
func findGaps(b *ir.Block, target *ir.Signal) []gap {
	var last ir.Stmt
	for _, s := range b.Stmts {
		if assigns(s, target) {
			last = s
		}
	}
	var gaps []gap
	switch s := last.(type) {
	case *ir.If:
		for _, arm := range s.Arms {
			gaps = append(gaps, inner(arm.Body, target, gap{arm.Pos, "in this arm"})...)
		}
		if !exhaustive(s) {
			gaps = append(gaps, gap{s.Pos, "when no condition of this If holds"})
		}
	case *ir.Switch:
		for _, arm := range s.Arms {
			gaps = append(gaps, inner(arm.Body, target, gap{arm.Pos, "in this arm"})...)
		}
		if !exhaustive(s) {
			gaps = append(gaps, gap{s.Pos, fmt.Sprintf("for the values of %s that no Case lists", subject(s.Subject))})
		}
	}
	return gaps
}

// inner returns the gaps in an arm, which is the whole arm where nothing in it
// assigns target.
func inner(b *ir.Block, target *ir.Signal, whole gap) []gap {
	if covers(b)[target] {
		return nil
	}
	if gaps := findGaps(b, target); len(gaps) > 0 {
		return gaps
	}
	return []gap{whole}
}

// assigns reports whether a statement assigns target on any path.
func assigns(s ir.Stmt, target *ir.Signal) bool {
	if a, ok := s.(*ir.Assign); ok {
		return a.Target == target
	}
	for _, b := range bodies(s) {
		for _, s := range b.Stmts {
			if assigns(s, target) {
				return true
			}
		}
	}
	return false
}

// subject names the subject of a switch.
func subject(n *ir.Node) string {
	if n.Op == ir.OpSignal {
		return n.Signal.Name
	}
	return "the subject"
}
