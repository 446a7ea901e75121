package stream

import (
	"slices"

	"gornic/hdl"
	"gornic/hdl/ir"
)

// LastByte is the index of the last byte that keep marks, in log2 of its width
// bits (1 for a width of 1); keep is contiguous from byte 0 and not zero.
func LastByte(keep hdl.Bits) hdl.Bits {
	n := keep.Width()
	parts := make([]hdl.Bits, ir.AddrWidth(n))
	for b := range parts {
		// Bit b is one where the last byte is in an odd block of 2^b bytes.
		bit := hdl.K(1, 0)
		for lo := 1 << b; lo < n; lo += 2 << b {
			in := keep.Bit(lo)
			if next := lo + 1<<b; next < n {
				in = in.And(keep.Bit(next).Not())
			}
			bit = bit.Or(in)
		}
		parts[b] = bit
	}
	return catUp(parts)
}

// KeepTo is the keep of bytes 0 to last, both included, of a word of n bytes.
func KeepTo(last hdl.Bits, n int) hdl.Bits {
	parts := make([]hdl.Bits, n)
	for i := range parts {
		parts[i] = last.GeK(uint64(i))
	}
	return catUp(parts)
}

// keepBelow is the keep of the bytes before first, of a word of n bytes.
func keepBelow(first hdl.Bits, n int) hdl.Bits {
	parts := make([]hdl.Bits, n)
	for i := range parts {
		parts[i] = first.GtK(uint64(i))
	}
	return catUp(parts)
}

// catUp puts values side by side, the first one least significant.
func catUp(xs []hdl.Bits) hdl.Bits {
	parts := slices.Clone(xs)
	slices.Reverse(parts)
	return hdl.Cat(parts...)
}

// byteAt is the byte of data with that index; an index past the end gives the
// last one.
func byteAt(data, index hdl.Bits) hdl.Bits {
	list := make([]hdl.Bits, data.Width()/8)
	for i := range list {
		list[i] = data.Byte(i)
	}
	return hdl.Select(index, list...)
}

// byteBit is the bit of keep with that index.
func byteBit(keep, index hdl.Bits) hdl.Bits {
	list := make([]hdl.Bits, keep.Width())
	for i := range list {
		list[i] = keep.Bit(i)
	}
	return hdl.Select(index, list...)
}

// eachByte widens a bit a byte to eight.
func eachByte(mask hdl.Bits) hdl.Bits {
	list := make([]hdl.Bits, mask.Width())
	for i := range list {
		list[i] = mask.Bit(i).Rep(8)
	}
	return catUp(list)
}

// rotateK rotates x left by n bits, less than its width.
func rotateK(x hdl.Bits, n int) hdl.Bits {
	if n == 0 {
		return x
	}
	return hdl.Cat(x.Trunc(x.Width()-n), x.Slice(x.Width()-1, x.Width()-n))
}
