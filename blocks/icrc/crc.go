package icrc

import "gornic/hdl"

// The CRC-32 of Ethernet with bits reflected: a state is 32 bits, and the
// next message byte goes into its low eight bits.
const polynomial = 0xEDB88320

// preset is the state after the eight bytes of ones that come before a packet,
// starting from a state of ones (protocol section 1.7).
const preset = 0xDEBB20E3

// residue is the state after a message and its own CRC, whatever the message.
const residue = 0xDEBB20E3

// advance returns the state after that many zero bytes; a negative number
// takes zero bytes back. It is linear: the image of a sum (exclusive or) is the
// sum of the images.
func advance(state uint32, bytes int) uint32 {
	for range 8 * bytes {
		low := state & 1
		state = state>>1 ^ low*polynomial
	}
	for range -8 * bytes {
		high := state >> 31
		state = (state^high*polynomial)<<1 | high
	}
	return state
}

// linear returns the 32-bit image of x, of at most 64 bits, under the linear map
// that takes bit i alone to image(i).
func linear(x hdl.Bits, image func(bit int) uint32) hdl.Bits {
	var rows [32]uint64 // which bits of x each bit of the image is the parity of
	for i := range x.Width() {
		for j := range rows {
			rows[j] |= uint64(image(i)>>j&1) << i
		}
	}
	parities := make([]hdl.Bits, 32)
	for j, row := range rows {
		parities[31-j] = x.And(x.K(row)).Parity()
	}
	return hdl.Cat(parities...)
}
