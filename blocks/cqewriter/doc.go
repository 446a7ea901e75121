// Package cqewriter writes completions to completion queues in host memory. Start
// with [Def]; [Reference] is the same in plain Go, without time.
//
// # Streams
//
//	Completions[i]  CQEs to be written, from completer and ackqueue
//	Update          doorbells of completion queues, from doorbell
//	Config          makes and removes a completion queue, from command
//	Write           bursts of 32 bytes to host memory
//	Written         CQEs that are in memory, to events
//	Seen            doorbells that software can mean, to events
//	Fault           queue pairs whose CQE was lost, to qpcontext
//	Async           completion queues that lost one, to events
//
// # State
//
// Of each completion queue: its ring (written by Config), the producer index
// and whether a CQE has found no room (by who judges completions), the consumer
// index (by Update), whether it has failed (by who retires). Queue pairs that
// have to hear of a fault, each once (package scheduler).
//
// # Writing
//
// A CQE takes the next place of its ring, with the phase of the lap, and is
// never written over one that software has not seen. Up to 32 are on their way;
// all that is said of a CQE, good or bad, is said in the order in which they
// were judged, and after the answer of memory.
//
// # Order
//
// Round robin over the inputs, each in its order. A doorbell and a completion
// that wait at once take turns.
//
// # Fault
//
// A completion queue that has no room for a CQE, or whose memory answers with
// an error, has failed until it is made anew (protocol section 3.6). Its first
// failure is an event (CQ_ERR). Each CQE for it from then on is lost, and its
// queue pair goes to ERR (QP_FATAL): so does the one of a CQE for a queue that
// does not exist. Behind a write that failed, CQEs that were on their way may
// be in memory, but software cannot get past the gap.
//
// A doorbell with an index that software cannot have reached changes nothing,
// and is not passed on.
//
// # Stall
//
// Answers of memory are taken at once; faults wait inside, once for each queue
// pair. So neither waits for another block: only Written, Seen and Async do,
// for events.
//
// Config waits until all that was judged before has been said. After reset the
// rings are cleared, for as many cycles as there are completion queues; all
// inputs wait for that.
//
// # Cycles
//
// A CQE every 3 cycles, or 5 at 64 bits, where it has 4 beats; a doorbell takes
// 3. From a completion to its burst 4 cycles, from memory's answer to Written
// 3.
//
// # Files
//
//	judge.go   completions and doorbells, one at a time: the place of a CQE, or that it is lost
//	write.go   CQEs to memory
//	retire.go  what is said of each when memory has answered
package cqewriter
