// Package rxbuffer is the packet buffer of the receive side: it stores what the
// parser gives until the parser's status and the ICRC's verdict are known,
// hands good packets on whole, and drops all others whole. Start with [Def];
// [Model] is the same function in plain Go, frame by frame.
//
// # Streams
//
//	Status, Header, Payload   from package rxparse, in the order that it promises
//	Verdict                   from package icrc, one for each status
//	OutHeader                 the descriptor of each good packet, to psncheck
//	OutPayload                a frame for each of them with payload, to scatter
//	Report                    what became of each frame, in order, to the counters of registers
//
// # State
//
// Payload lies in a ring in block RAM, beat by beat; descriptors lie in
// another, in as many words as the shortest packet has beats. Pointers are all
// the control: read, begun, given, start and write for payload; fetch, next and
// free for descriptors (buffer.go). Descriptors leave before their payload, up
// to 8 of them: what has to be sent of each is kept in a queue. Where the
// payload of a frame ends is kept by its place among the descriptors, so the
// reader goes by what was written, not by the payload length. A status waits
// for its verdict in a queue of 16. Each ring has one writer, the wire side,
// and one reader, the transport side; bad frames alone are for both.
//
// That the pointers keep their order, and with it that no RAM is read where it is
// written, is proved by induction (properties.go).
//
// # Room
//
// The wire side never waits. A frame that finds no room for one of its beats,
// or none for its descriptor, is reported as buffer-full, and what was stored
// of it is forgotten at once: write goes back to start. So is a frame that the
// parser refuses. A frame with a bad ICRC is forgotten as soon as that is known
// if nothing was written behind it. Else it keeps its room until the reader
// comes to it, which passes over it in the time of its descriptor: the next
// frame was already coming in. Room that the reader or such a frame frees can
// be used two cycles later. A frame has to fit into what is free when it comes;
// one that does is always kept.
//
// # Cycles
//
// A beat every cycle in and out. A descriptor leaves 3 cycles after its frame's
// verdict and one more for each of its words, the payload 4 cycles later.
// Descriptors follow each other at one in 8, 4, 2 or 1 cycles at 64, 128, 256
// and 512 bits: the pace at which the shortest packets arrive.
//
// # Files
//
//	buffer.go  the pointers
//	store.go   what comes is stored
//	judge.go   status and verdict meet
//	fetch.go   good packets leave
package rxbuffer
