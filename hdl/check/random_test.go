package check

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"gornic/hdl/ir"
)

// The passes reason about expressions by their structure. These tests hold
// that against what random expressions compute.

// expression is a random expression over a few input signals.
type expression struct {
	module *ir.Module
	inputs []*ir.Signal
	nodes  []*ir.Node
}

func drawExpression(t *rapid.T) *expression {
	e := &expression{module: &ir.Module{Name: "m", Body: &ir.Block{}}}
	for i := range 3 {
		s := &ir.Signal{Name: fmt.Sprintf("s%d", i), Kind: ir.Input, Module: e.module,
			Width: rapid.SampledFrom([]int{1, 2, 5, 8, 63, 64, 65, 70}).Draw(t, "width")}
		e.inputs = append(e.inputs, s)
		e.module.Signals = append(e.module.Signals, s)
		e.nodes = append(e.nodes, &ir.Node{Op: ir.OpSignal, Width: s.Width, Signal: s, Module: e.module})
	}
	for range rapid.IntRange(1, 12).Draw(t, "nodes") {
		e.grow(t)
	}
	return e
}

func (e *expression) root() *ir.Node { return e.nodes[len(e.nodes)-1] }

// pick returns a node, often the last one, so that expressions get deep.
func (e *expression) pick(t *rapid.T) *ir.Node {
	if rapid.IntRange(0, 2).Draw(t, "last") == 0 {
		return e.root()
	}
	return e.nodes[rapid.IntRange(0, len(e.nodes)-1).Draw(t, "operand")]
}

// grow adds a random operation on nodes that are there.
func (e *expression) grow(t *rapid.T) {
	a := e.pick(t)
	op := ir.Op(rapid.IntRange(int(ir.OpConst), int(ir.OpRedXor)).Draw(t, "op"))
	if rapid.IntRange(0, 3).Draw(t, "slice") == 0 {
		op = ir.OpSlice
	}
	n := &ir.Node{Op: op, Width: a.Width, Args: []*ir.Node{a}}
	switch n.Op {
	case ir.OpConst, ir.OpSignal:
		n = drawConst(t, rapid.SampledFrom([]int{1, 3, 8, 64, 66}).Draw(t, "width"))
	case ir.OpNot:
	case ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpAdd, ir.OpSub:
		n.Args = append(n.Args, fit(e.pick(t), a.Width))
	case ir.OpMul:
		n.Args = append(n.Args, e.pick(t))
		n.Width += n.Args[1].Width
	case ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe, ir.OpSLt, ir.OpSLe:
		n.Args, n.Width = append(n.Args, fit(e.pick(t), a.Width)), 1
	case ir.OpShl, ir.OpShr, ir.OpSar:
		amount := drawConst(t, 7)
		if rapid.Bool().Draw(t, "by signal") {
			amount = fit(e.pick(t), rapid.IntRange(1, 7).Draw(t, "amount width"))
		}
		n.Args = append(n.Args, amount)
	case ir.OpSlice:
		n.Lo = rapid.IntRange(0, a.Width-1).Draw(t, "lo")
		n.Width = rapid.IntRange(1, a.Width-n.Lo).Draw(t, "slice width")
	case ir.OpCat:
		n.Args = append(n.Args, e.pick(t), e.pick(t))
		n.Width = a.Width + n.Args[1].Width + n.Args[2].Width
	case ir.OpRepeat:
		n.Lo = rapid.IntRange(1, 3).Draw(t, "count")
		n.Width *= n.Lo
	case ir.OpMux:
		n.Args = []*ir.Node{fit(e.pick(t), 1), a, fit(e.pick(t), a.Width)}
	default: // reductions
		n.Width = 1
	}
	if n.Width <= 300 {
		e.nodes = append(e.nodes, n)
	}
}

func drawConst(t *rapid.T, width int) *ir.Node {
	c, _ := ir.ConstFromBig(width, drawValue(t, width))
	return &ir.Node{Op: ir.OpConst, Width: width, Const: c}
}

// drawValue draws a value; runs of ones and zeros, where carries and signs
// travel far, are as likely as random bits.
func drawValue(t *rapid.T, width int) *big.Int {
	v := new(big.Int)
	if rapid.Bool().Draw(t, "run") {
		lo := rapid.IntRange(0, width).Draw(t, "from")
		ones := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(width-lo)), big.NewInt(1))
		v.Lsh(ones, uint(lo))
		if rapid.Bool().Draw(t, "inverted") {
			v = mod(v.Not(v), width)
		}
		return v
	}
	for i := range width {
		v.SetBit(v, i, uint(rapid.IntRange(0, 1).Draw(t, "bit")))
	}
	return v
}

// fit cuts or extends a node to a width.
func fit(n *ir.Node, width int) *ir.Node {
	switch {
	case n.Width > width:
		return &ir.Node{Op: ir.OpSlice, Width: width, Args: []*ir.Node{n}}
	case n.Width < width:
		zero, _ := ir.NewConst(width-n.Width, 0)
		high := &ir.Node{Op: ir.OpConst, Width: zero.Width, Const: zero}
		return &ir.Node{Op: ir.OpCat, Width: width, Args: []*ir.Node{high, n}}
	}
	return n
}

// values has a value for each input.
type values map[*ir.Signal]*big.Int

func drawValues(t *rapid.T, e *expression) values {
	v := values{}
	for _, s := range e.inputs {
		v[s] = drawValue(t, s.Width)
	}
	return v
}

func mod(v *big.Int, width int) *big.Int {
	return v.And(v, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(width)), big.NewInt(1)))
}

func fromBool(b bool) *big.Int {
	if b {
		return big.NewInt(1)
	}
	return new(big.Int)
}

func signed(v *big.Int, width int) *big.Int {
	if v.Bit(width-1) == 0 {
		return v
	}
	return new(big.Int).Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(width)))
}

// eval computes a node.
func (v values) eval(n *ir.Node) *big.Int {
	args := make([]*big.Int, len(n.Args))
	for i, a := range n.Args {
		args[i] = v.eval(a)
	}
	arg := func(i int) *big.Int { return args[i] }
	r := new(big.Int)
	switch n.Op {
	case ir.OpConst:
		return n.Const.Big()
	case ir.OpSignal:
		return v[n.Signal]
	case ir.OpNot:
		return mod(r.Not(arg(0)), n.Width)
	case ir.OpAnd:
		return r.And(arg(0), arg(1))
	case ir.OpOr:
		return r.Or(arg(0), arg(1))
	case ir.OpXor:
		return r.Xor(arg(0), arg(1))
	case ir.OpAdd:
		return mod(r.Add(arg(0), arg(1)), n.Width)
	case ir.OpSub:
		return mod(r.Sub(arg(0), arg(1)), n.Width)
	case ir.OpMul:
		return r.Mul(arg(0), arg(1))
	case ir.OpEq:
		return fromBool(arg(0).Cmp(arg(1)) == 0)
	case ir.OpNe:
		return fromBool(arg(0).Cmp(arg(1)) != 0)
	case ir.OpLt:
		return fromBool(arg(0).Cmp(arg(1)) < 0)
	case ir.OpLe:
		return fromBool(arg(0).Cmp(arg(1)) <= 0)
	case ir.OpSLt, ir.OpSLe:
		order := signed(arg(0), n.Args[0].Width).Cmp(signed(arg(1), n.Args[1].Width))
		return fromBool(order < 0 || order == 0 && n.Op == ir.OpSLe)
	case ir.OpShl:
		return mod(r.Lsh(arg(0), uint(arg(1).Uint64())), n.Width)
	case ir.OpShr:
		return r.Rsh(arg(0), uint(arg(1).Uint64()))
	case ir.OpSar:
		return mod(r.Rsh(signed(arg(0), n.Width), uint(arg(1).Uint64())), n.Width)
	case ir.OpSlice:
		return mod(r.Rsh(arg(0), uint(n.Lo)), n.Width)
	case ir.OpCat:
		for i, a := range n.Args {
			r.Or(r.Lsh(r, uint(a.Width)), arg(i))
		}
		return r
	case ir.OpRepeat:
		for range n.Lo {
			r.Or(r.Lsh(r, uint(n.Args[0].Width)), arg(0))
		}
		return r
	case ir.OpMux:
		if arg(0).Sign() != 0 {
			return arg(1)
		}
		return arg(2)
	case ir.OpRedOr:
		return fromBool(arg(0).Sign() != 0)
	case ir.OpRedAnd:
		return fromBool(mod(r.Not(arg(0)), n.Args[0].Width).Sign() == 0)
	case ir.OpRedXor:
		parity := uint(0)
		for i := range n.Args[0].Width {
			parity ^= arg(0).Bit(i)
		}
		return fromBool(parity == 1)
	}
	panic(n.Op.String())
}

// flipped returns the values with one input bit changed.
func (v values) flipped(s *ir.Signal, i int) values {
	w := values{}
	for x, value := range v {
		w[x] = value
	}
	w[s] = new(big.Int).SetBit(v[s], i, v[s].Bit(i)^1)
	return w
}

func TestKnownBitsHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawExpression(t)
		v := drawValues(t, e)
		k := newKnowledge()
		for _, n := range e.nodes {
			got := v.eval(n)
			c, _ := ir.ConstFromBig(n.Width, got)
			if !k.of(n).allows(c) {
				t.Fatalf("%v of %d bits is %v, which is said to be impossible", n.Op, n.Width, got)
			}
			if c, ok := k.of(n).constant(); ok && c.Big().Cmp(got) != 0 {
				t.Fatalf("%v of %d bits is %v, not always %v", n.Op, n.Width, got, c)
			}
		}
	})
}

func TestEqualNumbersMeanEqualValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawExpression(t)
		v := drawValues(t, e)
		first := map[int]*big.Int{}
		numbers := newNumbering()
		for _, n := range e.nodes {
			number, got := numbers.of(n), v.eval(n)
			if before := first[number]; before != nil && before.Cmp(got) != 0 {
				t.Fatalf("%v: %v and %v have one number", n.Op, before, got)
			}
			first[number] = got
		}
	})
}

func TestUnneededBitsDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawExpression(t)
		d := newDemand()
		d.root(e.root(), nil)
		d.propagate()
		for range 3 {
			v := drawValues(t, e)
			want := v.eval(e.root())
			for _, s := range e.inputs {
				for i := range s.Width {
					needed := d.signals[s] != nil && d.signals[s].has(i)
					if !needed && v.flipped(s, i).eval(e.root()).Cmp(want) != 0 {
						t.Fatalf("%s[%d] is said to be unread and matters", s.Name, i)
					}
				}
			}
		}
	})
}

func TestBitsDependOnlyOnTheirGraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawExpression(t)
		y := &ir.Signal{Name: "y", Kind: ir.Output, Module: e.module, Width: e.root().Width}
		e.module.Signals = append(e.module.Signals, y)
		e.module.Body.Stmts = []ir.Stmt{&ir.Assign{Target: y, Value: e.root()}}
		g := newGraph(&ir.Design{Top: e.module, All: []*ir.Module{e.module}})
		at := rapid.IntRange(0, y.Width-1).Draw(t, "output bit")

		seen := map[bit]bool{}
		var visit func(b bit)
		visit = func(b bit) {
			if !seen[b] {
				seen[b] = true
				g.bits(b, visit)
			}
		}
		visit(bit{g.signals[y], at})
		v := drawValues(t, e)
		want := v.eval(e.root()).Bit(at)
		for _, s := range e.inputs {
			for i := range s.Width {
				if !seen[bit{g.signals[s], i}] && v.flipped(s, i).eval(e.root()).Bit(at) != want {
					t.Fatalf("y[%d] is said not to depend on %s[%d]", at, s.Name, i)
				}
			}
		}
	})
}

func TestComponents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "vertices")
		edge := make([][]bool, n)
		reach := make([][]bool, n)
		for v := range n {
			edge[v], reach[v] = make([]bool, n), make([]bool, n)
			for w := range n {
				edge[v][w] = rapid.IntRange(0, 4).Draw(t, "edge") == 0
				reach[v][w] = edge[v][w]
			}
		}
		for k := range n {
			for v := range n {
				for w := range n {
					reach[v][w] = reach[v][w] || reach[v][k] && reach[k][w]
				}
			}
		}
		out := func(v int, visit func(int)) {
			for w := range n {
				if edge[v][w] {
					visit(w)
				}
			}
		}
		of := map[int]int{}
		for i, c := range components(n, out) {
			for _, v := range c {
				of[v] = i + 1
			}
		}
		for v := range n {
			assert.Equal(t, reach[v][v], of[v] > 0, "vertex %d", v)
			for w := range n {
				if v != w {
					assert.Equal(t, reach[v][w] && reach[w][v], of[v] > 0 && of[v] == of[w], "vertices %d and %d", v, w)
				}
			}
			path := shortestPath(v, v, out)
			assert.Equal(t, reach[v][v], path != nil)
			for i := range path {
				assert.True(t, edge[path[i]][path[(i+1)%len(path)]])
			}
		}
	})
}
