// Package retry decides when packets are sent again: ACK timers, RNR waits and retry counters of queue
// pairs (protocol sections 4.4 to 4.6). Start with [Def]; [Reference] is the same in plain Go.
//
// # Streams
//
//	Heard        what responses mean: progress, something missing, a peer that is not ready; from completer
//	Started      a packet has been recorded in a ring where none waited, from replay
//	Mark         what has been begun of a queue pair is to be marked, to requester
//	Marked       all of it has left, and stands in the replay ring; from transmit
//	Resend       the packets of a queue pair are to be sent again, or no more of them; to resend
//	Resent       all have been given away, from resend
//	ResendFault  the payload of one cannot be had, from transmit
//	Failure      the oldest WQE has failed, to completer
//	Wake         a queue pair goes on, to scheduler
//	Control      a queue pair begins anew, its first PSN, its timers; from command
//	Held         asks whether a queue pair may begin something new (requester)
//	Waits        asks whether packets of a queue pair wait for an answer (replay)
//
// # State
//
// Of each queue pair: its timers, the first PSN that is owed, what has been used of its counters, its
// phase, a deadline, what it has to tell, and its place in two lists. It is one word of block RAM; what follows from the
// phase for Held is a bit in LUT RAM. After reset all of it is cleared.
//
//	idle      nothing is to be sent again
//	marking   the mark is waited for
//	unmarked  so is the end of an RNR wait
//	waiting   the mark has come, and the end of an RNR wait is waited for
//	sending   Resent is waited for
//	dead      it has failed
//
// In all but the first and the last it is held.
//
// # Rules
//
// A restart takes a queue pair from idle to marking. Then the Resend follows when the mark is back. While packets are sent again, a
// restart is another Resend. Missing packets (NAK 0x60, implied NAKs, gaps) count once until there is progress: what
// was sent behind the one that is missing draws more of them. Each ACK timeout counts. With retry_cnt n there are n restarts; then
// the WQE fails. Progress reloads both counters, whatever the phase.
//
// An RNR NAK has what is being sent again stopped, and begins a wait that nothing shortens, lengthens or counts in: no
// NAK, no progress, no new timers. With rnr_retry n there are n waits, 7 is without end. When the wait is over all is sent
// from the oldest packet on.
//
// The ACK timer runs in idle alone: it begins anew with progress, with the first packet, with Resent, and as the oldest entry that is no packet
// leaves. It is never stopped: where no packet waits, its end means nothing, and the first packet begins it anew. That is
// taken from Started before any deadline is looked at, so no deadline of older packets is taken for that of a new one.
//
// Progress that finds a queue pair dead takes the failure back: completer has ignored it, or will, as its PSN is not
// owed any more.
//
// # Time
//
// A tick is 4.096 us, the unit of ACK timeouts. A timeout of n takes 2^n ticks and one more, as the tick in which it
// begins has passed in part; so it is never early. An RNR wait is rounded up to ticks and has one more, too: at most 8.2
// us too long, and some cycles.
//
// The wheel has a slot for each tick to come, as many as there are, and a list of queue pairs for each. A queue pair
// stands in one at most. As its slot comes it is visited: then its timer has expired, or has been moved to a later deadline, to whose slot
// it goes, or means nothing, and it leaves. So progress costs no more than the new deadline. A deadline
// that moves to an earlier tick, as an RNR wait may, takes the queue pair out of its list: lists are linked both ways.
// Visits may lag behind ticks, where many queue pairs stand in a slot: ticks are counted apart, and the slots that are
// owed are turned to one after another. Meanwhile what enters stands as much too early, and is visited once more.
//
// # Deadlock
//
// The block is in circles with completer, requester, transmit and resend, so it takes everything that comes within some cycles,
// whatever becomes of what it tells. What a queue pair has to tell is bits of its state, and it stands in a queue, which has
// room for all, at most once; when its turn comes it tells what is true then. So several Resends become one, and a failure that progress has
// overtaken is not told at all. The next in the queue waits until all of that has been taken, and nobody who takes it waits
// for this block.
//
// Control alone waits, for a Resend or Failure that is offered: so what is told of one life is taken before the next one begins.
//
// # Orders
//
// Resent counts if it bears the number of the last Resend, and the queue pair is sending: one that crosses a newer Resend, a stop or
// a new life is ignored. Numbers go on from life to life.
//
// A queue pair has one mark out at most. If it fails, or begins a new life, and another mark is wanted before the first one has come back,
// that is given then: the first one may have passed before packets that were begun since.
//
// # Fairness
//
// Visits and what is told wait while something comes in, for 8 operations at most. Started goes
// before them for any time; it comes once in a ring that has become empty.
//
// # Cycles
//
// An operation every 2 cycles, 3 if it is for the queue pair of the last one; 2 more where it enters the wheel, 3 more where it
// changes slots. A message of one packet is two operations, Started, where its ring was empty, and Heard: 4.3 cycles, of the 6 that
// the blocks around have for it. A visit takes 5.
//
// # Files
//
//	take.go    what is done next
//	decide.go  what becomes of a queue pair
//	wait.go    how long timers run
//	wheel.go   the lists of the wheel
//	write.go   state, the queue, and what is told
package retry
