package verilog

import (
	"cmp"
	"slices"

	"gornic/hdl/ir"
)

// say prints comments of the author after an empty line. A comment is printed
// once, over the first thing that it is about.
func (e *module) say(remarks []remark) {
	if lines := e.unsaid(remarks); lines != nil {
		e.out.blank()
		e.out.comment(lines)
	}
}

// sayInside is say without an empty line.
func (e *module) sayInside(remarks []remark) { e.out.comment(e.unsaid(remarks)) }

// unsaid returns the comments that were not printed yet, those of one file in
// its order.
func (e *module) unsaid(remarks []remark) []string {
	if !slices.ContainsFunc(remarks, func(r remark) bool { return r.at.file != remarks[0].at.file }) {
		slices.SortStableFunc(remarks, func(a, b remark) int { return cmp.Compare(a.at.line, b.at.line) })
	}
	var lines []string
	for _, r := range remarks {
		if !e.said[r.at] {
			e.said[r.at] = true
			lines = append(lines, r.text...)
		}
	}
	return lines
}

// over returns the comments over a statement, and over the expressions that
// are printed as part of it.
func (e *module) over(pos ir.Pos, nodes ...*ir.Node) []remark {
	list := e.src.over(pos, true)
	for _, n := range nodes {
		if e.names[n] == "" {
			list = append(list, e.overParts(n)...)
		}
	}
	return list
}

func (e *module) overStmt(s stmt) []remark { return e.over(s.position(), nodesOf(s)...) }

// overParts returns the comments over an expression and over those that are
// printed as part of it, in the order in which these were made.
func (e *module) overParts(n *ir.Node) []remark {
	var parts []*ir.Node
	seen := map[*ir.Node]bool{}
	var walk func(*ir.Node)
	walk = func(n *ir.Node) {
		if seen[n] || isLeaf(n) {
			return
		}
		seen[n] = true
		parts = append(parts, n)
		for _, a := range n.Args {
			if e.names[a] == "" {
				walk(a)
			}
		}
	}
	walk(n)
	slices.SortStableFunc(parts, func(a, b *ir.Node) int { return cmp.Compare(a.Seq, b.Seq) })
	var list []remark
	for _, n := range parts {
		list = append(list, e.src.over(n.Pos, false)...)
	}
	return list
}

// nodesOf returns the expressions in the first line of a statement, and in its
// further conditions.
func nodesOf(s stmt) []*ir.Node {
	switch s := s.(type) {
	case *assign:
		return []*ir.Node{s.value}
	case *choice:
		return []*ir.Node{s.subject}
	case *branch:
		var list []*ir.Node
		for _, a := range s.arms {
			if a.cond != nil {
				list = append(list, a.cond)
			}
		}
		return list
	}
	return nil
}

// beside returns the comment that follows the code at pos, once.
func (e *module) beside(pos ir.Pos) string {
	note, at := e.src.beside(pos)
	if e.said[at] {
		return ""
	}
	e.said[at] = true
	return note
}

// declareOne writes a declaration with the author's comments. One over it
// stands beside it where that is short and about this declaration alone.
func (e *module) declareOne(t *text, pos ir.Pos, code string, alone bool) {
	const short = 60
	note := e.beside(pos)
	lines := e.unsaid(e.src.over(pos, false))
	if note == "" && alone && len(lines) == 1 && len(lines[0]) <= short {
		note, lines = lines[0], nil
	}
	t.comment(lines)
	t.noted(pos, code, note)
}
