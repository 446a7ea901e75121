package gogen

import (
	"fmt"
	"strings"

	"gornic/hdl/sim/internal/netlist"
	"gornic/hdl/sim/internal/plan"
)

// maxInline is how many operations an expression has at most.
const maxInline = 24

// inlined reports whether a value has no place of its own: its only reader
// computes it.
func (g *generator) inlined(v netlist.Val) bool {
	return g.p.Uses[v] == 1 && g.p.Same[v] == v && g.p.Slot[v] < 0 && !g.shared[v] && !g.named[v] && g.operations(v) <= maxInline
}

// operations counts the operations of a value with all that is inlined into it.
func (g *generator) operations(v netlist.Val) int32 {
	if g.p.IsState(v) {
		return 0
	}
	if g.size[v] == 0 {
		total := int32(1)
		n := g.g.Nodes[v]
		for _, u := range [3]netlist.Val{n.A, n.B, n.C} {
			if u != netlist.None && !g.p.IsState(u) && g.inlined(u) {
				total += g.operations(u)
			}
		}
		g.size[v] = total
	}
	return g.size[v]
}

func (g *generator) printf(format string, args ...any) { fmt.Fprintf(&g.buf, format, args...) }

func (g *generator) printFunction(f *function) {
	g.at = f.id
	g.printf("\nfunc f%d(s *words) {\n", f.id)
	g.declare(f.body, map[netlist.Val]bool{})
	g.printSteps(f.body)
	g.printf("}\n")
}

// declare declares the local places that several statements write.
func (g *generator) declare(steps []step, seen map[netlist.Val]bool) {
	for _, s := range steps {
		at := netlist.None
		switch {
		case s.call != nil:
		case s.Kind == plan.Calc:
			at = g.p.Place(s.Val)
		case s.Kind == plan.Move:
			at = g.p.Place(s.Dst)
		default:
			g.declare(s.then, seen)
			g.declare(s.other, seen)
		}
		if at != netlist.None && g.shared[at] && g.slot[at] < 0 && !seen[at] {
			seen[at] = true
			g.printf("var v%d uint64\n", at)
		}
	}
}

func (g *generator) printSteps(steps []step) {
	for _, s := range steps {
		switch {
		case s.call != nil:
			g.printf("f%d(s)\n", s.call.id)
		case s.Kind == plan.Calc:
			if !g.inlined(s.Val) {
				g.assign(g.p.Place(s.Val), g.compute(s.Val))
			}
		case s.Kind == plan.Move:
			g.assign(g.p.Place(s.Dst), g.value(s.Val))
		default:
			g.printBranch(s)
		}
	}
}

func (g *generator) printBranch(s step) {
	then, other := s.then, s.other
	if len(then) == 0 {
		g.printf("if !(%s) {\n", g.condition(s.Val))
		g.printSteps(other)
		g.printf("}\n")
		return
	}
	g.printf("if %s {\n", g.condition(s.Val))
	g.printSteps(then)
	if len(other) > 0 {
		g.printf("} else {\n")
		g.printSteps(other)
	}
	g.printf("}\n")
}

func (g *generator) assign(at netlist.Val, value string) {
	switch {
	case g.slot[at] >= 0:
		g.printf("s[%d] = %s\n", g.slot[at], value)
	case g.shared[at]:
		g.printf("v%d = %s\n", at, value)
		if !g.read[at] {
			g.printf("_ = v%d\n", at)
		}
	case g.read[at]:
		g.printf("v%d := %s\n", at, value)
	}
}

// value is the text of an operand.
func (g *generator) value(v netlist.Val) string {
	n := g.g.Nodes[v]
	switch {
	case n.Op == netlist.Leaf:
		return fmt.Sprintf("s[%d]", n.Imm)
	case n.Op == netlist.Const:
		return fmt.Sprintf("%#x", n.Imm)
	case g.inlined(v):
		return g.compute(v)
	}
	v = g.p.Place(v)
	if g.slot[v] >= 0 {
		return fmt.Sprintf("s[%d]", g.slot[v])
	}
	return fmt.Sprintf("v%d", v)
}

var infix = map[netlist.Op]string{
	netlist.And: "&", netlist.Or: "|", netlist.Xor: "^", netlist.Add: "+", netlist.Sub: "-", netlist.Mul: "*",
	netlist.Eq: "==", netlist.Ne: "!=", netlist.Lt: "<", netlist.Le: "<=",
}

// condition is the text of a value of one bit as a Go condition.
func (g *generator) condition(v netlist.Val) string {
	if n := g.g.Nodes[v]; netlist.Eq <= n.Op && n.Op <= netlist.Le && g.inlined(v) {
		return g.infix(n)
	}
	return g.value(v) + " != 0"
}

func (g *generator) infix(n netlist.Node) string {
	return g.value(n.A) + " " + infix[n.Op] + " " + g.value(n.B)
}

// masked cuts text to the width of a node, unless its value cannot be wider.
func masked(n netlist.Node, text string, bound int) string {
	if n.W >= 64 || int(n.W) >= bound {
		return "(" + text + ")"
	}
	return fmt.Sprintf("((%s) & %#x)", text, n.Mask())
}

func (g *generator) width(v netlist.Val) int { return int(g.g.Nodes[v].W) }

// compute is the text that computes a value.
func (g *generator) compute(v netlist.Val) string {
	n := g.g.Nodes[v]
	switch n.Op {
	case netlist.And, netlist.Or, netlist.Xor:
		return "(" + g.infix(n) + ")"
	case netlist.Add:
		return masked(n, g.infix(n), max(g.width(n.A), g.width(n.B))+1)
	case netlist.Sub:
		return masked(n, g.infix(n), 64)
	case netlist.Mul:
		return masked(n, g.infix(n), g.width(n.A)+g.width(n.B))
	case netlist.Eq, netlist.Ne, netlist.Lt, netlist.Le:
		return "bit(" + g.infix(n) + ")"
	case netlist.Shl:
		return masked(n, g.shift("shl", "<<", n), 64)
	case netlist.Shr:
		return "(" + g.shift("shr", ">>", n) + ")"
	case netlist.Sar:
		return fmt.Sprintf("sar(%s, %s)", g.value(n.A), g.value(n.B))
	case netlist.ShlK:
		return fmt.Sprintf("(%s << %d)", g.value(n.A), n.Imm)
	case netlist.Extract:
		return g.extract(n)
	case netlist.Mux:
		return g.mux(n)
	case netlist.MulHi:
		return fmt.Sprintf("mulHi(%s, %s)", g.value(n.A), g.value(n.B))
	case netlist.Parity:
		return fmt.Sprintf("uint64(bits.OnesCount64(%s)&1)", g.value(n.A))
	case netlist.Reverse:
		return fmt.Sprintf("bits.ReverseBytes64(%s)", g.value(n.A))
	case netlist.Linear:
		return g.linear(n)
	case netlist.MemRead:
		m := g.n.Mems[n.Imm>>8]
		return fmt.Sprintf("load(s, %s, %d, %d, %d)", g.value(n.A), m.Memory.Depth, m.Slot+int(n.Imm&0xff), m.Parts)
	}
	panic("gogen: no text for " + n.Op.String())
}

// shift is the text of a shift by a value. A count below 64 is masked, which
// costs nothing and saves the compiler's own check.
func (g *generator) shift(function, operator string, n netlist.Node) string {
	a, count := g.value(n.A), g.value(n.B)
	if g.width(n.B) <= 6 {
		return fmt.Sprintf("uint64(%s) %s (%s & 63)", a, operator, count)
	}
	return fmt.Sprintf("%s(%s, %s)", function, a, count)
}

func (g *generator) extract(n netlist.Node) string {
	text := g.value(n.A)
	if n.Imm > 0 {
		text = fmt.Sprintf("%s>>%d", text, n.Imm)
	}
	return masked(n, text, g.width(n.A)-int(n.Imm))
}

// mux is the text of a choice that is no branch: both sides are computed.
func (g *generator) mux(n netlist.Node) string {
	if n.B == netlist.None || n.C == netlist.None {
		return g.value(max(n.B, n.C)) // the other one may be anything
	}
	if x, ok := g.g.IsConst(n.C); ok && x == 0 {
		return fmt.Sprintf("(%s & -%s)", g.value(n.B), g.value(n.A))
	}
	return fmt.Sprintf("mux(%s, %s, %s)", g.condition(n.A), g.value(n.B), g.value(n.C))
}

// linear is the text of a matrix product: a look-up for each four bits.
func (g *generator) linear(n netlist.Node) string {
	x := g.value(n.A)
	var parts []string
	for i, k := range g.g.Matrices[n.Imm].Groups() {
		parts = append(parts, fmt.Sprintf("m%d[%d][%s>>%d&15]", n.Imm, i, x, 4*k))
	}
	return "(" + strings.Join(parts, " ^ ") + ")"
}

// printTables writes the tables of the matrices that are used.
func (g *generator) printTables() {
	done := map[uint64]bool{}
	for v, n := range g.g.Nodes {
		if n.Op != netlist.Linear || g.p.Uses[v] == 0 || done[n.Imm] {
			continue
		}
		done[n.Imm] = true
		m := &g.g.Matrices[n.Imm]
		groups := m.Groups()
		g.printf("\nvar m%d = [%d][16]uint64{\n", n.Imm, len(groups))
		for _, k := range groups {
			g.printf("{")
			for x := range uint64(16) {
				g.printf("%#x, ", m.Times(x<<(4*k)))
			}
			g.printf("},\n")
		}
		g.printf("}\n")
	}
}

// Support is the functions that the text of every program uses, for the file
// that holds it.
const Support = `
func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func mux(c bool, a, b uint64) uint64 {
	if c {
		return a
	}
	return b
}

// Shifts by any count. They do not leave counts of 64 and more to the compiler:
// go1.26.8 on amd64 spoils a comparison of the same count with 64 then.
func shl(a, count uint64) uint64 {
	if count < 64 {
		return a << (count & 63)
	}
	return 0
}

func shr(a, count uint64) uint64 {
	if count < 64 {
		return a >> (count & 63)
	}
	return 0
}

func sar(a, count uint64) uint64 {
	if count < 64 {
		return uint64(int64(a) >> (count & 63))
	}
	return uint64(int64(a) >> 63)
}

func mulHi(a, b uint64) uint64 {
	hi, _ := bits.Mul64(a, b)
	return hi
}

// load reads a memory of depth words; addresses past the end read zero.
func load(s *words, addr uint64, depth, at, parts uint64) uint64 {
	if addr < depth {
		return s[at+addr*parts]
	}
	return 0
}
`
