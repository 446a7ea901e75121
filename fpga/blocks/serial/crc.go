package serial

import "gornic/hdl"

// polynomial is that of the CRC-32 of Ethernet, the lowest power in the top bit.
const polynomial = 0xEDB88320

// residue is the state behind a frame and its CRC, whatever the frame.
const residue = 0xDEBB20E3

// crcNext is the state of the CRC, of 32 bits, behind one more byte: a sum of the images of bits.
func crcNext(state, b hdl.Bits) hdl.Bits {
	low := state.Byte(0).Xor(b)
	parities := make([]hdl.Bits, 32)
	for j := range parities {
		row := uint64(0)
		for i := range 8 {
			row |= uint64(image(i)>>j&1) << i
		}
		parities[31-j] = low.And(low.K(row)).Parity()
	}
	return state.ShrK(8).Xor(hdl.Cat(parities...))
}

// image is the state eight bits behind that of bit i alone.
func image(i int) uint32 {
	state := uint32(1) << i
	for range 8 {
		state = state>>1 ^ state&1*polynomial
	}
	return state
}
