// Package qpcontext is the table of queue pairs: what software set, and the state
// of each. Start with [Def]; [Reference] is the same in plain Go.
//
// # Streams
//
//	Clients  lookups (link.ContextPort): requester, transmit, psncheck, responder, completer, command
//	Write    a queue pair as command made it
//	Faults   queue pairs that go to ERR, from completer, ackqueue and cqewriter
//	Dead     queue pairs that went to ERR, to those who flush: scheduler, completer, responder
//	Async    events of faults, to events
//
// # State
//
// Context and address of each queue pair (written by Write), its state and
// whether it exists (by Write and by faults), and a queue of those that died,
// each once in it. No queue pair exists after reset.
//
// # Order
//
// A fault moves a queue pair that exists, in any state but RESET and ERR, to
// ERR; its event is raised by the first one only. A Write with state ERR does
// the same, without an event. From ERR, Write leads to RESET only: a state that
// a fault set is not overwritten by a command that looked before.
//
// # Stall
//
// Every client has a place for its answer, and is asked for no more than one: a
// client that does not take its answer keeps nobody else waiting. A fault waits
// while Async is not taken. A Write waits for the faults that have come, and keeps
// nobody waiting meanwhile: a fault looks its queue pair up, too.
//
// After reset the table is cleared, for as many cycles as there are queue pairs;
// everything waits for that.
//
// # Cycles
//
// A lookup every cycle, of one client every 4; the answer comes 3 cycles after
// the question where no other client asks.
package qpcontext
