package stream

import (
	"slices"

	"gornic/hdl"
	"gornic/hdl/ir"
)

// lowestOne keeps the lowest bit of x that is one, in a tree of gates: for few
// bits that is shallower than a carry chain.
func lowestOne(x hdl.Bits) hdl.Bits {
	parts := make([]hdl.Bits, x.Width())
	for i := range parts {
		parts[i] = x.Bit(i)
		if i > 0 {
			parts[i] = parts[i].And(x.Trunc(i).None())
		}
	}
	slices.Reverse(parts)
	return hdl.Cat(parts...)
}

// above has the bits above the one that is set in x.
func above(x hdl.Bits) hdl.Bits {
	parts := make([]hdl.Bits, x.Width())
	for i := range parts {
		parts[i] = hdl.K(1, 0)
		if i > 0 {
			parts[i] = x.Trunc(i).Any()
		}
	}
	slices.Reverse(parts)
	return hdl.Cat(parts...)
}

// encode is the index of the bit that is set in x.
func encode(x hdl.Bits) hdl.Bits {
	parts := make([]hdl.Bits, ir.AddrWidth(x.Width()))
	for b := range parts {
		bit := hdl.K(1, 0)
		for i := range x.Width() {
			if i>>b&1 == 1 {
				bit = bit.Or(x.Bit(i))
			}
		}
		parts[len(parts)-1-b] = bit
	}
	return hdl.Cat(parts...)
}

// oneHotOrZero returns one bit: no two bits of x are one.
func oneHotOrZero(x hdl.Bits) hdl.Bits { return x.And(x.SubK(1)).None() }
