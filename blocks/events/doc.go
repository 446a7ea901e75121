// Package events tells software what it waits for: completion events of armed
// completion queues, asynchronous events, interrupts. Start with [Def];
// [Reference] says in plain Go which events are owed.
//
// # Streams
//
//	Written     CQEs that are in memory, from cqewriter
//	Update      doorbells of completion queues that software can mean, from cqewriter
//	Config      makes and removes a completion queue, from command
//	EQConfig    makes and removes an event queue, from command
//	EQUpdate    doorbells of event queues, from doorbell
//	Asyncs[i]   asynchronous events, from qpcontext, cqewriter and others
//	Write       bursts of 16 bytes to host memory
//	Moderation  least cycles between two interrupts of a vector (a register)
//	Raise       vectors that get an interrupt, a pulse each, to registers, which keep them for the level output
//	Message     the same as messages: for MSI-X
//
// # State
//
// Of each completion queue: its event queue, its arming, the consumer index,
// the index behind the last CQE in memory and behind the last solicited one. Of
// each source of asynchronous events, that is of each completion queue and
// three times of each queue pair: the newest event. Of both, whether there is
// an event to tell, in one queue of those who have one, each once in it. All
// that is written by who judges (judge.go, decide.go). Of each event queue: its
// ring (written by EQConfig), producer (by who judges), consumer (by EQUpdate),
// whether it has failed (by memory's answers). Of each vector: whether an
// interrupt is due, and when it had its last.
//
// # Arming
//
// The event comes with the first CQE behind the consumer index, a solicited one
// for ArmSolicited, or at once if one is in memory. It comes once. What is
// armed for any CQE stays so until then: ArmSolicited does not change it.
// Software may have seen CQEs in memory of which Written is yet to tell: they
// lie before its index and raise nothing.
//
// # Order
//
// An event follows memory's answer to its CQE (Written says so), an interrupt
// the answer to its event. Events of one event queue come in about the order in
// which they became due; while it is full, in any.
//
// # Stall
//
// No event is lost, and no input waits for software: what finds its event queue
// full, or the bus busy, goes to the end of the queue of those who have an
// event, and others pass. A source that has something new to say in the
// meantime says the newest. Tasks go before events, but no more than three
// running while an event waits.
//
// EQConfig waits until no event is on its way; everything else waits for it.
// After reset the tables are cleared, for as many cycles as there are sources;
// all inputs but EQUpdate wait for that.
//
// # Fault
//
// An event queue whose memory answers with an error gets no more events: there
// is nobody to tell. What is owed to it, or to one that does not exist, is
// dropped. Removing a completion queue forgets its events. An event of a queue
// pair that has been destroyed since may come late; its number, which has a
// tag, tells.
//
// # Cycles
//
// A CQE, a doorbell or an event every 3 cycles. From Written to the burst of
// its event 9 cycles. From memory's answer to the interrupt as many cycles as
// there are vectors, and 4 more, if moderation allows it: so late may an
// interrupt be after moderation ends, too.
//
// # Files
//
//	task.go       what changes the state of a completion queue, brought together
//	raise.go      asynchronous events, brought together
//	judge.go      a task, or an event to tell, one at a time; decide.go: what comes of it
//	ring.go       event queues: made, removed, consumed
//	write.go      events to memory
//	interrupt.go  interrupts, as moderation allows
package events
