// Package doorbell lets a doorbell through if it comes from the page that its
// queue was given to and names the number that the queue has now; others it
// counts and forgets. Start with [Def]; [Reference] is the same in plain Go.
//
// # Streams
//
//	Bell    writes to doorbell pages, from registers
//	Owner   pages and numbers of queues, from command
//	SQ, RQ  producer indices, for the two wqefetch
//	CQ      consumer indices and arming, for cqewriter and events
//	EQ      consumer indices of event queues, for events: page 0 only
//
// # State
//
// Of each queue pair and completion queue: whether it exists, its page, the low
// 16 bits of its number. Nothing exists after reset.
//
// # Order
//
// Doorbells leave in the order they come in. None is queued here: those who get
// them keep the newest index of each queue and take each at once.
//
// # Stall and fault
//
// A doorbell of another page, of a queue that does not exist, of an old number
// or at another offset is refused: a pulse on Refused, nothing else. A process
// that was given one page can ring for its own queues and for nothing else.
//
// After reset the tables are cleared, for as many cycles as there are queues;
// doorbells and owners wait for that. A message of Owner takes the place of a
// doorbell for a cycle.
//
// # Cycles
//
// A doorbell every cycle; 2 cycles from Bell to the queue.
package doorbell
