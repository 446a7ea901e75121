// Package atomic executes compare-and-swaps and fetch-and-adds on host memory:
// atomically among all queue pairs of the device, as nothing else of it executes any.
// Start with [Def]; [Reference] is the same in plain Go.
//
// # Streams
//
//	Command   atomics whose turn has come, from resources
//	Operands  what they work with, in the same order, from responder
//	Result    what memory had before, to resources
//	Done      an atomic is in memory, or was cancelled, to psncheck
//	Read      8 bytes of host memory, in a burst of one beat (dma)
//	Write     and the 8 bytes written back
//
// The 8 bytes are a little-endian number in memory (protocol sections 1.4 and 3.7 leave that to the
// host): bytes 0 to 7 are the bits from the lowest up.
//
// # State
//
// The addresses of the atomics under way, eight at most (at 64 bits two), and what is known of each.
//
// # Order
//
// Atomics are read, executed and written in the order of the commands, several under way at once.
// One whose 8 bytes are under way waits until they are in memory, and those behind it wait with it.
// So no atomic reads what another is about to change. Results come in the order of the commands.
// A compare-and-swap that finds something else writes nothing.
//
// A cancelled command takes its operands and nothing else: it waits until nothing is under way, and
// has no Result.
//
// # Fault
//
// An error response to the read ends the atomic with VendorBusRead, and memory is not written; one to
// the write, with VendorBusWrite. Later atomics are executed all the same: an atomic of the same queue
// pair that was under way with it may be in memory, though its requester hears of the first fault only.
//
// # Stall
//
// Memory may take its time. Commands and operands have room for eight; at 64 bits, where that room costs as much as
// the rest, for one, and who sends them waits for memory, which waits for nobody of them.
//
// # Cycles
//
// Where memory answers at once, an atomic every 2 cycles to different addresses (at 64 bits 5), every 9 to one address. At most
// eight (two) are under way: with a latency of n cycles for read and write together, eight (two) every n + 10.
//
// # Files
//
//	issue.go   which atomic may begin, and its read
//	modify.go  what memory had becomes what it has
//	finish.go  the answer of memory, and the result
package atomic
