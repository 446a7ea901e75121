// Package completer is the requester's receive side: acknowledgements retire
// entries of the replay ring, and send WQEs complete, in order and once each.
// Start with [Def]; [Reference] is the same in plain Go.
//
// # Streams
//
//	Response    acknowledgements, from psncheck
//	Dead        queue pairs that went to ERR, from qpcontext
//	Replay      the replay ring (replay), which also tells of entries that failed
//	Context     completion queue and number of a queue pair (qpcontext)
//	Completion  CQEs of send queues, to cqewriter
//	Fault       queue pairs whose WQE failed, to qpcontext
//	Control     a queue pair begins anew, from command
//
// # State
//
// Of each queue pair: whether it has failed, and the WQE that has a CQE with the
// cause. Where its outstanding packets begin is the replay ring's to know.
//
// # Responses (protocol sections 4.3 and 4.4)
//
// A response ahead of what was sent, or behind what is acknowledged, is
// ignored, and so is a reserved syndrome. Any other acknowledges everything
// before its PSN; an ACK its own PSN, too. A NAK 0x61, 0x62 or 0x63 fails the
// WQE of the packet with its PSN, and the queue pair with it. A sequence or RNR
// NAK retires what it acknowledges. WQEs complete by PSN, never by MSN.
//
// # Failures
//
// An entry that failed before it was sent completes when it is the oldest. From
// the first failure on, and once a queue pair is dead, every entry is flushed
// as it comes; entries of a WQE that has its CQE are dropped.
//
// # Stall
//
// Completion and Fault may stall; they stall everything. Only one queue pair is
// worked on at a time, and no step waits for anything but these and the context.
//
// # Cycles
//
// An acknowledgement of one packet takes 6 cycles, each further packet 5.
//
// # Files
//
//	ports.go  what each step drives, and what an entry lets out
package completer
