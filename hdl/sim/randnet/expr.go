package randnet

import (
	"math/big"

	"gornic/hdl/ir"
	"pgregory.net/rapid"
)

func (b *moduleBuilder) node(op ir.Op, width int, args ...*ir.Node) *ir.Node {
	return &ir.Node{Op: op, Width: width, Args: args, Module: b.m}
}

// constant draws a constant: often all zeros or ones.
func (b *moduleBuilder) constant(width int) *ir.Node {
	v := new(big.Int).Lsh(big.NewInt(1), uint(width))
	v.Sub(v, big.NewInt(1))
	switch b.pick(4) {
	case 0:
		v.SetInt64(0)
	case 1:
	default:
		for i := range v.Bits() {
			v.Bits()[i] &= big.Word(rapid.Uint64().Draw(b.t, "word"))
		}
		v = new(big.Int).SetBits(v.Bits())
	}
	c, _ := ir.ConstFromBig(width, v)
	return &ir.Node{Op: ir.OpConst, Width: width, Const: c}
}

// leaf returns some signal as a value of a width.
func (b *moduleBuilder) leaf(width int) *ir.Node {
	if b.pick(6) == 0 {
		return b.constant(width)
	}
	return b.fit(b.pool[b.pick(len(b.pool))], width)
}

// fit cuts or extends a value.
func (b *moduleBuilder) fit(n *ir.Node, width int) *ir.Node {
	switch {
	case n.Width > width:
		s := b.node(ir.OpSlice, width, n)
		s.Lo = b.pick(n.Width - width + 1)
		return s
	case n.Width < width:
		return b.node(ir.OpCat, width, b.constant(width-n.Width), n)
	}
	return n
}

// expr draws an expression. Slices and parts of it are of signals, too.
func (b *moduleBuilder) expr(width, depth int) *ir.Node {
	if depth == 0 || b.pick(5) == 0 {
		return b.leaf(width)
	}
	if width == 1 && b.pick(2) == 0 {
		return b.test(depth)
	}
	same := func() *ir.Node { return b.expr(width, depth-1) }
	switch b.pick(16) {
	case 14:
		return b.fit(b.idiom(width), width)
	case 0:
		return b.node(ir.OpNot, width, same())
	case 1:
		return b.node(ir.OpAnd, width, same(), same())
	case 2:
		return b.node(ir.OpOr, width, same(), same())
	case 3:
		return b.node(ir.OpXor, width, same(), same())
	case 4:
		return b.node(ir.OpAdd, width, same(), same())
	case 5:
		return b.node(ir.OpSub, width, same(), same())
	case 6:
		return b.mul(width, depth)
	case 7:
		return b.node(ir.OpShl, width, same(), b.amount(depth))
	case 8:
		return b.node(ir.OpShr, width, same(), b.amount(depth))
	case 9:
		return b.node(ir.OpSar, width, same(), b.amount(depth))
	case 10:
		return b.cat(width, depth)
	case 11:
		return b.repeat(width, depth)
	case 12:
		if len(b.async) > 0 {
			mem := b.async[b.pick(len(b.async))]
			n := b.node(ir.OpMemRead, mem.Width, b.address(mem))
			n.Memory = mem
			return b.fit(n, width)
		}
	}
	return b.node(ir.OpMux, width, b.expr(1, depth-1), same(), same())
}

func (b *moduleBuilder) amount(depth int) *ir.Node {
	return b.expr([]int{1, 3, 6, 7, 8, 9, 70}[b.pick(7)], depth-1)
}

func (b *moduleBuilder) mul(width, depth int) *ir.Node {
	if width < 2 {
		return b.leaf(width)
	}
	left := 1 + b.pick(width-1)
	return b.node(ir.OpMul, width, b.expr(left, depth-1), b.expr(width-left, depth-1))
}

func (b *moduleBuilder) cat(width, depth int) *ir.Node {
	var parts []*ir.Node
	for left := width; left > 0; {
		w := 1 + b.pick(left)
		parts = append(parts, b.expr(w, depth-1))
		left -= w
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return b.node(ir.OpCat, width, parts...)
}

func (b *moduleBuilder) repeat(width, depth int) *ir.Node {
	w := 1
	if width%8 == 0 && b.pick(2) == 0 {
		w = 8
	}
	n := b.node(ir.OpRepeat, width, b.expr(w, depth-1))
	n.Lo = width / w
	if n.Lo == 1 {
		return n.Args[0]
	}
	return n
}

// test draws an operation with a result of one bit.
func (b *moduleBuilder) test(depth int) *ir.Node {
	w := b.width()
	x := b.expr(w, depth-1)
	switch op := ir.OpEq + ir.Op(b.pick(9)); op {
	case ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe, ir.OpSLt, ir.OpSLe:
		return b.node(op, 1, x, b.expr(w, depth-1))
	}
	return b.node([]ir.Op{ir.OpRedOr, ir.OpRedAnd, ir.OpRedXor}[b.pick(3)], 1, x)
}
