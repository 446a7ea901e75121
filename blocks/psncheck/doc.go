// Package psncheck finds the queue pair of a received packet, and judges requests
// by their PSN. Start with [Def]; [Reference] is the same in plain Go.
//
// # Streams
//
//	Header      good packets in order, from rxpath; their payload waits at scatter
//	Dead        queue pairs that have gone to ERR, from qpcontext
//	Context     what is known of a queue pair (qpcontext)
//	Request     packets: requests, judged; responses; whose payload is to be dropped; dead queue pairs; fences; to readmatch
//	Async       the first request has come to a queue pair in RTR, to events
//	CNP         a CNP has come for a queue pair with congestion control, to dcqcn
//	Marked      a packet with the mark of congestion has come for one, to cnp
//	Outcome     what became of an expected request, from responder
//	AtomicDone  an atomic of a queue pair is in memory, or will never be, from the atomic block
//	Control     a queue pair begins anew, or receives from a PSN on, from command
//	Fence       tokens, from command
//
// # State
//
// Of each queue pair: the expected PSN, whether a NAK was sent for it, whether
// it takes no more requests, and whether its first one was told of. And a few
// locks: the queue pairs of which a request is with the responder, or atomics have
// not been executed.
//
// # Which packets (protocol section 2)
//
// The low bits of the BTH's queue pair number are the index. A packet passes if
// that queue pair exists, has that number and a state that takes such a packet
// (section 5.2), and talks to the packet's source from its destination. The
// others are counted by the first of these that fails (the address only from state RTR on, as
// there is none before), and never answered. A CNP goes no further than to
// the queue pair's congestion control, and is counted where it has none.
//
// Opcodes 0x0D to 0x12 are responses. All others are requests, those that are
// not in the table among them: the responder refuses them at the expected PSN.
//
// # Order
//
// Request has the packets' order. Each packet with payload makes one, ignored
// where nobody wants it, so that responder and scatter stay in step. A packet
// without payload that is ignored makes none.
//
// A dead queue pair passes behind the packets that were looked up before it: what of
// it comes later has its new state, and is dropped. A fence passes when all packets
// before it have, and the dead queue pairs that wait.
//
// SENDs, WRITEs and atomics of a queue pair are executed in their order (C9-28). An
// atomic is executed when it has gone through the pipeline behind this block; until
// then SENDs and WRITEs of its queue pair wait here. READs and atomics do not,
// as they take their turn behind it.
//
// # Stall
//
// A request waits for the Outcome of the one before it, of the same queue pair, and
// perhaps for an AtomicDone; packets behind it wait, too. Nothing else waits for
// these, and they wait for nothing for more than a cycle or two. Where eight queue pairs
// have something to wait for, requests of others wait, too. A packet waits until its
// Async, CNP and Marked are taken.
//
// # Cycles
//
// A packet every 2 cycles; from Header to Request 3, and as long as Context
// takes.
//
// # Files
//
//	judge.go  what a packet is, by state and PSN
//	locks.go  the queue pairs whose next request may have to wait
package psncheck
