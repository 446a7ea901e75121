package hdl

import (
	"fmt"

	"gornic/hdl/check"
	"gornic/hdl/ir"
)

// poison returns the result of a faulty operation. Later operations on it
// stay silent, so that one mistake is one error. Faulty constants among the
// operands are carried on until a module meets them.
func poison(width int, xs ...Bits) Bits {
	p := Bits{n: &ir.Node{Op: ir.OpInvalid, Width: width, Pos: ir.Here(0)}, w: width}
	for _, x := range xs {
		if x.m != nil {
			p.m = x.m
		}
		if x.fault != nil {
			p.fault = x.fault
		}
		if x.n != nil {
			p.n.Args = append(p.n.Args, x.n) // they count as read
		}
	}
	for _, x := range xs {
		if x.n == nil && p.m == nil && p.fault == nil { // no module has reported it yet
			p.fault = &check.Finding{Code: check.Misuse, Pos: p.n.Pos, Message: valueless(x)}
		}
	}
	return p
}

// valueless says what is wrong with the use of a prototype.
func valueless(x Bits) string {
	return fmt.Sprintf("a prototype (%s) has no value: make a Reg, Wire or constant of it", plural(x.w, "bit"))
}

func (x Bits) poisoned() bool { return x.n != nil && x.n.Op == ir.OpInvalid }

// operands finds the module that an operation belongs to, and reports
// operands that are not values of it. ok is false when the result is poison.
// Operations on constants alone belong to no module yet: m is then an empty one.
func operands(op string, xs ...Bits) (m *Module, ok bool) {
	for _, x := range xs {
		if x.m != nil && (m == nil || m.done) { // the module whose Body runs, not one that has ended
			m = x.m
		}
	}
	if m == nil {
		m = &Module{}
	}
	ok = true
	for _, x := range xs {
		ok = m.admit(op, x) && ok
	}
	return m, ok
}

// admit reports whether x may be used in m, and says why it may not.
func (m *Module) admit(op string, x Bits) bool {
	x.use()
	switch {
	case x.n == nil:
		m.reportf(check.Misuse, "%s: %s", op, valueless(x))
		return false
	case x.fault != nil && m.b != nil:
		m.b.reportOnce(m, x.fault)
		return false
	case x.poisoned() && x.m == nil:
		m.reportAt(check.Width, x.n.Pos, "an operation on constants alone has operands of unequal width, or a range outside its operand")
		return false
	case x.poisoned():
		return false
	case x.m != nil && x.m != m:
		m.reportf(check.Owner, "%s: %s (%s) belongs to %s", op, x.describe(), x.site(), m.owner(x.m))
		return false
	}
	return true
}

// owner says whose a value is that m cannot use.
func (m *Module) owner(other *Module) string {
	switch {
	case other.b != m.b:
		return fmt.Sprintf("module %s of another design", other.ir.Name)
	case other.ir.Name == m.ir.Name:
		return fmt.Sprintf("another instance of this module (%s)", pathOrTop(other.ir.Path))
	}
	return fmt.Sprintf("module %s, not to %s: pass it through a port", other.ir.Name, m.ir.Name)
}

// value makes a node; the operands have been checked.
func (m *Module) value(op ir.Op, width int, xs ...Bits) Bits {
	n := &ir.Node{Op: op, Width: width, Args: make([]*ir.Node, len(xs)), Module: m.ir, Pos: ir.Here(0)}
	for i, x := range xs {
		n.Args[i] = x.n
	}
	if m.b != nil {
		m.b.values++
		n.Seq = m.b.values
		m.b.loose[n] = m
	}
	return m.wrap(n)
}

func (m *Module) wrap(n *ir.Node) Bits {
	if m.b == nil {
		m = nil
	}
	return Bits{n: n, m: m, w: n.Width}
}

func unary(name string, op ir.Op, x Bits, width int) Bits {
	m, ok := operands(name, x)
	if !ok {
		return poison(width, x)
	}
	return m.value(op, width, x)
}

// reduce is a unary operation to one bit; of one bit it is that bit.
func reduce(name string, op ir.Op, x Bits) Bits {
	m, ok := operands(name, x)
	if !ok {
		return poison(1, x)
	}
	if x.w == 1 {
		return x
	}
	return m.value(op, 1, x)
}

func binary(name string, op ir.Op, x, y Bits, width int) Bits {
	m, ok := operands(name, x, y)
	if !ok || !sameWidth(name, x, y) {
		return poison(width, x, y)
	}
	return m.value(op, width, x, y)
}

func shift(name string, op ir.Op, x, n Bits) Bits {
	m, ok := operands(name, x, n)
	if !ok {
		return poison(x.w, x, n)
	}
	return m.value(op, x.w, x, n)
}

func extend(name string, x Bits, width int) (*Module, bool) {
	m, ok := operands(name, x)
	if ok && width < x.w {
		m.reportf(check.Width, "%s to %s: %s is %s (%s)", name, plural(width, "bit"), x.describe(), plural(x.w, "bit"), x.site())
		return m, false
	}
	return m, ok
}

func sameWidth(name string, x, y Bits) bool {
	if x.w == y.w {
		return true
	}
	if m, ok := operands(name, x, y); ok {
		m.reportf(check.Width, "%s: %s is %s (%s), %s is %s (%s): use ZExt, Trunc or Slice",
			name, x.describe(), plural(x.w, "bit"), x.site(), y.describe(), plural(y.w, "bit"), y.site())
	}
	return false
}

// condition reports whether c can stand as a condition: one bit.
func (m *Module) condition(c Bits) bool {
	if c.w == 1 {
		return true
	}
	m.reportf(check.Width, "condition %s is %s (%s): use Any, All or a comparison", c.describe(), plural(c.w, "bit"), c.site())
	return false
}

// cat makes a concatenation, flat where its parts are concatenations.
func (m *Module) cat(xs ...Bits) Bits {
	if len(xs) == 1 {
		return xs[0]
	}
	var parts []Bits
	width := 0
	for _, x := range xs {
		width += x.w
		if x.n.Op == ir.OpCat {
			for _, a := range x.n.Args {
				parts = append(parts, m.wrap(a))
			}
			continue
		}
		parts = append(parts, x)
	}
	return m.value(ir.OpCat, width, parts...)
}

// slice makes a slice, looking through slices and through concatenations
// whose part it falls into: the logic that it reads stays as small as it is.
func (m *Module) slice(x Bits, hi, lo int) Bits {
	switch {
	case lo == 0 && hi == x.w-1:
		return x
	case x.n.Op == ir.OpSlice:
		return m.slice(m.wrap(x.n.Args[0]), hi+x.n.Lo, lo+x.n.Lo)
	case x.n.Op == ir.OpCat:
		return m.sliceCat(x, hi, lo)
	case x.n.Op == ir.OpConst:
		return sliceConst(x, hi, lo)
	}
	v := m.value(ir.OpSlice, hi-lo+1, x)
	v.n.Lo = lo
	return v
}

func (m *Module) sliceCat(x Bits, hi, lo int) Bits {
	var parts []Bits
	top := x.w
	for _, a := range x.n.Args {
		bottom := top - a.Width
		if from, to := max(lo, bottom), min(hi, top-1); from <= to {
			parts = append(parts, m.slice(m.wrap(a), to-bottom, from-bottom))
		}
		top = bottom
	}
	return m.cat(parts...)
}

func sliceConst(x Bits, hi, lo int) Bits {
	v := x.n.Const.Big()
	v.Rsh(v, uint(lo))
	c, _ := ir.ConstFromBig(hi-lo+1, v) // the low bits are what is wanted
	return Bits{n: &ir.Node{Op: ir.OpConst, Width: c.Width, Const: c, Pos: x.n.Pos}, w: c.Width}
}
