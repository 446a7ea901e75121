// Package scatter writes the payload of received packets to host memory: it
// puts the bytes of each packet to where its pieces say, and reports packets
// when memory has answered. Start with [Def]; [Reference] is the same in plain
// Go.
//
// # Streams
//
//	Piece    where the payload of each packet goes, from translate
//	Payload  a frame for each packet with payload, from rxpath; of an ATOMIC_ACK its value, from readmatch
//	Commit   what becomes of each packet, request or response, also of those without payload; fences; from responder
//	Write    bursts of host memory
//	Placed   each Commit, when the payload of its packet and of all before it is in memory; to ackqueue, or completer
//
// Whether the keys were good is the responder's to hear (link.Translated): here
// a packet whose keys were not ends with a piece that is Skip.
//
// # State
//
// The beat of payload whose bytes are due, and what waits for memory: bursts
// that have no answer yet, up to 64, and commits, up to 64.
//
// # Order
//
// Everything in the order of the packets, and Placed in that of the answers,
// which for one client is that of its bursts. Payload goes out as soon as its
// pieces are known; it does not wait for its Commit, nor for the answers to
// what went before.
//
// # Fault
//
// A piece that is Skip drops the rest of its packet's payload. An error
// response to any burst of a packet whose Commit says Placed is its BusErr; if
// it was not to be placed, nobody asks.
//
// # Stall
//
// A burst is announced with its first beat, and no earlier than its packet's
// payload is here. Payload is whole in rxpath by then and never pauses within a
// frame, so the beats wait for nothing but the bus. Pieces and Payload wait for
// the bus; Commit waits only for room.
//
// # Cycles
//
// A beat of memory every cycle: a piece takes as many as it touches, and
// packets follow each other without a gap. A burst leaves 4 cycles after its
// piece if its payload is there; its first beat comes with it at 64 bits, else
// a cycle later. Placed comes 2 cycles after the answer.
//
// # Files
//
//	plan.go    pieces become bursts, and how payload comes to their beats
//	step.go    beat by beat through a burst
//	turn.go    bytes turned to where they belong
//	report.go  commits go on behind their payload's answers
package scatter
