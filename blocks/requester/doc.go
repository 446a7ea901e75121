// Package requester makes request packets of work queue entries: one packet of
// the queue pair whose turn it is. Start with [Def]; [Reference] is the same in
// plain Go.
//
// # Streams
//
//	Grant    whose turn it is, from scheduler
//	Context  what software set of that queue pair (qpcontext)
//	Queue    its send queue (wqefetch)
//	Retired  how many of its entries have left the replay ring, from replay
//	Control  new state of a queue pair, from command
//	Fence    tokens, from command
//	Job      packets, failed and flushed WQEs, fences, in order; to transmit
//	Segment  where the payload of a Job is; to translate
//	Inline   the payload of a Job that has it in its WQE
//	Again    the queue pair may have more; to scheduler
//
// # State
//
// Of each queue pair: the message in progress (bytes sent, bytes in all, the
// SGE and the offset in it), the next PSN, entries issued, and whether a WQE
// has failed. And entries retired, as Retired says.
//
// # A turn
//
// The head of the send queue, the context and the state are looked up; then
// granules 0 and 1 of the WQE and the SGE where the message is. A new message
// is checked and its length added up, a few cycles an SGE after the first. Then
// the packet takes what is left, at most the path MTU, and Segment gets the
// pieces of SGEs that it covers. The packet that ends the message takes the WQE
// off the queue.
//
// Two queue pairs are worked on at once: one is looked up while the packet of
// the one before goes out. The same one is never worked on twice.
//
// # Nothing to do, stall, fault
//
// A turn ends without a packet if the WQE is not here, if nothing may be sent
// in the state that the queue pair has, or if all its replay entries are used
// up: wqefetch, qpcontext or replay wake it again when that changes.
//
// A WQE that cannot be (operation, number of SGEs, length, unreadable) gives a
// Job that only records its failure. After that, and in state ERR, all WQEs of
// the queue pair give such a Job, with the status of a flush.
//
// # Cycles
//
// A packet of one segment every 6 cycles at most; 14 from Grant to Job, with which the first Segment goes.
//
// # Files
//
//	look.go   what a turn needs is looked up
//	send.go   what the turn says is sent: a message begun, a packet planned, its pieces given away
//	ports.go  what each step drives
package requester
