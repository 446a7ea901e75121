// Package hostmem is host memory on a board: block RAM behind an AXI4 port, with a second side
// by which a host fills and reads it. Bursts for the memory of a PC it hands on.
// Start with [Def]; [Reference] is the block in plain Go.
//
// # Streams
//
//	AXI     AXI4 slave: the core's port to host memory
//	Host    accesses of the host to the same bytes, and the replies
//	Remote  AXI4 master: bursts to bus addresses from port.RemoteBase on, if there is one
//
// The bytes of the board are bus addresses 0 to Bytes - 1. What is neither there nor remote
// is answered with DECERR, of the host with Fault.
//
// # Order
//
// Bursts are taken in the order of their addresses, reads and writes apart. Answers of one ID
// are in that order, wherever the bursts went: one to the board waits for those
// of its ID that are with the PC, one to the PC waits until those before it on the board are answered.
// Beats of different IDs may mix. A read that begins after the answer to a write sees what was written,
// also between the two sides.
//
// # State
//
// The bytes; a read burst and a write burst under way; which IDs have bursts with the PC.
//
// # Stall and fault
//
// Each byte of a word is a RAM of its own, with a port to write and one to read. The host comes first at both,
// for a cycle an access. A read of the very word that is written in this cycle waits for the next. A host's read goes
// through the same stages as bursts, so it waits while the core does not take what it has read;
// the core always does.
//
// Bursts are those of blocks/link.AXI: INCR, of whole beats, within 4 KiB, ended by WLAST.
//
// # Cycles
//
// A beat each cycle, reads and writes at once. 5 cycles from an address to the first beat, 2 between
// two write bursts.
package hostmem
