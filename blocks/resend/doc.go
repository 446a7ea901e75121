// Package resend sends the packets of a queue pair again that have had no answer: it walks its replay
// ring from the oldest entry on, and makes of each entry and of its WQE, which is still in host memory, the
// packet that was sent before. Start with [Def]; [Reference] is the same in plain Go.
//
// # Streams
//
//	Resend   a queue pair whose packets are to be sent again from the oldest one on, or no more of them; from retry
//	Resent   all of them have been given away since the Resend of that number
//	Entries  replay rings, of which nothing is removed
//	Context  what software set of the queue pair (qpcontext)
//	Ring     where the send rings are, from command
//	Read     WQEs in host memory
//	Job      a packet, to transmit
//	Segment  where the payload of a Job is, to translate
//	Fault    a packet whose WQE cannot be read any more: it is left out; to retry
//	Control  a queue pair is forgotten, from command
//	Paced    has a queue pair to wait for its rate? (dcqcn)
//	Wake     a queue pair that has not any more, from dcqcn
//	Fence    tokens, from command and keyops
//	Passed   the same, each behind all that had begun when it came; to requester
//
// # State
//
// Of each queue pair the Resend that is in force, which entry is next, and the place of its send ring. A queue
// of the queue pairs that have more to send. And the WQE that was read last.
//
// # A turn
//
// One entry of one queue pair, then it goes behind all others. Context and entry are looked up; an entry that
// is no packet, or that failed and never was sent, is passed over. If the queue pair has to wait for its rate, the turn ends there, and
// the entry has its own when dcqcn wakes it: nobody else waits, and a Stop or the end of the queue pair does not wait for the wake. The WQE is read, if it is not that of the turn before:
// its slot is software's again only after the entry has left the ring. So the entry is looked at once more when the WQE
// is here: if it has left meanwhile, nothing is sent. Where the payload of the packet begins in the SGEs is found from the
// entry's offset (protocol section 4.5). When the Job is given away, all that its segments need is here: whoever lets no
// other source in between a Job and its segments waits for nothing else.
//
// # The packet (protocol sections 4.2, 4.5)
//
// As it was the first time: opcode, PSN, length, headers and payload. A READ that has had some data is asked again from
// the PSN of the Resend on, with its address moved by as many path MTUs. Atomics are the same, with their operands.
// READs and atomics have no probes: their keys were looked at before. Data in the WQE is a Segment with the bus address of
// the slot. An acknowledgement is asked for by what ends a message, by the newest entry, and by the last one of each half of
// the ring, so that entries become free while others are sent.
//
// # Order
//
// A Resend is taken at once, whatever waits. It, or one with Stop, takes effect with the next packet: the Job that is
// offered goes. A Resent with the number of a Resend before it may cross a newer one; a Resend that has been stopped, or
// has had a newer one before it was through, gets none. A queue pair that may not send, by its state, is through at once.
//
// # Stall and fault
//
// Job, Segment, Resent and Fault may stall turns, and nothing else. A WQE that cannot be read, or is not any more what was
// sent, makes a Fault with VendorWQERead in place of its packet; the next entries follow.
//
// # Cycles
//
// From Job to Job of a queue pair alone, where neighbours and host memory answer in the next cycle: 17 with the WQE of the
// turn before, else 28 at 64 bits and 21 at 512, with slots of 64 bytes. Each SGE after the first adds at most 1, and 3 more if it has
// payload of the packet.
//
// # Files
//
//	orders.go  Resends and the queue of queue pairs; where a turn begins, and where fences pass
//	look.go    context and entry, and what follows from them
//	fetch.go   the WQE is read
//	plan.go    where the payload begins, and headers
//	give.go    what leaves
package resend
