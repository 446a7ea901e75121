// Package ackqueue makes received requests visible when their payload is in
// memory: it counts messages, owes answers, passes completions on. Start with
// [Def]; [Reference] is the same in plain Go.
//
// # Streams
//
//	Placed      requests and fences in order, with the memory's answer, from scatter
//	Completion  CQEs of receive queues, to cqewriter
//	Resource    READs and atomics whose turn has come, and those that came again, to resources
//	Served      how far these have been answered, from resources when the answers have left
//	Ack         answers owed, to transmit
//	Fault       queue pairs that go to ERR, to qpcontext
//	Control     a queue pair begins anew, from command
//	Fence       a fence has passed, to command
//	Counts      pulses for counters
//	Credits     how many receive WQEs a queue pair has (wqefetch), if ACKs carry credits
//
// # State
//
// Of each queue pair: the MSN, whether it has failed and the WQE that completed
// with the failure, how many READs and atomics were passed on, and the answer that is
// owed: syndrome, PSN, MSN, and how many of these stand before it. And a
// queue of the queue pairs that may have one to give, each once in it (package scheduler).
//
// # Order
//
// Requests are committed in order, and answers leave in the order in which
// they came to be owed. A newer answer of the same queue pair takes the place of
// one that has not left: acknowledgements are cumulative, so ACKs merge when the
// transmit side is busy. Receive never waits for transmit.
//
// Answers and the responses to READs and atomics leave in the order of their
// requests (protocol section 10, row 28): an answer waits until those before it have been
// answered, and what of them came again, again. One that waits stays owed, and
// Served looks at it anew. An answer that is still owed when a READ or atomic comes is
// dropped, as its response acknowledges what is before it. A duplicate's ACK does not take the place of a NAK, which acknowledges
// as much and would not come again.
//
// # Credits
//
// Without them ACKs say so (0x1F). With them an ACK has the code of the receive WQEs that are posted and not taken when
// it leaves (protocol section 3.13). Messages that its MSN does not count may have taken some: so the peer may send
// no more than there is room for, and perhaps less until the next ACK.
//
// # Fault
//
// A request whose payload memory refused becomes NAK 0x63 at its PSN and takes
// the queue pair to ERR; the receive WQE that it holds or ends completes with
// LOC_PROT_ERR, and where it has none there is an event (protocol section 3.6).
// What comes after a failure, of that queue pair, has no effect but for its
// completions, which are flushed: those of the WQE that has failed not at all. An atomic
// behind it is passed on to be cancelled.
//
// # Stall
//
// Completion, Resource and Fault may stall; they stall everything behind them.
//
// # Cycles
//
// A request every 2 cycles; an answer leaves 7 cycles after the request came.
//
// # Files
//
//	count.go  what is counted
package ackqueue
