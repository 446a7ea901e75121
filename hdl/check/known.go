package check

import "gornic/hdl/ir"

// known is what is certain about a value in every cycle: the bits that are
// always zero and the bits that are always one.
type known struct {
	width      int
	zero, ones mask
}

func unknown(width int) known {
	return known{width, newMask(width), newMask(width)}
}

func knownConst(c ir.Const) known {
	k := unknown(c.Width)
	copy(k.ones, c.Words)
	for i := range k.zero {
		k.zero[i] = ^c.Words[i]
	}
	k.trim()
	return k
}

func knownBit(b bool) known {
	k := unknown(1)
	if b {
		k.ones.set(0)
	} else {
		k.zero.set(0)
	}
	return k
}

func (k known) trim() {
	if r := k.width % 64; r != 0 {
		k.zero[len(k.zero)-1] &= 1<<r - 1
	}
}

// constant returns the value where every bit is known.
func (k known) constant() (ir.Const, bool) {
	for i := range k.ones {
		all := ^uint64(0)
		if r := k.width % 64; r != 0 && i == len(k.ones)-1 {
			all = 1<<r - 1
		}
		if k.zero[i]|k.ones[i] != all {
			return ir.Const{}, false
		}
	}
	return ir.Const{Width: k.width, Words: k.ones}, true
}

// allows reports whether the value can be c.
func (k known) allows(c ir.Const) bool {
	for i, w := range c.Words {
		if w&k.zero[i] != 0 || ^w&k.ones[i] != 0 {
			return false
		}
	}
	return true
}

// compareLeast returns the order of the least value of a and the greatest of b:
// below zero where some a is less than some b.
func compareLeast(a, b known) int {
	for i := len(a.ones) - 1; i >= 0; i-- {
		least, greatest := a.ones[i], ^b.zero[i]
		if r := b.width % 64; r != 0 && i == len(a.ones)-1 {
			greatest &= 1<<r - 1
		}
		if least != greatest {
			if least < greatest {
				return -1
			}
			return 1
		}
	}
	return 0
}

// knowledge finds what is certain about the values of one module. Signals are
// taken as free.
type knowledge struct {
	values  map[*ir.Node]known
	numbers *numbering
}

func newKnowledge() *knowledge {
	return &knowledge{values: make(map[*ir.Node]known), numbers: newNumbering()}
}

func (k *knowledge) of(n *ir.Node) known {
	if v, ok := k.values[n]; ok {
		return v
	}
	v := unknown(n.Width)
	if !poisoned(n) {
		v = k.eval(n)
	}
	k.values[n] = v
	return v
}

func (k *knowledge) eval(n *ir.Node) known {
	v := unknown(n.Width)
	switch n.Op {
	case ir.OpConst:
		return knownConst(n.Const)
	case ir.OpNot:
		a := k.of(n.Args[0])
		return known{n.Width, a.ones, a.zero}
	case ir.OpAnd, ir.OpOr, ir.OpXor:
		return k.bitwise(n)
	case ir.OpSlice:
		a := k.of(n.Args[0])
		v.zero.copyBits(0, a.zero, n.Lo, n.Width)
		v.ones.copyBits(0, a.ones, n.Lo, n.Width)
	case ir.OpCat:
		at := n.Width
		for _, arg := range n.Args {
			at -= arg.Width
			a := k.of(arg)
			v.zero.copyBits(at, a.zero, 0, arg.Width)
			v.ones.copyBits(at, a.ones, 0, arg.Width)
		}
	case ir.OpRepeat:
		a := k.of(n.Args[0])
		for i := range n.Lo {
			v.zero.copyBits(i*a.width, a.zero, 0, a.width)
			v.ones.copyBits(i*a.width, a.ones, 0, a.width)
		}
	case ir.OpMux:
		return k.mux(n)
	case ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe, ir.OpRedOr, ir.OpRedAnd:
		if b, ok := k.truth(n); ok {
			return knownBit(b)
		}
	}
	return v
}

func (k *knowledge) bitwise(n *ir.Node) known {
	a, b := k.of(n.Args[0]), k.of(n.Args[1])
	v := unknown(n.Width)
	for i := range v.ones {
		switch n.Op {
		case ir.OpAnd:
			v.ones[i], v.zero[i] = a.ones[i]&b.ones[i], a.zero[i]|b.zero[i]
		case ir.OpOr:
			v.ones[i], v.zero[i] = a.ones[i]|b.ones[i], a.zero[i]&b.zero[i]
		case ir.OpXor:
			v.ones[i] = a.ones[i]&b.zero[i] | a.zero[i]&b.ones[i]
			v.zero[i] = a.zero[i]&b.zero[i] | a.ones[i]&b.ones[i]
		}
	}
	return v
}

func (k *knowledge) mux(n *ir.Node) known {
	a, b := k.of(n.Args[1]), k.of(n.Args[2])
	if c, ok := k.of(n.Args[0]).constant(); ok {
		if c.IsZero() {
			return b
		}
		return a
	}
	v := unknown(n.Width)
	for i := range v.ones {
		v.ones[i], v.zero[i] = a.ones[i]&b.ones[i], a.zero[i]&b.zero[i]
	}
	return v
}

// truth decides an operation of one bit where the operands allow it.
func (k *knowledge) truth(n *ir.Node) (value, certain bool) {
	a := k.of(n.Args[0])
	switch n.Op {
	case ir.OpRedOr:
		if !a.ones.empty() {
			return true, true
		}
		c, ok := a.constant()
		return false, ok && c.IsZero()
	case ir.OpRedAnd:
		if !a.zero.empty() {
			return false, true
		}
		_, ok := a.constant()
		return true, ok
	}
	b := k.of(n.Args[1])
	same := k.numbers.of(n.Args[0]) == k.numbers.of(n.Args[1])
	switch n.Op {
	case ir.OpEq, ir.OpNe:
		equal, certain := equality(a, b, same)
		return equal == (n.Op == ir.OpEq), certain
	case ir.OpLt: // never where the least a is not below the greatest b; always where the greatest a is below the least b
		if same || compareLeast(a, b) >= 0 {
			return false, true
		}
		return true, compareLeast(b, a) > 0
	default: // OpLe is the converse of b < a
		if same || compareLeast(b, a) >= 0 {
			return true, true
		}
		return false, compareLeast(a, b) > 0
	}
}

// equality decides a == b where a bit differs for certain or all are known.
func equality(a, b known, same bool) (equal, certain bool) {
	for i := range a.ones {
		if a.ones[i]&b.zero[i] != 0 || a.zero[i]&b.ones[i] != 0 {
			return false, true
		}
	}
	_, okA := a.constant()
	_, okB := b.constant()
	return true, same || okA && okB
}
