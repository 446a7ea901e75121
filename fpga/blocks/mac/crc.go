package mac

import "gornic/hdl"

// The CRC-32 of Ethernet with bits reflected (IEEE 802.3 clause 3.2.9): a state is 32 bits, which starts as all ones, and the
// next byte goes into its low eight bits.
const polynomial = 0xEDB88320

// residue is the state after a frame and its FCS, whatever the frame.
const residue = 0xDEBB20E3

// step returns the state after one byte: eight shifts at once, each bit the parity of some bits of the
// byte and the state's low byte, and of the bit eight above.
func step(state, data hdl.Bits) hdl.Bits {
	low := state.Trunc(8).Xor(data)
	bits := make([]hdl.Bits, 32)
	for j := range bits {
		bit := low.And(low.K(row(j))).Parity()
		if j < 24 {
			bit = bit.Xor(state.Bit(j + 8))
		}
		bits[31-j] = bit
	}
	return hdl.Cat(bits...)
}

// row is the bits of the low byte that bit j of the next state depends on.
func row(j int) uint64 {
	var row uint64
	for i := range 8 {
		state := uint32(1) << i
		for range 8 {
			state = state>>1 ^ state&1*polynomial
		}
		row |= uint64(state>>j&1) << i
	}
	return row
}
