package pieces

import "gornic/hdl"

// turnLevels is how many levels of a rotator stand between two registers.
const turnLevels = 3

// RotateStages is the number of stages of a rotator of a beat of width bits.
func RotateStages(width int) int { return (IndexBits(width) + turnLevels - 1) / turnLevels }

// Rotate moves each byte of a beat up by turn places, around: the part of it that one
// of the stages does, of three levels of multiplexers.
func Rotate(data, turn hdl.Bits, stage int) hdl.Bits {
	first := stage * turnLevels
	for b := first; b < min(first+turnLevels, turn.Width()); b++ {
		n := data.Width() - 8<<b
		data = hdl.Mux(turn.Bit(b), hdl.Cat(data.Trunc(n), data.Slice(data.Width()-1, n)), data)
	}
	return data
}

// Below has a bit a byte of a beat of n bytes: one for the bytes before first.
func Below(first hdl.Bits, n int) hdl.Bits {
	parts := make([]hdl.Bits, n)
	for i := range parts {
		parts[n-1-i] = first.GtK(uint64(i))
	}
	return hdl.Cat(parts...)
}

// Merge takes the bytes of a whose bit in mask is one, and the others of b.
func Merge(mask, a, b hdl.Bits) hdl.Bits {
	n := mask.Width()
	parts := make([]hdl.Bits, n)
	for i := range parts {
		parts[n-1-i] = hdl.Mux(mask.Bit(i), a.Byte(i), b.Byte(i))
	}
	return hdl.Cat(parts...)
}
