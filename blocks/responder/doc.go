// Package responder decides what becomes of received requests: where their
// payload goes, what completes, what is answered. And it has the payload of responses
// placed, whose place readmatch knows. Start with [Def]; [Reference]
// is the same in plain Go. To add an operation: its opcodes in opcode.go, its
// checks in decide.go, and what it does behind them in work.go.
//
// # Streams
//
//	Request     requests, judged by their PSN; pieces of responses; what is to be dropped; dead queue pairs; fences; from readmatch
//	Segment     where the payload of each packet that has any goes, and keys that are looked at without one; to translate
//	Translated  one for each packet with segments: the fault, if a key or a page list had one
//	Queue       the receive queues (wqefetch)
//	Commit      what becomes visible of each packet when its payload is in memory; to scatter
//	Operands    those of each atomic that was accepted, to atomic
//	Served      how many READs and atomics of a queue pair have been answered, from resources
//	Outcome     for each expected request: how far the expected PSN goes on; to psncheck
//	Flush       queue pairs that went to ERR, or whose receive queue got a WQE
//	Context     state and number of such a queue pair (qpcontext)
//	Control     a queue pair begins anew, from command
//
// # State
//
// Of each queue pair: the message in progress. That is its kind, the bytes that
// have come, and those that may still come; of a WRITE the place and key of the
// next byte, of a SEND the SGE and the byte in it. The receive WQE of a SEND
// stays at the head of its queue until the message ends. A queue pair of which
// a request was refused for ever is dead, and so is one that was flushed: its
// requests are dropped. And how many READs and atomics were accepted, and have been
// answered: no more may wait than were agreed (section 10, row 9).
//
// # A request (protocol sections 3.4 to 3.6, and 10)
//
// The message in progress is looked up, and if a receive WQE has to do with the
// request, the head of the queue with two granules. Then come the checks, in
// their order. What is refused before its key counts makes one segment with
// Skip; what is refused behind it makes one with Skip and rights, so that the
// key is looked at and nothing is written. A SEND that begins has the lengths
// of its SGEs added up: no byte of a packet is placed that does not fit. A
// payload is cut at SGEs; those of no bytes are passed over.
//
// A packet without payload asks for no key. So a WRITE that has none, but a
// length in its RETH, is refused for its length, whatever its key is.
//
// A READ or atomic goes through its own checks (section 3.4, steps 3 to 7); a segment
// without payload, a Probe, has its key looked at, and gives the bus address of what an
// atomic works on, which has to be as aligned as the virtual one. What is accepted takes its PSNs, counts as a message, and goes on as
// a Resource in its Commit, the operands of an atomic beside it. One that came
// before (3.7) goes on as a duplicate, whatever the state is.
//
// The last packet of a SEND with invalidate has a Probe behind its payload that ends
// the key, and is not asked where the payload has no place. If it is refused, so is the
// request (section 10, rows 10 and 23).
//
// What a translation says is the last word. The record of each packet waits for
// it, while the packets behind are decided on. Then the message is saved, and
// Commit, the WQE and Outcome go out, Outcome last: psncheck sends the next
// request of a queue pair when it has it.
//
// # Fault
//
// A key that does not grant a WRITE is NAK 0x62, its table or page list that
// cannot be read NAK 0x63, and so is any fault of a receive WQE and its keys.
// The receive WQE that the request holds, or a WRITE with immediate would have
// taken, completes with the error; where there is none there is an event. RNR
// changes nothing.
//
// # A response
//
// One segment for each piece, under the key of its SGE; a piece that is Skip is dropped. The
// last piece makes one Commit for the whole response, with its fault, for the completer.
// It looks at no state, and tells nobody an Outcome. A dead queue pair makes a Commit, too,
// behind those of its responses.
//
// # Flush
//
// A queue pair that is named in Flush is looked up; if it is in ERR, the WQE at
// the head of its receive queue is completed as flushed, and so on until there
// is none. Each such turn has the pipeline for itself, takes turns with
// requests, and looks the state up again. A fence passes between two turns.
// Flush never waits: all queue pairs have room in its queue (package
// scheduler).
//
// # Stall
//
// Commit, Operands, Translated, Outcome and a receive WQE on its way may stall everything
// but Flush and Served.
//
// # Cycles
//
// A packet of one segment every 4 cycles, every 6 if it has to do with a
// receive WQE; a further SGE takes 3 to be added up, and 4 to be placed. A READ or
// atomic every 4 cycles, a response too, an acknowledgement every 3. From
// Request to Segment 4 cycles, or 10, and from the last word of the translation
// to Commit 2.
//
// # Files
//
//	look.go               what a turn needs is looked up
//	opcode.go, decide.go  what an opcode is, and the checks
//	work.go               where the payload goes, piece by piece
//	record.go, finish.go  what was decided, until the translation has spoken; then its effects
//	flush.go              receive queues of queue pairs in ERR
package responder
