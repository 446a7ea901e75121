package hdl

import (
	"fmt"
	"math/big"

	"gornic/hdl/check"
	"gornic/hdl/ir"
)

// Bits is a handle on a value of a fixed width. It is small and copied
// freely. The zero Bits is no value: [W] makes a prototype of a width, [K] a
// constant; registers, wires and ports come from a [Module].
type Bits struct {
	_     [0]func()      // handles do not compare: x.Eq(y) is the hardware's comparison
	n     *ir.Node       // nil for a prototype
	m     *Module        // whose value it is; nil for prototypes and constants
	w     int            // width in bits
	enum  *ir.Enum       // a prototype's names of values
	fault *check.Finding // a faulty constant: reported by the first module that meets it
}

// W returns a prototype: a width with no hardware. Bundles of prototypes say
// how wide the fields of ports and registers are.
func W(width int) Bits { return Bits{w: width} }

// Named returns the prototype with names for its values; registers, wires and
// ports made from it show them in waveforms; nil takes names away.
func (x Bits) Named(enum *Enum) Bits {
	x.enum = enum
	return x
}

// Enum gives names to values, for people who look at waveforms.
type Enum = ir.Enum

// EnumValue is one named value of an [Enum].
type EnumValue = ir.EnumValue

// K returns the constant v of width bits.
func K(width int, v uint64) Bits {
	c, ok := ir.NewConst(width, v)
	return constant(c, ok, fmt.Sprintf("constant %#x does not fit in %s", v, plural(width, "bit")))
}

// KBig returns the constant v, which must not be negative, of width bits.
func KBig(width int, v *big.Int) Bits {
	if v == nil {
		return constant(ir.Const{Width: width}, false, "constant of no number: the *big.Int is nil")
	}
	c, ok := ir.ConstFromBig(width, v)
	return constant(c, ok, fmt.Sprintf("constant %#x does not fit in %s", v, plural(width, "bit")))
}

// Ones returns the constant of width bits that are all one.
func Ones(width int) Bits {
	v := new(big.Int).Lsh(big.NewInt(1), uint(max(width, 0)))
	return KBig(width, v.Sub(v, big.NewInt(1)))
}

func constant(c ir.Const, ok bool, message string) Bits {
	pos := ir.Here(1)
	if c.Width < 1 {
		ok, message = false, fmt.Sprintf("constant of %d bits: a width is at least 1", c.Width)
	}
	if !ok {
		fault := &check.Finding{Code: check.Constant, Pos: pos, Message: message}
		return Bits{n: &ir.Node{Op: ir.OpInvalid, Width: c.Width, Pos: pos}, w: c.Width, fault: fault}
	}
	return Bits{n: &ir.Node{Op: ir.OpConst, Width: c.Width, Const: c, Pos: pos}, w: c.Width}
}

// Width returns the width in bits.
func (x Bits) Width() int { return x.w }

// Node returns the expression behind the value, for tools that read a
// design; nil for a prototype.
func (x Bits) Node() *ir.Node { return x.n }

// Signal returns the port, register or wire that the value is, or nil where
// it is an expression.
func (x Bits) Signal() *ir.Signal {
	if x.n == nil || x.n.Op != ir.OpSignal {
		return nil
	}
	return x.n.Signal
}

// K returns the constant v of the same width.
func (x Bits) K(v uint64) Bits { return K(x.w, v) }

// describe names the value in an error: its own name where it has one.
func (x Bits) describe() string {
	switch s := x.Signal(); {
	case s != nil:
		return s.Name
	case x.n != nil && x.n.Op == ir.OpConst:
		return x.n.Const.String()
	default:
		return "the value"
	}
}

// site says where the value came from, for the second half of an error.
func (x Bits) site() string {
	if s := x.Signal(); s != nil {
		return s.Pos.String()
	}
	if x.n == nil {
		return "a prototype"
	}
	return x.n.Pos.String()
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
