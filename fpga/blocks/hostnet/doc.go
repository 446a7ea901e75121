// Package hostnet joins a board to the memory of a PC over UDP: what the core's AXI4 master asks of addresses that are a
// PC's goes out as datagrams (format.HostnetHeader), and the PC reaches the board's registers. Start with [Def]; [Board] is the
// same in plain Go, package verbs/hostnet the PC's side.
//
// # Streams
//
//	In     frames from the wire, without FCS; never waits: a frame that finds no room is lost
//	Out    frames to the wire, a word in every cycle that its taker is ready, once one has begun
//	AXI    from hostmem: bursts of whole words within 4 KiB, any strobes
//	Host   accesses of registers, to block access
//
// # Two directions
//
// Each side numbers its requests in one sequence, and does those of the other once and in order. The PC asks one thing at a time;
// it repeats what is not answered, and the board answers a repeated request from the answer that it kept. The board has
// up to Window requests under way. It goes back: when nothing has come for Timeout cycles, it sends all
// that is not answered again, from the first. Answers count in order alone: what is lost, doubled or overtaken on
// the wire is asked for again, or does not matter.
//
//	loss of a request          the PC takes none behind it; all are sent again
//	loss of an answer          the request is sent again; the PC does not do it twice, but answers (a read from memory as it is now)
//	a datagram doubled         a request: as when its answer is lost. An answer: its number has passed, nobody looks at it
//	order changed              as loss of what came too early
//	bad, short, long, foreign  dropped before it is looked at
//
// # A session
//
//	          hello of a newer session            hello                all outstanding have failed
//	closed ------------------------------> ending ------> (waits) ------------------------------> open
//	  ^                                       ^                                                    |
//	  |       Retries times gone back         |           hello of a newer session                 |
//	  +---------------------------------------|----------------------------------------------------+
//	                                          +----------------------------------------------------+
//
// With no session open (Open is 0), every burst is answered with SLVERR at once, and every access of a register with
// HostnetNoSession: a core does not hang for a PC that has died, and sees its faults. A PC that lives after all, or
// that finds the board reset, learns it from its next access. A PC that is started again begins a newer session:
// what the old one has outstanding fails, then both sides count from 0. A hello that is late, of a session that was before, is
// HostnetStale, and changes nothing; the answer names the session that is the newest. The board knows the PC's
// addresses from its hello.
//
// # State
//
// Of each request its address, length, ends and ID, in LUT RAM; words to be written, until they are answered, in a ring of block RAM (Store); frames
// that wait to be looked at, in block RAM (Receive). The last answer to the PC.
//
// # Order
//
// Reads and writes go into one sequence as their addresses come, a write when its words are here. They are done, and answered
// on AXI, in that order, whatever their IDs. The interrupt is a request, too: it comes behind the writes that were before it.
//
// # Stall
//
// A frame of an answer waits for RREADY and BREADY. A master has room for what it asks (blocks/dma), so that wait ends without
// anything else of this block. W never keeps AR waiting. Accesses that find another one under way are
// dropped, the PC repeats them: a register that waits for memory stops no answer of memory.
//
// # Strobes
//
// A datagram has the strobes of its first and its last word. A word inside that is not written whole is the end
// of a datagram; so every burst comes through as it is.
//
// # Cycles
//
// A datagram of n words leaves in n + 20 cycles, from the end of the one before to its last word; one that comes takes n + 14.
// A gigabit has 4.5 of them a word at 62.5 MHz.
//
// # Files
//
//	collect.go  bursts become requests
//	window.go   numbers of requests
//	send.go     requests and answers become frames
//	filter.go   frames that are none of the protocol's go
//	take.go     answers become beats of AXI; what fails
//	access.go   sessions, and accesses of registers
package hostnet
