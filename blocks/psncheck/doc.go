// Package psncheck finds the queue pair of a received packet, and judges requests
// by their PSN. Start with [Def]; [Reference] is the same in plain Go.
//
// # Streams
//
//	Header    good packets in order, from rxpath; their payload waits at scatter
//	Context   what is known of a queue pair (qpcontext)
//	Request   requests, judged, and whose payload is to be dropped; fences; to responder
//	Response  acknowledgements, to completer
//	Async     the first request has come to a queue pair in RTR, to events
//	Outcome   what became of an expected request, from responder
//	Control   a queue pair begins anew, or receives from a PSN on, from command
//	Fence     tokens, from command
//
// # State
//
// Of each queue pair: the expected PSN, whether a NAK was sent for it, whether
// it takes no more requests, and whether its first one was told of. And a few
// locks: the queue pairs of which a request is with the responder.
//
// # Which packets (protocol section 2)
//
// The low bits of the BTH's queue pair number are the index. A packet passes if
// that queue pair exists, has that number and a state that takes such a packet
// (section 5.2), and talks to the packet's source from its destination. The
// others are counted, and never answered. A CNP goes no further, as there is no
// rate to lower.
//
// Opcodes 0x0D to 0x12 are responses. All others are requests, those that are
// not in the table among them: the responder refuses them at the expected PSN.
//
// # Order
//
// Request and Response have the packets' order, each for itself. Each packet
// with payload makes one Request, ignored where the payload is not a request's,
// so that responder and scatter stay in step. A packet without payload that is
// ignored makes none.
//
// A fence passes when all packets before it have.
//
// # Stall
//
// A request waits for the Outcome of the one before it, of the same queue pair;
// packets behind it wait, too. Nothing else waits for Outcome, and Outcome
// waits for nothing for more than a cycle. A packet waits until its Async is
// taken.
//
// # Cycles
//
// A packet every 2 cycles; from Header to Request 3, and as long as Context
// takes.
//
// # Files
//
//	judge.go  what a packet is, by state and PSN
//	locks.go  the queue pairs whose request is with the responder
package psncheck
