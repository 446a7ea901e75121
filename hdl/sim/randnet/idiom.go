package randnet

import (
	"gornic/hdl/ir"
)

// idiom draws what datapaths are made of and single random operations hardly
// ever add up to: matrices of parities, masks below a number, decoders, byte
// swaps, masked bytes, trees of choices. A simulator may treat each in its own way.
func (b *moduleBuilder) idiom(width int) *ir.Node {
	width = min(width, 72)
	switch b.pick(6) {
	case 0:
		return b.parities(width)
	case 1:
		return b.comparisons(width)
	case 2:
		return b.swapped(width)
	case 3:
		return b.lanes(width, 8)
	case 4:
		return b.lanes(width, 1)
	}
	return b.selectTree(width)
}

// sideBySide makes a value from its parts, the lowest first.
func (b *moduleBuilder) sideBySide(parts []*ir.Node) *ir.Node {
	if len(parts) == 1 {
		return parts[0]
	}
	n := b.node(ir.OpCat, 0)
	for i := len(parts) - 1; i >= 0; i-- {
		n.Args = append(n.Args, parts[i])
		n.Width += parts[i].Width
	}
	return n
}

func (b *moduleBuilder) slice(x *ir.Node, lo, width int) *ir.Node {
	if width == x.Width {
		return x
	}
	n := b.node(ir.OpSlice, width, x)
	n.Lo = lo
	return n
}

func (b *moduleBuilder) rep(bit *ir.Node, width int) *ir.Node {
	if width == 1 {
		return bit
	}
	n := b.node(ir.OpRepeat, width, bit)
	n.Lo = width
	return n
}

func (b *moduleBuilder) parities(width int) *ir.Node {
	x := b.leaf([]int{8, 32, 64, 100}[b.pick(4)])
	var parts []*ir.Node
	for range width {
		p := b.node(ir.OpRedXor, 1, b.node(ir.OpAnd, x.Width, x, b.constant(x.Width)))
		if b.pick(4) == 0 {
			p = b.node(ir.OpXor, 1, p, b.slice(x, b.pick(x.Width), 1))
		}
		parts = append(parts, p)
	}
	return b.sideBySide(parts)
}

func (b *moduleBuilder) comparisons(width int) *ir.Node {
	x := b.leaf(7)
	op := []ir.Op{ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe}[b.pick(4)]
	left, first := b.pick(2) == 0, b.pick(20)
	var parts []*ir.Node
	for i := range width {
		c, _ := ir.NewConst(7, uint64(first+i))
		k := &ir.Node{Op: ir.OpConst, Width: 7, Const: c}
		if left {
			parts = append(parts, b.node(op, 1, k, x))
		} else {
			parts = append(parts, b.node(op, 1, x, k))
		}
	}
	return b.sideBySide(parts)
}

func (b *moduleBuilder) swapped(width int) *ir.Node {
	n := max(1, width/8)
	x := b.leaf(8*n + 8*b.pick(3))
	var parts []*ir.Node
	for i := range n {
		parts = append(parts, b.slice(x, 8*(n-1-i), 8))
	}
	return b.fit(b.sideBySide(parts), width)
}

// lanes does the same operations with lanes of two values and with copies of
// bits, though not in every lane.
func (b *moduleBuilder) lanes(width, w int) *ir.Node {
	n := max(1, width/w)
	x, y, bits := b.leaf(n*w), b.leaf(n*w), b.leaf(n)
	ops := []ir.Op{ir.OpAnd, ir.OpOr, ir.OpXor}
	first, second := ops[b.pick(3)], ops[b.pick(3)]
	var parts []*ir.Node
	for i := range n {
		v := b.slice(x, i*w, w)
		if b.pick(4) > 0 {
			v = b.node(first, w, v, b.rep(b.slice(bits, i, 1), w))
		}
		if b.pick(4) > 0 {
			v = b.node(second, w, b.slice(y, i*w, w), v)
		}
		parts = append(parts, v)
	}
	return b.fit(b.sideBySide(parts), width)
}

// selectTree chooses a byte or a bit of a value by the bits of another one.
func (b *moduleBuilder) selectTree(width int) *ir.Node {
	w := []int{1, 8}[b.pick(2)]
	depth := 1 + b.pick(4)
	x, by := b.leaf(w<<depth), b.leaf(depth)
	var level []*ir.Node
	for i := range 1 << depth {
		level = append(level, b.slice(x, i*w, w))
	}
	for k := range depth {
		var next []*ir.Node
		for i := 0; i < len(level); i += 2 {
			next = append(next, b.node(ir.OpMux, w, b.slice(by, k, 1), level[i+1], level[i]))
		}
		level = next
	}
	return b.fit(level[0], width)
}
