package hdl

import (
	"gornic/hdl/check"
	"gornic/hdl/ir"
)

// Not returns the complement of every bit.
func (x Bits) Not() Bits { return unary("Not", ir.OpNot, x, x.w) }

// And returns the bitwise and; widths are equal.
func (x Bits) And(y Bits) Bits { return binary("And", ir.OpAnd, x, y, x.w) }

// Or returns the bitwise or; widths are equal.
func (x Bits) Or(y Bits) Bits { return binary("Or", ir.OpOr, x, y, x.w) }

// Xor returns the bitwise exclusive or; widths are equal.
func (x Bits) Xor(y Bits) Bits { return binary("Xor", ir.OpXor, x, y, x.w) }

// Add returns x + y modulo 2^width; widths are equal.
func (x Bits) Add(y Bits) Bits { return binary("Add", ir.OpAdd, x, y, x.w) }

// AddC returns x + y one bit wider, the carry on top; widths are equal.
func (x Bits) AddC(y Bits) Bits {
	if !sameWidth("AddC", x, y) {
		return poison(x.w+1, x, y)
	}
	return x.ZExt(x.w + 1).Add(y.ZExt(y.w + 1))
}

// Sub returns x - y modulo 2^width; widths are equal.
func (x Bits) Sub(y Bits) Bits { return binary("Sub", ir.OpSub, x, y, x.w) }

// Mul returns the whole product; its width is the sum of the widths.
func (x Bits) Mul(y Bits) Bits {
	m, ok := operands("Mul", x, y)
	if !ok {
		return poison(x.w+y.w, x, y)
	}
	return m.value(ir.OpMul, x.w+y.w, x, y)
}

// AddK returns x + k modulo 2^width.
func (x Bits) AddK(k uint64) Bits { return x.Add(x.K(k)) }

// SubK returns x - k modulo 2^width.
func (x Bits) SubK(k uint64) Bits { return x.Sub(x.K(k)) }

// Eq returns one bit: x equals y; widths are equal.
func (x Bits) Eq(y Bits) Bits { return binary("Eq", ir.OpEq, x, y, 1) }

// Ne returns one bit: x differs from y; widths are equal.
func (x Bits) Ne(y Bits) Bits { return binary("Ne", ir.OpNe, x, y, 1) }

// Lt returns one bit: x < y, unsigned; widths are equal.
func (x Bits) Lt(y Bits) Bits { return binary("Lt", ir.OpLt, x, y, 1) }

// Le returns one bit: x <= y, unsigned; widths are equal.
func (x Bits) Le(y Bits) Bits { return binary("Le", ir.OpLe, x, y, 1) }

// Gt returns one bit: x > y, unsigned; widths are equal.
func (x Bits) Gt(y Bits) Bits { return y.Lt(x) }

// Ge returns one bit: x >= y, unsigned; widths are equal.
func (x Bits) Ge(y Bits) Bits { return y.Le(x) }

// SLt returns one bit: x < y in two's complement; widths are equal.
func (x Bits) SLt(y Bits) Bits { return binary("SLt", ir.OpSLt, x, y, 1) }

// SLe returns one bit: x <= y in two's complement; widths are equal.
func (x Bits) SLe(y Bits) Bits { return binary("SLe", ir.OpSLe, x, y, 1) }

// Is returns one bit: x equals k.
func (x Bits) Is(k uint64) Bits { return x.Eq(x.K(k)) }

// IsNot returns one bit: x differs from k.
func (x Bits) IsNot(k uint64) Bits { return x.Ne(x.K(k)) }

// LtK returns one bit: x < k, unsigned. A k that x cannot reach is no mistake,
// here and in the next three: a generator may compare a narrow value with it. The
// result is then constant.
func (x Bits) LtK(k uint64) Bits { return x.against(k, 1, func(c Bits) Bits { return x.Lt(c) }) }

// LeK returns one bit: x <= k, unsigned.
func (x Bits) LeK(k uint64) Bits { return x.against(k, 1, func(c Bits) Bits { return x.Le(c) }) }

// GtK returns one bit: x > k, unsigned.
func (x Bits) GtK(k uint64) Bits { return x.against(k, 0, func(c Bits) Bits { return c.Lt(x) }) }

// GeK returns one bit: x >= k, unsigned.
func (x Bits) GeK(k uint64) Bits { return x.against(k, 0, func(c Bits) Bits { return c.Le(x) }) }

// against compares x with k; beyond is the answer for a k that x cannot reach.
func (x Bits) against(k, beyond uint64, compare func(k Bits) Bits) Bits {
	if x.w > 0 && x.w < 64 && k>>x.w != 0 {
		return K(1, beyond)
	}
	return compare(x.K(k))
}

// Any returns one bit: some bit of x is one.
func (x Bits) Any() Bits { return reduce("Any", ir.OpRedOr, x) }

// None returns one bit: every bit of x is zero.
func (x Bits) None() Bits { return x.Any().Not() }

// All returns one bit: every bit of x is one.
func (x Bits) All() Bits { return reduce("All", ir.OpRedAnd, x) }

// Parity returns one bit: the number of ones in x is odd.
func (x Bits) Parity() Bits { return reduce("Parity", ir.OpRedXor, x) }

// Shl returns x shifted left by the value of n, of any width; zeros come in.
func (x Bits) Shl(n Bits) Bits { return shift("Shl", ir.OpShl, x, n) }

// Shr returns x shifted right by the value of n, of any width; zeros come in.
func (x Bits) Shr(n Bits) Bits { return shift("Shr", ir.OpShr, x, n) }

// Sar returns x shifted right by the value of n, of any width; copies of the
// top bit come in.
func (x Bits) Sar(n Bits) Bits { return shift("Sar", ir.OpSar, x, n) }

// ShlK returns x shifted left by n places; zeros come in.
func (x Bits) ShlK(n int) Bits {
	switch {
	case n < 0:
		return shiftedBack("ShlK", x, n)
	case n == 0:
		return x
	case n >= x.w:
		return x.K(0)
	}
	return Cat(x.Slice(x.w-1-n, 0), K(n, 0))
}

// ShrK returns x shifted right by n places; zeros come in.
func (x Bits) ShrK(n int) Bits {
	switch {
	case n < 0:
		return shiftedBack("ShrK", x, n)
	case n == 0:
		return x
	case n >= x.w:
		return x.K(0)
	}
	return x.Slice(x.w-1, n).ZExt(x.w)
}

// shiftedBack reports a shift by less than nothing.
func shiftedBack(op string, x Bits, n int) Bits {
	if m, ok := operands(op, x); ok {
		m.reportf(check.Misuse, "%s(%d) of %s: a shift is by 0 or more", op, n, x.describe())
	}
	return poison(x.w, x)
}

// Slice returns bits hi down to lo of x, both included: the high bit is named
// first, as in Verilog.
func (x Bits) Slice(hi, lo int) Bits {
	m, ok := operands("Slice", x)
	if !ok {
		return poison(hi-lo+1, x)
	}
	if lo < 0 || hi < lo || hi >= x.w {
		m.reportf(check.Slice, "Slice(%d, %d) of %s, which is %s (%s)%s", hi, lo, x.describe(), plural(x.w, "bit"), x.site(), swapped(hi, lo))
		return poison(max(hi-lo+1, 1), x)
	}
	return m.slice(x, hi, lo)
}

// swapped is the hint for a range with its low bit first.
func swapped(hi, lo int) string {
	if hi < lo {
		return ": the high bit comes first"
	}
	return ""
}

// Bit returns bit i of x.
func (x Bits) Bit(i int) Bits { return x.Slice(i, i) }

// MSB returns the top bit of x.
func (x Bits) MSB() Bits { return x.Slice(x.w-1, x.w-1) }

// Byte returns byte i of x, eight bits; byte 0 is the least significant.
func (x Bits) Byte(i int) Bits { return x.Slice(8*i+7, 8*i) }

// Trunc returns the low width bits of x.
func (x Bits) Trunc(width int) Bits { return x.Slice(width-1, 0) }

// ZExt returns x extended to width bits with zeros.
func (x Bits) ZExt(width int) Bits {
	m, ok := extend("ZExt", x, width)
	if !ok {
		return poison(width, x)
	}
	if width == x.w {
		return x
	}
	return m.cat(K(width-x.w, 0), x)
}

// SExt returns x extended to width bits with copies of its top bit.
func (x Bits) SExt(width int) Bits {
	m, ok := extend("SExt", x, width)
	if !ok {
		return poison(width, x)
	}
	if width == x.w {
		return x
	}
	return m.cat(x.MSB().Rep(width-x.w), x)
}

// Rep returns n copies of x side by side.
func (x Bits) Rep(n int) Bits {
	m, ok := operands("Rep", x)
	if !ok || n < 1 {
		if ok {
			m.reportf(check.Width, "Rep(%d) of %s: at least one copy", n, x.describe())
		}
		return poison(max(n, 1)*x.w, x)
	}
	if n == 1 {
		return x
	}
	v := m.value(ir.OpRepeat, n*x.w, x)
	v.n.Lo = n
	return v
}

// Cat puts values side by side, the first one most significant.
func Cat(xs ...Bits) Bits {
	width := 0
	for _, x := range xs {
		width += x.w
	}
	m, ok := operands("Cat", xs...)
	if !ok {
		return poison(width, xs...)
	}
	return m.cat(xs...)
}

// Mux returns a where cond, of one bit, is one, else b; widths are equal.
func Mux(cond, a, b Bits) Bits {
	m, ok := operands("Mux", cond, a, b)
	if !ok || !m.condition(cond) || !sameWidth("Mux", a, b) {
		return poison(a.w, cond, a, b)
	}
	return m.value(ir.OpMux, a.w, cond, a, b)
}

// Select returns xs[index], a tree of Mux; an index past the end gives the
// last value. Widths of the values are equal.
func Select(index Bits, xs ...Bits) Bits {
	if len(xs) == 0 {
		if m, ok := operands("Select", index); ok {
			m.reportf(check.Misuse, "Select by %s of no values", index.describe())
		}
		return poison(1, index)
	}
	return selectTree(index, index.w-1, xs)
}

func selectTree(index Bits, bit int, xs []Bits) Bits {
	if len(xs) == 1 || bit < 0 {
		return xs[0]
	}
	half := 1 << min(bit, 30)
	if len(xs) <= half {
		return Mux(index.Bit(bit), xs[len(xs)-1], selectTree(index, bit-1, xs))
	}
	return Mux(index.Bit(bit), selectTree(index, bit-1, xs[half:]), selectTree(index, bit-1, xs[:half]))
}

// OneHot returns the or of the values whose bit in sel is one: value i for
// bit i. With one bit set that is a multiplexer of two levels.
func OneHot(sel Bits, xs ...Bits) Bits {
	if m, ok := operands("OneHot", append([]Bits{sel}, xs...)...); !ok || len(xs) != sel.w {
		if ok {
			m.reportf(check.Width, "OneHot: sel is %s for %s", plural(sel.w, "bit"), plural(len(xs), "value"))
		}
		return poison(1, sel)
	}
	masked := make([]Bits, len(xs))
	for i, x := range xs {
		masked[i] = x.And(sel.Bit(i).Rep(x.w))
	}
	return OrAll(masked...)
}

// OrAll returns the or of values of equal width.
func OrAll(xs ...Bits) Bits { return fold(xs, Bits.Or) }

// AndAll returns the and of values of equal width.
func AndAll(xs ...Bits) Bits { return fold(xs, Bits.And) }

// XorAll returns the exclusive or of values of equal width.
func XorAll(xs ...Bits) Bits { return fold(xs, Bits.Xor) }

// fold combines values in a balanced tree.
func fold(xs []Bits, op func(a, b Bits) Bits) Bits {
	switch len(xs) {
	case 0:
		return poison(1)
	case 1:
		return xs[0]
	}
	half := len(xs) / 2
	return op(fold(xs[:half], op), fold(xs[half:], op))
}

// SwapBytes returns x with its bytes in the opposite order; the width is a
// multiple of 8. It turns a value of the wire (big-endian) into one of memory.
func SwapBytes(x Bits) Bits {
	if x.w%8 != 0 {
		if m, ok := operands("SwapBytes", x); ok {
			m.reportf(check.Width, "SwapBytes of %s, which is %s: not whole bytes", x.describe(), plural(x.w, "bit"))
		}
		return poison(x.w, x)
	}
	parts := make([]Bits, x.w/8)
	for i := range parts {
		parts[i] = x.Byte(i)
	}
	return Cat(parts...)
}
