package verilog

import (
	"fmt"
	"strings"

	"gornic/hdl/ir"
)

// Precedence of Verilog's operators, loosest first.
const (
	precCond = iota
	precOrOr
	precAndAnd
	precOr
	precXor
	precAnd
	precEqual
	precLess
	precShift
	precAdd
	precMul
	precReduce
	precUnary
	precName
)

// A mode says where an expression stands.
type mode struct {
	condition bool     // it decides something: && || ! read better than & | ~
	enum      *enumSet // its constants have names
	decimal   bool     // its constants are amounts
}

// expr returns the text of n, by name where it has one, and its precedence.
func (e *module) expr(n *ir.Node, m mode) (string, int) {
	if name := e.names[n]; name != "" {
		return name, precName
	}
	return e.define(n, m)
}

// define returns the text of n itself, whether or not it has a name.
func (e *module) define(n *ir.Node, m mode) (string, int) {
	switch n.Op {
	case ir.OpConst:
		return e.constant(n.Const, m), precName
	case ir.OpSignal:
		return e.net(n.Signal), precName
	case ir.OpNot:
		return e.not(n, m)
	case ir.OpMux:
		return e.mux(n, m)
	case ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe:
		return e.compare(n, false)
	case ir.OpMul:
		return e.product(n), precMul
	}
	if op, ok := binaryOps[n.Op]; ok {
		return e.binary(n, op, m)
	}
	if op, ok := reduceOps[n.Op]; ok {
		return op + e.operand(n.Args[0], precName, mode{}), precReduce
	}
	return e.primary(n), precName
}

type operator struct {
	text string
	prec int
}

var binaryOps = map[ir.Op]operator{
	ir.OpAnd: {"&", precAnd}, ir.OpOr: {"|", precOr}, ir.OpXor: {"^", precXor},
	ir.OpAdd: {"+", precAdd}, ir.OpSub: {"-", precAdd},
	ir.OpShl: {"<<", precShift}, ir.OpShr: {">>", precShift},
}

var reduceOps = map[ir.Op]string{ir.OpRedOr: "|", ir.OpRedAnd: "&", ir.OpRedXor: "^"}

// primary prints operations that need no parentheses around them.
func (e *module) primary(n *ir.Node) string {
	arg := func(i int) string { return e.text(n.Args[i], mode{}) }
	switch n.Op {
	case ir.OpSlice:
		if n.Width == 1 {
			return fmt.Sprintf("%s[%d]", arg(0), n.Lo)
		}
		return fmt.Sprintf("%s[%d:%d]", arg(0), n.Lo+n.Width-1, n.Lo)
	case ir.OpCat:
		return "{" + strings.Join(e.texts(n.Args), ", ") + "}"
	case ir.OpRepeat:
		return fmt.Sprintf("{%d{%s}}", n.Lo, arg(0))
	case ir.OpMemRead:
		return fmt.Sprintf("%s[%s]", e.memory(n.Memory), arg(0))
	case ir.OpSar:
		return fmt.Sprintf("$unsigned($signed(%s) >>> %s)", arg(0), e.operand(n.Args[1], precName, mode{decimal: true}))
	case ir.OpSLt:
		return fmt.Sprintf("($signed(%s) < $signed(%s))", arg(0), arg(1))
	case ir.OpSLe:
		return fmt.Sprintf("($signed(%s) <= $signed(%s))", arg(0), arg(1))
	}
	panic("verilog: no text for operation " + n.Op.String()) // Emit turns it into an error
}

func (e *module) text(n *ir.Node, m mode) string {
	s, _ := e.expr(n, m)
	return s
}

func (e *module) texts(nodes []*ir.Node) []string {
	list := make([]string, len(nodes))
	for i, n := range nodes {
		list[i] = e.text(n, mode{})
	}
	return list
}

// operand prints an operand, in parentheses unless it binds tighter than min.
func (e *module) operand(n *ir.Node, min int, m mode) string {
	s, prec := e.expr(n, m)
	if prec < min {
		return "(" + s + ")"
	}
	return s
}

// binary prints a chain of one operation without parentheses where that is
// the same; all other operations inside get them, so that nobody needs to know
// the table of precedences.
func (e *module) binary(n *ir.Node, op operator, m mode) (string, int) {
	terms, op, m := e.terms(n, op, m)
	return strings.Join(terms, " "+op.text+" "), op.prec
}

func (e *module) terms(n *ir.Node, op operator, m mode) ([]string, operator, mode) {
	m.condition = m.condition && n.Width == 1
	tightest := precUnary
	if m.condition && (n.Op == ir.OpAnd || n.Op == ir.OpOr) {
		op = map[ir.Op]operator{ir.OpAnd: {"&&", precAndAnd}, ir.OpOr: {"||", precOrOr}}[n.Op]
		tightest = precEqual
	}
	inner := mode{condition: m.condition, enum: m.enum}
	switch n.Op {
	case ir.OpAdd, ir.OpSub, ir.OpShl, ir.OpShr:
		inner = mode{decimal: true}
	case ir.OpXor:
		inner.condition = false
	}
	var terms []string
	for i, a := range n.Args {
		joined := e.names[a] == "" && a.Op == n.Op &&
			(n.Op == ir.OpAnd || n.Op == ir.OpOr || i == 0 && (n.Op == ir.OpXor || n.Op == ir.OpAdd))
		if joined {
			more, _, _ := e.terms(a, op, m)
			terms = append(terms, more...)
			continue
		}
		terms = append(terms, e.operand(a, tightest, inner))
	}
	return terms, op, m
}

func (e *module) not(n *ir.Node, m mode) (string, int) {
	a := n.Args[0]
	if e.names[a] == "" && n.Width == 1 {
		switch a.Op {
		case ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe:
			return e.compare(a, true)
		}
	}
	if m.condition && n.Width == 1 {
		return "!" + e.operand(a, precName, mode{condition: true}), precUnary
	}
	return "~" + e.operand(a, precName, mode{}), precUnary
}

// compare prints a comparison or its opposite, constants on the right.
func (e *module) compare(n *ir.Node, negate bool) (string, int) {
	a, b := n.Args[0], n.Args[1]
	order := n.Op == ir.OpLt || n.Op == ir.OpLe
	m := mode{decimal: order || e.counts(a) || e.counts(b)}
	if isConst(a) {
		m.enum = e.enumOf(b)
	} else if isConst(b) {
		m.enum = e.enumOf(a)
	}
	op := map[ir.Op]string{ir.OpEq: "==", ir.OpNe: "!=", ir.OpLt: "<", ir.OpLe: "<="}[n.Op]
	if negate {
		op = map[string]string{"==": "!=", "!=": "==", "<": ">=", "<=": ">"}[op]
	}
	if isConst(a) {
		a, b = b, a
		if swapped, ok := map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<="}[op]; ok {
			op = swapped
		}
	}
	prec := precEqual
	if order {
		prec = precLess
	}
	return e.operand(a, precUnary, mode{}) + " " + op + " " + e.operand(b, precUnary, m), prec
}

func (e *module) mux(n *ir.Node, m mode) (string, int) {
	m.decimal = m.decimal || e.counts(n)
	return e.muxCondition(n) + " ? " + e.operand(n.Args[1], precOrOr, m) + " : " + e.text(n.Args[2], m), precCond
}

func (e *module) muxCondition(n *ir.Node) string {
	return e.operand(n.Args[0], precUnary, mode{condition: true})
}

// product extends both operands to the width of the result, as Verilog would
// without saying so.
func (e *module) product(n *ir.Node) string {
	extended := func(a *ir.Node) string {
		if isConst(a) {
			c, _ := ir.ConstFromBig(n.Width, a.Const.Big())
			return decimal(c)
		}
		return fmt.Sprintf("{%d'd0, %s}", n.Width-a.Width, e.text(a, mode{}))
	}
	return extended(n.Args[0]) + " * " + extended(n.Args[1])
}

// literal prints a constant: bits in binary, zero and ones in short.
func literal(c ir.Const) string {
	switch {
	case c.Width == 1:
		return fmt.Sprintf("1'b%d", c.Uint64())
	case c.IsZero() && c.Width > 8:
		return fmt.Sprintf("%d'd0", c.Width)
	case c.Width > 32 && isOnes(c):
		return fmt.Sprintf("{%d{1'b1}}", c.Width)
	case c.Width > 64:
		return fmt.Sprintf("%d'h%s", c.Width, c.Big().Text(16))
	}
	return c.String()
}

func (e *module) constant(c ir.Const, m mode) string {
	if m.enum != nil {
		if name := m.enum.nameOf(c.Uint64()); name != "" {
			return name
		}
	}
	if m.decimal {
		return decimal(c)
	}
	return literal(c)
}

// widest is how long a line may get before an expression is broken.
const widest = 100

// wrapped returns lead followed by the text of n and end, broken into lines
// where that is long. The expression is printed itself, not by name, if
// defining is set.
func (e *module) wrapped(lead string, n *ir.Node, m mode, end string, defining bool) string {
	var s string
	if defining {
		s, _ = e.define(n, m)
	} else {
		s, _ = e.expr(n, m)
	}
	if len(lead)+len(s)+len(end)+4*e.out.depth <= widest || !defining && e.names[n] != "" {
		return lead + s + end
	}
	switch n.Op {
	case ir.OpCat:
		return lead + "{\n    " + strings.Join(e.texts(n.Args), ",\n    ") + "\n}" + end
	case ir.OpMux:
		return lead + strings.Join(e.ladder(n, m), "\n    ") + end
	case ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpAdd, ir.OpSub:
		terms, op, _ := e.terms(n, binaryOps[n.Op], m)
		return lead + strings.Join(filledLines(terms, op.text, widest-8-4*e.out.depth), "\n    ") + end
	}
	return lead + s + end
}

// filledLines joins terms to lines of at most width characters.
func filledLines(terms []string, op string, width int) []string {
	var lines []string
	current := ""
	for i, t := range terms {
		if i > 0 {
			t = op + " " + t
		}
		switch {
		case current == "":
			current = t
		case len(current)+1+len(t) > width:
			lines = append(lines, current)
			current = t
		default:
			current += " " + t
		}
	}
	return append(lines, current)
}

// ladder prints a chain of multiplexers, one condition a line.
func (e *module) ladder(n *ir.Node, m mode) []string {
	m.decimal = m.decimal || e.counts(n)
	var lines []string
	for lead := ""; ; lead = ": " {
		lines = append(lines, lead+e.muxCondition(n)+" ? "+e.operand(n.Args[1], precOrOr, m))
		next := n.Args[2]
		if next.Op != ir.OpMux || e.names[next] != "" {
			return append(lines, ": "+e.text(next, m))
		}
		n = next
	}
}
