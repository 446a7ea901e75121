package verilog

import (
	"slices"

	"gornic/hdl/ir"
)

// mostMerged is how many registers one always block may come to have.
const mostMerged = 24

// merged puts always blocks of one clock that follow each other into one,
// unless the author wrote a comment between them, and their conditions
// together where these are equal.
func (e *module) merged(items []*item) []*item {
	var list []*item
	for _, it := range items {
		if n := len(list); n > 0 && e.mergeable(list[n-1], it) {
			last := list[n-1]
			last.targets = append(last.targets, it.targets...)
			last.body = append(last.body, it.body...)
			continue
		}
		list = append(list, it)
	}
	for _, it := range list {
		if it.clock != nil {
			it.body = joinBranches(it.body)
		}
	}
	return list
}

func (e *module) mergeable(a, b *item) bool {
	if a.clock == nil || a.clock != b.clock || a.reset != b.reset || len(a.body) == 0 || len(b.body) == 0 {
		return false
	}
	if len(a.targets)+len(b.targets) > mostMerged {
		return false
	}
	known := map[codeLine]bool{}
	for _, s := range a.body {
		for _, r := range e.src.over(s.position(), true) {
			known[r.at] = true
		}
	}
	return !slices.ContainsFunc(e.src.over(b.body[0].position(), true), func(r remark) bool { return !known[r.at] })
}

// joinBranches makes one if of neighbours with one equal condition. In a
// clocked block no statement changes what a later condition sees.
func joinBranches(body []stmt) []stmt {
	var list []stmt
	for _, s := range body {
		b, ok := s.(*branch)
		if !ok || len(b.arms) != 1 || len(list) == 0 {
			list = append(list, s)
			continue
		}
		last, ok := list[len(list)-1].(*branch)
		if !ok || len(last.arms) != 1 || !equal(last.arms[0].cond, b.arms[0].cond) {
			list = append(list, s)
			continue
		}
		into := last.arms[0]
		into.body = append(into.body, b.arms[0].body...)
		into.also = append(append(into.also, b.arms[0].source), b.arms[0].also...)
	}
	return list
}

// equal reports whether two small expressions are built alike.
func equal(a, b *ir.Node) bool {
	budget := 100 // nodes to look at: shared parts of large ones would be walked again and again
	var same func(a, b *ir.Node) bool
	same = func(a, b *ir.Node) bool {
		if a == b {
			return true
		}
		budget--
		return budget > 0 && a.Op == b.Op && a.Width == b.Width && a.Signal == b.Signal && a.Memory == b.Memory &&
			a.Lo == b.Lo && (a.Op != ir.OpConst || a.Const.Equal(b.Const)) && slices.EqualFunc(a.Args, b.Args, same)
	}
	return same(a, b)
}
