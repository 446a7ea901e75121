// Package requester makes request packets of work queue entries: one packet of
// the queue pair whose turn it is. Start with [Def]; [Reference] is the same in
// plain Go.
//
// # Streams
//
//	Grant      whose turn it is, from scheduler
//	Context    what software set of that queue pair (qpcontext)
//	Queue      its send queue (wqefetch)
//	Retired    how many of its entries have left the replay ring, and how many of those were READs and atomics; from replay
//	KeyOpDone  what became of its local operation, from keyops
//	Control    new state of a queue pair, from command
//	Fence      tokens, from command and keyops
//	Held       whether a queue pair's packets are being sent again (retry)
//	Mark       a mark behind what has begun of a queue pair, from retry
//	Paced      whether a queue pair has to wait for its rate (dcqcn)
//	Issue      READs and atomics, each before its Job; to readmatch
//	Job        packets, records of WQEs, marks, fences, in order; to transmit
//	Segment    where the payload of a Job is, or which keys a READ or atomic needs; to translate
//	Inline     the payload of a Job that has it in its WQE
//	KeyOp      local operations, to keyops
//	Again      the queue pair may have more; to scheduler
//	Async      a send queue has drained, to events
//
// # State
//
// Of each queue pair: the message in progress (bytes sent, bytes in all, the
// SGE and the offset in it), whether a local operation of it is under way, the
// next PSN, the PSNs given since nothing was outstanding, entries issued, READs
// and atomics issued, and whether a WQE has failed. And what Retired and
// KeyOpDone have said.
//
// # A turn
//
// The head of the send queue, the context and the state are looked up; then
// granules 0 and 1 of the WQE and the SGE where the message is. What is to be
// done, if anything, is decided before the turn begins. A new message is checked
// and its length added up, a few cycles an SGE after the first. Then the packet
// takes what is left, at most the path MTU, and Segment gets the pieces of SGEs
// that it covers. The packet that ends the message takes the WQE off the queue.
//
// Two queue pairs are worked on at once: one is looked up while the packet of
// the one before goes out. The same one is never worked on twice.
//
// # READs and atomics
//
// One packet without payload, which takes as many PSNs as its data will have
// packets (protocol section 4.1), and one entry of the replay ring. First
// readmatch hears of it. Segment gets a probe for each SGE of a length: the key
// is looked at before the request leaves. The SGE of an atomic stands behind its
// operands, which are the granule in the place of the first SGE.
//
// # Local operations
//
// LOCAL_INV, REG_MR and BIND_MW take no PSN. The turn gives KeyOp away and ends;
// the WQE stays at the head of its queue, and nothing behind it begins. The turn
// after KeyOpDone makes the record that completes it, in the order of the queue
// pair. KeyOp has one place: who finds it taken waits in a queue of queue pairs,
// and a turn for it follows when it is free. So no turn waits for keyops. A fence
// does, until the operation has been taken: what a queue pair gave away is known
// there when the fence comes.
//
// # Waiting for those before it (protocol section 4.7)
//
// A WQE with the fence flag begins when no READ or atomic is outstanding, a
// LOCAL_INV when nothing is, a READ or atomic when fewer than max_rd_atomic are.
// No packet takes PSNs that would make 2^23 outstanding, as far as is known: PSNs
// are counted from when nothing was. The one that takes the last such PSN asks
// for an acknowledgement. What stands behind a WQE that waits, waits with it.
//
// # Waiting for what is sent again
//
// A queue pair that is held begins nothing and goes on with nothing, a local operation that has been done among that: so the
// replay ring does not grow while it is sent again. What is flushed is flushed all the same. Whether a queue pair is held is
// looked up with the rest of a turn, and a mark passes where no turn is under way: every job of its queue pair behind it
// was looked up after the mark came. Marks and turns take turns; a fence goes before a mark that has not been offered.
//
// # Nothing to do, stall, fault
//
// A turn ends without a packet if the WQE is not here or has to wait, if nothing
// may be sent in the state that the queue pair has, if all its replay entries
// are used up, if it is held, or if it has a packet to send and has to wait for
// its rate: wqefetch, qpcontext, replay, keyops, retry or dcqcn wake it again when
// that changes.
//
// A WQE that cannot be gives a Job that only records its failure. After that,
// and in state ERR, all WQEs of the queue pair give such a Job, with the status
// of a flush; one whose local operation is under way does when that has ended.
// What cannot be, the first that applies:
//
//	unreadable                            LOC_QP_OP, VendorWQERead
//	no such operation                     LOC_QP_OP, VendorBadOpcode
//	more SGEs or inline data than fit;    LOC_QP_OP, VendorBadSGECount
//	READ, atomic with inline data;
//	atomic without exactly one SGE
//	over 2^31 bytes, or 2^23 PSNs         LOC_LEN, VendorTooLong
//	atomic to other than 8 bytes          LOC_LEN, VendorLength
//	READ, atomic with max_rd_atomic of 0  LOC_QP_OP, VendorResources
//
// # Cycles
//
// A packet of one segment every 6 cycles at most, a READ as well, an atomic every
// 9; 14 from Grant to Job, with which the first Segment goes.
//
// # Files
//
//	look.go     what a turn needs is looked up
//	refusal.go  why a WQE cannot be
//	decide.go   whether anything is to be done in a turn
//	send.go     what the turn says is sent, step by step: a packet given away, and its pieces
//	begin.go    what comes before: a message begun, its length added up, a packet planned
//	read.go     READs and atomics
//	local.go    local operations
//	waiting.go  who waits to give one away
//	mark.go     marks between turns
//	inline.go   payload in the WQE
//	ports.go    what each step drives
//	reference.go, reference_wqe.go  the reference
package requester
