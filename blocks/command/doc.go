// Package command runs the commands of the mailbox: it checks them, and tells the
// owners of what they change. Start with [Def]; [Reference] judges commands in
// plain Go.
//
// # Streams
//
//	Go, Done       a command and its outcome (registers)
//	Context, Write the table of queue pairs (qpcontext)
//	Control        state that blocks own for a queue pair, to all of them
//	SQ, RQ         rings, to the two wqefetch
//	Owner          doorbell pages, to doorbell
//	CQ, EQ         completion and event queues, to cqewriter and events
//	Key, KeyDone   the key table (keycache)
//	Flush          what translators hold of page lists
//	TxFence, TxPassed, RxFence, RxPassed  tokens through the two pipelines; TxPassed comes by way of keyops
//	Wake           a queue pair that may send now, to scheduler
//
// # State
//
// Of each completion queue: whether it exists, its event queue and how many queue
// pairs use it; of each event queue: whether it exists and how many completion
// queues use it. Queue pairs are qpcontext's, keys keycache's.
//
// # A command
//
// Its object is looked up; then it is judged as a whole, and one that cannot be
// changes nothing. What it has to tell, it tells one after the other, in this
// order: key, flush, first PSN, timers, context and state, no more doorbells, fences, state of blocks, CQEs on
// their way, rings, doorbell page, queue, wake. So a PSN is there before the state that
// uses it, and nothing new of a queue pair enters a pipeline from before the
// fence until its state is gone.
//
// # Stall and fault
//
// A command ends: no block makes it wait for the network, and host memory
// answers. An error of host memory, which only key commands can meet, is their
// outcome.
//
// After reset the tables are cleared, for as many cycles as there are completion
// queues; commands wait for that.
//
// # Cycles
//
// One command at a time: 8 cycles and what qpcontext takes to answer, 7 more
// for QUERY_QP, and for each thing it tells a cycle, or as many as its owner
// lets it wait.
//
// # Files
//
//	inputs.go  the contents of the mailbox, as each command takes them
//	judge.go   what is wrong with a command, and what it has to tell; modify.go: changes of state and attributes
//	tables.go  the queues that exist
//	tell.go    telling the owners, one after the other
package command
