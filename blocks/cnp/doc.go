// Package cnp decides when a congestion notification is sent (protocol sections 1.8 and 7, notification point):
// for a packet that a switch has marked (ECN 3), to the sender of it, unless one was sent to that one a moment ago. Start with
// [Def]; [Reference] is the same in plain Go.
//
// # Streams
//
//	Marked   the queue pair of a packet that came with a mark, from psncheck: one that has congestion control. Whatever becomes of the
//	         packet, as a mark counts on those, too, that are received again or too early, and on responses
//	Control  begins queue pairs anew, from command
//	CNP      queue pairs that are to send a CNP, to transmit, which makes the packet
//	Gap      ticks that pass between two CNPs of a queue pair at least, 0 to 4095; a tick is Params.Tick cycles
//
// # State
//
// Of each queue pair one word: whether it has sent a CNP lately, and the tick of that. And a bit: a mark of it
// waits in the queue.
//
// # Order
//
// Marks are looked at in the order in which they came. All marks of a queue pair that come while one waits are one. A mark within
// Gap ticks of a CNP means nothing: it is not kept for later, as the next marked packet says the same. A tick that
// has begun does not count, so never less than Gap has passed, and at most a tick more.
//
// The time of a CNP is that at which it is taken, so however long transmit takes, two are never closer.
//
// Ticks are numbered modulo 2^n. So that an old CNP does not look like one of just now when the number comes round,
// the block goes over all queue pairs, one between two marks, and forgets what is old. If it is held up for longer, a
// CNP may be missing, but none is too early.
//
// A queue pair is begun anew in its turn in the same queue, so that no mark of what it was is behind that.
//
// # Stall and fault
//
// There is room for all queue pairs in the queue: Marked waits for a cycle at most, and for as many cycles after
// reset as there are queue pairs. A CNP that is not taken holds up CNPs of others and Control, nothing else.
//
// # Cycles
//
// From a mark to its CNP 6 cycles at best. Marks and the queue pairs that are gone over take turns, of 3 cycles each; a CNP takes one more.
package cnp
