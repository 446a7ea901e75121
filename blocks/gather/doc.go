// Package gather reads the payload of packets from host memory: it turns pieces
// into bursts, puts what comes back into one row of bytes a packet, and holds
// that until it is whole. Start with [Def]; [Reference] is the same in plain Go.
//
// # Streams
//
//	Piece       where the payload of each packet lies, and
//	Translated  whether its keys were good, from translate
//	Read        bursts of host memory
//	Gathered    how the payload of each packet fared, and
//	Payload     a frame for each whose payload is whole, to transmit
//
// # State
//
// The payload buffer. It has words of a beat, each packet in words of its own,
// and four places: where the next word is read, where whole packets end
// (commit), where the next word is written, and, as a number of free words
// (room), how far bursts have been asked for. A burst is asked for only with
// room for all words that it completes, so Beat is taken at once, always.
//
// # Order
//
// Everything in the order of the packets. One whose segments were probes has no
// pieces: Gathered comes in its turn, and no payload. Payload is offered as soon as it is
// whole, even if Gathered waits for its taker or for Translated. Bursts of the
// packets behind are on their way while one arrives: up to 64 bursts, of up to
// 64 packets.
//
// # Fault
//
// A fault of a key ends the pieces of its packet with one that is Skip. What
// has been asked for of that packet comes, and the next packet is written over
// it: so its room is free at once. An error response to a read fails its packet
// with VendorBusRead when all of it has come, and the room is free then. The
// fault of a key is the one told, if there are both.
//
// # Stall
//
// Payload may stall: then the buffer fills, and no more is read. Within a frame
// Payload itself never pauses.
//
// # Cycles
//
// A burst leaves 3 cycles after its piece, and a burst a cycle. Beats of memory
// are taken one every cycle, whatever their alignment. Of the last beat of a
// packet Gathered comes 2 cycles behind, 3 from 128 bits on, and the payload 2
// later; one more where the packet ends in two words.
//
// So a packet of one piece takes as many cycles as the beats that it lies in,
// if the buffer has room for what memory is asked for before it answers. With
// just two packets of 4096 bytes that is not so: each then takes some 3 cycles
// more, at 512 bits.
//
// # Files
//
//	plan.go    pieces become bursts
//	ask.go     bursts are asked for, as there is room
//	arrive.go  beats come, and are turned to where their bytes belong
//	merge.go   beats become words of payload
//	store.go   words are stored, and whole packets leave
package gather
