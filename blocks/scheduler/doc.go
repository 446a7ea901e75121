// Package scheduler chooses whose turn it is to send: round robin over the queue
// pairs that may have work, a packet at a time. Start with [Def]; [Reference] is
// the same in plain Go.
//
// # Streams
//
//	Wakes[i]  queue pairs that may have work, from wqefetch, requester, replay and qpcontext
//	Grant     the queue pair whose turn it is, to requester
//
// # State
//
// A queue of queue pairs, in which each stands at most once, and a bit of each
// that says that it stands there: set where a wake enters it, cleared where its
// grant leaves.
//
// # Order
//
// First come, first served. Who wants more turns wakes its queue pair again
// after each one, and so goes behind all others: with n queue pairs at work,
// each has every n-th packet, whatever the length of its messages.
//
// No wake is lost. One for a queue pair that waits for its turn adds nothing:
// whoever takes the grant looks at everything there is. One that comes later
// enters it again, and at worst the grant finds nothing to do.
//
// # Stall and fault
//
// The queue has room for all queue pairs, so a wake waits for other wakes
// only. After reset the bits are cleared one by one, for as many cycles as there
// are queue pairs; wakes wait for that.
//
// # Cycles
//
// A wake and a grant every cycle; from a wake to its grant 1 cycle with up to 64
// queue pairs, 3 with more.
//
// # Files
//
//	flags.go  a bit of each queue pair with two writers
package scheduler
