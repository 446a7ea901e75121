// Package resources keeps the responder resources of queue pairs: READs and atomics that are to be
// answered, or have been and may be asked for again. It makes their responses, one packet a turn.
// Start with [Def]; [Reference] is the same in plain Go.
//
// # Streams
//
//	Request     READs and atomics whose turn has come, and duplicates, from ackqueue
//	Context     path MTU, protection domain and number of a queue pair (qpcontext)
//	Job         response packets, to transmit
//	Segment     where their payload is, to translate
//	Made        a pulse for each packet, no later than the Served that counts it, to transmit,
//	            which passes Served on to ackqueue when those packets have left
//	Served      how far a queue pair has been answered, to responder and transmit
//	Atomic      atomics to be executed, in the order of their requests, to atomic
//	Result      and what came of them
//	Control     a queue pair begins anew, from command
//	Paced       has a queue pair to wait for its rate? (dcqcn)
//	Wake        a queue pair that has not any more, from dcqcn
//	FenceIn     a fence of the sending pipeline, which leaves at
//	FenceOut    behind the jobs of every turn before it
//	RxFenceIn   a fence of the receiving pipeline, from ackqueue, which leaves at
//	RxFenceOut  when every request before it is in the ring, and every atomic in memory
//
// # State
//
// Of each queue pair a ring of 2^ReadBits entries, a READ or atomic each; how many it has taken (with
// Request as the one writer); the first that is not answered whole, and of that READ the packets that
// have been (with the turns as the one writer, which also work on duplicates). Values of atomics stand in
// a memory of their own, which Result writes. How many atomics of a queue pair have been handed out,
// and how many have come back, counts on across its lives: one that is under way when a queue pair
// begins anew does no harm. Both are swept to zero after reset.
//
// # Turns
//
// A queue pair is woken by a request, by a result, and by its own turn if there is more. Its turn makes the
// next packet of the oldest entry that is not answered (protocol section 3.8): a READ response, whose key
// is looked at again, or an ATOMIC_ACK once the result is here. An atomic without its result ends the
// turn, and holds up nobody else. So does a queue pair that has to wait for its rate, until it is woken. A turn of a queue pair that does not exist, or is in RESET or INIT,
// does nothing; in ERR it answers still: transmit knows how far that may go.
//
// # Duplicates (protocol section 3.7)
//
// A duplicate is looked for in the ring, newest entry first, by PSN. A READ has to have the same key and
// the same end, at the address that its PSN stands for; one of no bytes only no bytes; an atomic the same PSN and
// operation. If it is there, and answered or begun, answering goes back to it: to the
// middle of a READ, whose responses then begin with FIRST or ONLY (section 10 row 11). What stands behind is
// answered again, too: the requester goes back to there as a whole. A saved value is sent again, memory is not
// touched. Anything else is dropped without a word (section 3.7), and Served counts it all the same.
//
// An entry stays until its place is taken by a new one (section 3.10). If answering had gone back to such
// a one, it goes on with the oldest that there is.
//
// Requests, results and turns may meet in any way: a turn looks at the ring when it begins, and what comes
// later wakes the queue pair again.
//
// # Stall
//
// A turn begins when there is room for its packet, so that duplicates, which go the way of the turns, never
// wait for one to be taken. Turns and duplicates wait for Served, and new requests for atomic's queue alone, which
// has room for all that psncheck lets in.
//
// # Fault
//
// A result with a fault makes a Failed job that tells why: transmit answers with a NAK instead, whose MSN does
// not count the atomic (section 3.6). So it does with a
// response whose key or memory fails, at the PSN of that response (section 10 rows 12 and 22). A cancelled atomic is handed to atomic
// as such; other cancelled requests, and duplicates among them, leave nothing.
//
// # Cycles
//
// A response packet every 5 cycles over several queue pairs (at 64 bits every 9), while requests come in; every 10 of one
// alone, where qpcontext answers at once. A duplicate takes 5 cycles, and 2 for each entry looked at.
//
// # Files
//
//	take.go     requests into the ring
//	atomics.go  atomics on their way, their results; nothing in a core without atomics
//	turn.go     whose turn it is, and its context
//	serve.go    the steps of a turn
//	answer.go   a packet
//	again.go    a duplicate
//	fence.go    fences
package resources
