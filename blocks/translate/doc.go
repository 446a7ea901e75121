// Package translate turns the segments of payloads, in virtual addresses, into
// pieces in bus addresses: one instance for each direction. Start with [Def];
// [Reference] is the same in plain Go, without a cache.
//
// # Streams
//
//	Segment     what a packet's payload is in virtual addresses, from requester or responder
//	Key         questions to the key cache, keycache (link.KeyPort)
//	Read        lines of page lists
//	Piece       the same in bus addresses, to gather or scatter
//	Translated  one for each packet that has segments: the fault, if there was one
//	Flush       a pulse: what is held of page lists is old, from command and keyops
//
// # From a key to an address
//
//	ask.go     a segment with a key becomes a question to keycache
//	locate.go  the answer, a bus address and an offset, makes the place of the bytes, or of their entry in the page list
//	lines.go   the cache of lines, where that entry is looked up
//	walk.go    page by page, an entry and the offset in the page make a piece
//
// # A segment
//
// A contiguous key gives one piece. The key of a page list gives one for each
// page that the segment touches; entry i of the list is the page of virtual
// addresses from (VA >> shift) + i on, where VA is the first one of the key. A
// segment with Skip gives a piece with Skip; its key is looked at if it asks
// for rights.
//
// A segment with Bus names its bus address itself: it gives that piece, and no key is looked at.
//
// # A probe
//
// A segment that is a Probe gives no piece: its key is looked at, and with Find
// the bus address of its first byte is looked up, which Translated tells. A packet is of
// probes alone, or has one behind its payload (Probed). That one is not asked
// before all of the payload has its pieces: its question may be link.RightRevoke, which
// has to come behind the last use of the key, and must not come where the
// payload cannot be placed.
//
// # State
//
// A direct-mapped cache of lines of page lists: 8 entries of 8 bytes, 64 bytes
// of host memory, named by their bus address. A line may hold memory that
// becomes a list later: so command and keyops give Flush whenever they make a
// key, when its list is in memory. A line on its way at that time is used, but
// not held.
//
// # Order
//
// Pieces leave in the order of their segments; Translated comes with the last
// piece of its packet, or when its last probe has been answered. Questions to the
// key cache run ahead of the pieces, by as many as it has room for.
//
// # Miss, stall, fault
//
// A line that is not held costs one read of host memory; the segments behind
// wait.
//
// Where a key does not grant what is asked, or an entry cannot be read, one
// piece with Skip and Last stands for the rest of the packet; its segments are
// taken and dropped. Pieces before it may be gone. Translated has the fault.
//
// # Cycles
//
// A segment every second cycle (at 64 bits every third, every fifth where the key
// cache serves both directions), and a piece of a page list every second one; 3 cycles from its answer to the piece, 4 for a
// page. A probe takes the time of a piece; the one behind a payload adds some 10
// cycles. A miss adds 3 cycles and the read.
package translate
