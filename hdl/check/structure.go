package check

import (
	"fmt"

	"gornic/hdl/ir"
)

// checkStructure verifies the rules of package ir. What it reports is a bug
// in the code that built the design, so the messages are terse.
func checkStructure(c *checker) {
	if len(c.design.All) == 0 || c.design.All[0] != c.design.Top {
		c.report(ir.Pos{}, nil, "the first module of the design is not its top")
		return
	}
	for _, m := range c.design.All {
		s := &structure{checker: c, m: m}
		s.signals()
		s.memories()
		for _, b := range blocks(m) {
			s.block(b)
		}
		for _, p := range m.Checks {
			s.expect(p.Pos, p.Cond, 1, "property "+p.Name)
		}
		s.events()
		seen := make(map[*ir.Node]bool)
		for _, n := range s.roots {
			s.node(n, seen)
		}
		for _, n := range m.Unused {
			if n == nil {
				s.report(m.Pos, m, "an unused value is nil")
			}
		}
	}
}

// structure verifies one module.
type structure struct {
	*checker
	m     *ir.Module
	roots []*ir.Node
}

// expect verifies that an expression is there and has the given width, 0 for
// any, and notes it for the walk over the nodes.
func (s *structure) expect(pos ir.Pos, n *ir.Node, width int, what string) {
	switch {
	case n == nil:
		s.report(pos, s.m, "%s has no value", what)
		return
	case n.Op != ir.OpInvalid && width > 0 && n.Width != width:
		s.report(pos, s.m, "%s has %d bits, not %d", what, n.Width, width)
	}
	s.roots = append(s.roots, n)
}

func (s *structure) signals() {
	for _, x := range s.m.Signals {
		child := x.Kind == ir.ChildInput || x.Kind == ir.ChildOutput
		switch {
		case x.Module != s.m:
			s.report(x.Pos, s.m, "signal %s is listed in a module that it does not belong to", x.Name)
		case x.Width < 1:
			s.report(x.Pos, s.m, "signal %s has %d bits", x.Name, x.Width)
		case x.Reset != nil && x.Reset.Width != x.Width:
			s.report(x.Pos, s.m, "reset value of %s has %d bits, not %d", x.Name, x.Reset.Width, x.Width)
		case child && (x.Instance == nil || x.Port == nil || x.Port.Width != x.Width):
			s.report(x.Pos, s.m, "signal %s has no port of its width in an instance", x.Name)
		case x.Kind == ir.ReadData && x.Read == nil:
			s.report(x.Pos, s.m, "signal %s has no read port", x.Name)
		}
	}
}

// memories notes the inputs of memories. Their widths are the memory pass's
// business: a person can get them wrong.
func (s *structure) memories() {
	for _, mem := range s.m.Memories {
		for _, p := range mem.Reads {
			s.expect(p.Pos, p.Addr, 0, "read address of "+mem.Name)
			s.expect(p.Pos, p.En, 1, "read enable of "+mem.Name)
			if p.Data == nil {
				s.report(p.Pos, s.m, "read port of %s has no data", mem.Name)
			}
		}
		for _, p := range mem.Writes {
			s.expect(p.Pos, p.Addr, 0, "write address of "+mem.Name)
			s.expect(p.Pos, p.En, 1, "write enable of "+mem.Name)
			s.expect(p.Pos, p.Data, 0, "write data of "+mem.Name)
			if p.Lanes != nil {
				s.roots = append(s.roots, p.Lanes)
			}
		}
	}
}

func (s *structure) events() {
	for _, e := range s.m.Events {
		s.expect(e.Pos, e.When, 1, "event "+e.Name)
		for _, f := range e.Fields {
			s.expect(e.Pos, f.Value, 0, "field "+f.Name+" of event "+e.Name)
			if f.Value != nil && f.Value.Width > ir.MaxEventField {
				s.report(e.Pos, s.m, "field %s of event %s has %d bits", f.Name, e.Name, f.Value.Width)
			}
		}
	}
}

func (s *structure) block(b *ir.Block) {
	for _, stmt := range b.Stmts {
		switch stmt := stmt.(type) {
		case *ir.Assign:
			s.assign(stmt)
		case *ir.If:
			for i, arm := range stmt.Arms {
				if arm.Cond != nil || i == 0 || i < len(stmt.Arms)-1 {
					s.expect(arm.Pos, arm.Cond, 1, "condition")
				}
			}
		case *ir.Switch:
			s.expect(stmt.Pos, stmt.Subject, 0, "subject of a switch")
			s.cases(stmt)
		default:
			s.report(s.m.Pos, s.m, "statement of unknown type %T", stmt)
		}
		for _, body := range bodies(stmt) {
			s.block(body)
		}
	}
}

func (s *structure) assign(a *ir.Assign) {
	if a.Target == nil {
		s.report(a.Pos, s.m, "assignment without a target")
		return
	}
	if a.Target.Module != s.m {
		s.report(a.Pos, s.m, "assignment to %s, which belongs to another module", a.Target.Name)
	}
	switch a.Target.Kind {
	case ir.Input, ir.ChildOutput, ir.ReadData:
		s.report(a.Pos, s.m, "assignment to %s, which is an %s", a.Target.Name, a.Target.Kind)
	}
	s.expect(a.Pos, a.Value, a.Target.Width, "value for "+a.Target.Name)
}

func (s *structure) cases(sw *ir.Switch) {
	for i, arm := range sw.Arms {
		if len(arm.Values) == 0 && i < len(sw.Arms)-1 {
			s.report(arm.Pos, s.m, "the default of a switch is not its last arm")
		}
		for _, v := range arm.Values {
			if sw.Subject != nil && sw.Subject.Op != ir.OpInvalid && v.Width != sw.Subject.Width {
				s.report(arm.Pos, s.m, "case %v of a subject of %d bits", v, sw.Subject.Width)
			}
		}
	}
}

// node verifies an expression. What went into a poison value may be of any
// shape and module: it is not looked at.
func (s *structure) node(n *ir.Node, seen map[*ir.Node]bool) {
	if seen[n] || n.Op == ir.OpInvalid {
		return
	}
	seen[n] = true
	for _, a := range n.Args {
		s.node(a, seen)
	}
	if poisoned(n) {
		return
	}
	if fault := malformed(n, s.m); fault != "" {
		s.report(n.Pos, s.m, "%v of %d bits: %s", n.Op, n.Width, fault)
	}
}

// poisoned reports whether a node stands for a faulty operation or uses one
// directly. It has been reported where it was made; nothing is said about it
// again.
func poisoned(n *ir.Node) bool {
	if n.Op == ir.OpInvalid {
		return true
	}
	for _, a := range n.Args {
		if a.Op == ir.OpInvalid {
			return true
		}
	}
	return false
}

// arity is the number of operands of an operation; OpCat takes any number.
var arity = map[ir.Op]int{
	ir.OpConst: 0, ir.OpSignal: 0,
	ir.OpNot: 1, ir.OpSlice: 1, ir.OpRepeat: 1, ir.OpRedOr: 1, ir.OpRedAnd: 1, ir.OpRedXor: 1, ir.OpMemRead: 1,
	ir.OpAnd: 2, ir.OpOr: 2, ir.OpXor: 2, ir.OpAdd: 2, ir.OpSub: 2, ir.OpMul: 2,
	ir.OpEq: 2, ir.OpNe: 2, ir.OpLt: 2, ir.OpLe: 2, ir.OpSLt: 2, ir.OpSLe: 2,
	ir.OpShl: 2, ir.OpShr: 2, ir.OpSar: 2,
	ir.OpMux: 3,
}

// malformed returns what is wrong with a node of module m, or "".
func malformed(n *ir.Node, m *ir.Module) string {
	if want, fixed := arity[n.Op]; fixed && len(n.Args) != want {
		return fmt.Sprintf("%d operands, not %d", len(n.Args), want)
	}
	switch n.Op {
	case ir.OpSignal:
		if n.Signal == nil || n.Signal.Module != m {
			return "not a signal of this module"
		}
	case ir.OpMemRead:
		if n.Memory == nil || n.Memory.Module != m {
			return "not a memory of this module"
		}
	case ir.OpSlice:
		if n.Lo < 0 || n.Lo+n.Width > n.Args[0].Width {
			return fmt.Sprintf("from bit %d of %d bits", n.Lo, n.Args[0].Width)
		}
	case ir.OpMux:
		if n.Args[0].Width != 1 {
			return fmt.Sprintf("a condition of %d bits", n.Args[0].Width)
		}
	}
	if want := naturalWidth(n); n.Width < 1 || n.Width != want {
		return fmt.Sprintf("the operands give %d bits", want)
	}
	return unequal(n)
}

// naturalWidth returns the width that the operands of a node give it.
func naturalWidth(n *ir.Node) int {
	switch n.Op {
	case ir.OpConst:
		return n.Const.Width
	case ir.OpSignal:
		return n.Signal.Width
	case ir.OpMemRead:
		return n.Memory.Width
	case ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe, ir.OpSLt, ir.OpSLe, ir.OpRedOr, ir.OpRedAnd, ir.OpRedXor:
		return 1
	case ir.OpMul:
		return n.Args[0].Width + n.Args[1].Width
	case ir.OpSlice:
		return n.Width
	case ir.OpRepeat:
		return n.Args[0].Width * n.Lo
	case ir.OpMux:
		return n.Args[1].Width
	case ir.OpCat:
		sum := 0
		for _, a := range n.Args {
			sum += a.Width
		}
		return sum
	}
	return n.Args[0].Width
}

// unequal returns a fault where operands that must have equal widths do not.
func unequal(n *ir.Node) string {
	var a, b *ir.Node
	switch n.Op {
	case ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpAdd, ir.OpSub, ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe, ir.OpSLt, ir.OpSLe:
		a, b = n.Args[0], n.Args[1]
	case ir.OpMux:
		a, b = n.Args[1], n.Args[2]
	default:
		return ""
	}
	if a.Width != b.Width {
		return fmt.Sprintf("operands of %d and %d bits", a.Width, b.Width)
	}
	return ""
}
