// Package replay is the replay buffer: of each queue pair a ring of entries,
// one for each packet that has been sent and not been acknowledged. An entry
// names its packet (PSN, WQE, offset, length); payload is not stored. Start
// with [Def]; [Reference] is the same in plain Go.
//
// # Streams
//
//	Record   a new entry, from transmit, as its packet leaves
//	User     looks at the oldest entry of a queue pair and removes it (completer)
//	Retired  how many entries have been removed, to requester and scheduler
//	Control  empties a ring, from command
//
// # State
//
// Of each queue pair: head and tail of its ring, the newest PSN, the number of
// entries of WQEs that failed, and whether the completer wants to hear of every
// entry. The entries, 2^ReplayBits of each queue pair: its quota. The oldest
// entry is the one that the retry timer watches.
//
// # Stall and fault
//
// A ring never overflows: the requester counts what it has issued, and knows
// from Retired what is gone. Record waits a cycle for each entry that the
// completer hears of while it does not listen.
//
// # Cycles
//
// An entry every cycle in; an answer 2 cycles after the question.
package replay
