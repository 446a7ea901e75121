package check

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"gornic/hdl/ir"
)

// cells are small expressions over x, of 8 bits, with what of x reaches bits
// 5 and 4 of their value.
var cells = []struct {
	name   string
	build  func(x *ir.Node) *ir.Node
	needed []int // bits of x that bits 5:4 of the value need
}{
	{"not", func(x *ir.Node) *ir.Node { return op(ir.OpNot, x) }, []int{4, 5}},
	{"and", func(x *ir.Node) *ir.Node { return op(ir.OpAnd, x, number(8, 0xff)) }, []int{4, 5}},
	{"add", func(x *ir.Node) *ir.Node { return op(ir.OpAdd, x, number(8, 1)) }, []int{0, 1, 2, 3, 4, 5}},
	{"sub", func(x *ir.Node) *ir.Node { return op(ir.OpSub, number(8, 1), x) }, []int{0, 1, 2, 3, 4, 5}},
	{"mul", func(x *ir.Node) *ir.Node {
		n := op(ir.OpMul, x, number(3, 5))
		n.Width = 11
		return n
	}, []int{0, 1, 2, 3, 4, 5}},
	{"shift left", func(x *ir.Node) *ir.Node { return op(ir.OpShl, x, number(2, 3)) }, []int{1, 2}},
	{"shift right", func(x *ir.Node) *ir.Node { return op(ir.OpShr, x, number(2, 3)) }, []int{7}},
	{"shift far", func(x *ir.Node) *ir.Node { return op(ir.OpShl, x, number(9, 256)) }, nil},
	{"shift left by a value", func(x *ir.Node) *ir.Node { return op(ir.OpShl, x, free(2)) }, []int{0, 1, 2, 3, 4, 5}},
	{"shift right by a value", func(x *ir.Node) *ir.Node { return op(ir.OpShr, x, free(2)) }, []int{4, 5, 6, 7}},
	{"arithmetic shift by a value", func(x *ir.Node) *ir.Node { return op(ir.OpSar, x, free(2)) }, []int{4, 5, 6, 7}},
	{"mux", func(x *ir.Node) *ir.Node { return op(ir.OpMux, free(1), x, number(8, 3)) }, []int{4, 5}},
	{"comparison", func(x *ir.Node) *ir.Node {
		n := op(ir.OpLt, x, number(8, 3))
		n.Width = 1
		return cat(n, number(5, 0))
	}, []int{0, 1, 2, 3, 4, 5, 6, 7}},
	{"cat", func(x *ir.Node) *ir.Node { return cat(x, number(3, 0)) }, []int{1, 2}},
	{"repeat", func(x *ir.Node) *ir.Node {
		low := &ir.Node{Op: ir.OpSlice, Width: 3, Args: []*ir.Node{x}}
		return &ir.Node{Op: ir.OpRepeat, Width: 9, Args: []*ir.Node{low}, Lo: 3}
	}, []int{1, 2}},
}

// op returns an operation of 8 bits.
func op(o ir.Op, args ...*ir.Node) *ir.Node { return &ir.Node{Op: o, Width: 8, Args: args} }

func number(width int, v uint64) *ir.Node {
	c, _ := ir.NewConst(width, v) // the table's constants fit
	return &ir.Node{Op: ir.OpConst, Width: width, Const: c}
}

func free(width int) *ir.Node {
	s := &ir.Signal{Name: "free", Kind: ir.Input, Width: width}
	return &ir.Node{Op: ir.OpSignal, Width: width, Signal: s}
}

func cat(args ...*ir.Node) *ir.Node {
	n := &ir.Node{Op: ir.OpCat, Args: args}
	for _, a := range args {
		n.Width += a.Width
	}
	return n
}

func TestNeededBits(t *testing.T) {
	for _, c := range cells {
		t.Run(c.name, func(t *testing.T) {
			x := &ir.Signal{Name: "x", Kind: ir.Input, Width: 8}
			value := c.build(&ir.Node{Op: ir.OpSignal, Width: 8, Signal: x})
			d := newDemand()
			d.root(&ir.Node{Op: ir.OpSlice, Width: 2, Lo: 4, Args: []*ir.Node{value}}, nil)
			d.propagate()
			var got []int
			for i := range 8 {
				if d.signals[x] != nil && d.signals[x].has(i) {
					got = append(got, i)
				}
			}
			assert.Equal(t, c.needed, got)
		})
	}
}

func TestBitsOfGraph(t *testing.T) {
	for _, c := range cells {
		t.Run(c.name, func(t *testing.T) {
			m := &ir.Module{Name: "m", Body: &ir.Block{}}
			x := &ir.Signal{Name: "x", Kind: ir.Input, Width: 8, Module: m}
			value := c.build(&ir.Node{Op: ir.OpSignal, Width: 8, Signal: x})
			for _, n := range postorder([]*ir.Node{value}) {
				if n.Op == ir.OpSignal {
					m.Signals = append(m.Signals, n.Signal)
				}
			}
			g := newGraph(&ir.Design{Top: m, All: []*ir.Module{m}})
			v := g.expression(value)

			seen := map[bit]bool{}
			var got []int
			var visit func(b bit)
			visit = func(b bit) {
				if seen[b] {
					return
				}
				seen[b] = true
				if b.v == g.signals[x] {
					got = append(got, b.i)
				}
				g.bits(b, visit)
			}
			visit(bit{v, 4})
			visit(bit{v, 5})
			slices.Sort(got)
			assert.Equal(t, c.needed, got)
		})
	}
}

func TestArithmeticShiftKeepsTheSign(t *testing.T) {
	m := &ir.Module{Name: "m", Body: &ir.Block{}}
	x := &ir.Signal{Name: "x", Kind: ir.Input, Width: 8, Module: m}
	m.Signals = []*ir.Signal{x}
	g := newGraph(&ir.Design{Top: m, All: []*ir.Module{m}})
	v := g.expression(op(ir.OpSar, &ir.Node{Op: ir.OpSignal, Width: 8, Signal: x}, number(4, 5)))
	var got []int
	g.bits(bit{v, 6}, func(b bit) { got = append(got, b.i) })
	assert.Equal(t, []int{7}, got)
}
