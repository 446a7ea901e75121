package hdl

import (
	"cmp"
	"maps"
	"slices"

	"gornic/hdl/check"
	"gornic/hdl/internal/gosource"
	"gornic/hdl/ir"
)

// use notes that something reads the value.
func (x Bits) use() {
	if x.m != nil && x.m.b != nil {
		delete(x.m.b.loose, x.n)
	}
}

// reportDropped reports the values that a statement of the program throws
// away, such as x.Add(y) on a line by itself. Values that nothing reads for other
// reasons are no mistakes: a generator makes some that it needs for other
// parameters only, and Unpack gives all fields of a header.
func (b *builder) reportDropped() {
	inOrder := slices.SortedFunc(maps.Keys(b.loose), func(x, y *ir.Node) int { return cmp.Compare(x.Seq, y.Seq) })
	for _, n := range inOrder {
		if pos, function, ok := b.discarded(n); ok {
			m := b.loose[n]
			m.reportAt(check.Dropped, pos, "the result of %s is thrown away: Set something to it, or drop it", function)
			m.ir.Unused = append(m.ir.Unused, n) // its operands are not unread as well
		}
	}
}

// discarded finds the statement that throws a value away: where it is, and the
// function whose result it is. Helper functions that return the value are
// followed to their callers.
func (b *builder) discarded(n *ir.Node) (pos ir.Pos, function string, ok bool) {
	for caller, callee := range n.Pos.Calls() {
		function = ir.FunctionName(callee)
		switch b.source.Fate(caller.File, caller.Line, function) {
		case gosource.Discarded:
			return n.Pos.AtFrame(caller), function, true
		case gosource.Other:
			return ir.Pos{}, "", false
		}
	}
	return ir.Pos{}, "", false
}
