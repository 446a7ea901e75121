// Package rxpath is the receive side as one module: the parser (rxparse), the
// ICRC check (icrc), the packet buffer (rxbuffer) and a buffer for the frames
// that are for the host. Start with [Def]. [Receiver] drives it in a simulator,
// frame by frame.
//
// # Streams
//
//	In       frames from the MAC, without FCS; Err on the last beat: the MAC found it bad
//	Header   the descriptor of each accepted packet, to psncheck
//	Payload  a frame for each of them with payload, in the same order, to scatter
//	Raw      frames for the host's network stack, unchanged: what is not RoCEv2, and QP 1
//	Report   what became of each frame, in order of arrival, to the counters of registers
//
// A packet leaves when its headers and its ICRC are known to be good, not before.
//
// # Stall and fault
//
// In is always ready: a MAC cannot wait. What finds no room is dropped whole and
// reported as buffer-full. Packets and frames for the host have a buffer each, so
// that a host that does not take its frames does not hold up packets, nor the
// other way round. The buffers are whole frames in and whole frames out: no taker
// ever waits for the rest of a frame that does not come.
//
// Of the parser's stalls none can happen here: Raw, Payload and Status have
// takers that are always ready. A descriptor takes as many cycles to be written
// as the shortest packet takes to arrive.
//
// # Cycles
//
// A beat every cycle in and out, at 512 bits a frame every cycle. A frame is
// reported 7 cycles after its last beat; its descriptor leaves after 10, 11, 13
// or 17 cycles at 512, 256, 128 and 64 bits, its first payload beat 3 cycles
// later.
//
// # Files
//
//	receiver.go  the driver in a simulator; frame.go: its beats
package rxpath
