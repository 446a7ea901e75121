// Package replay is the replay buffer: of each queue pair a ring of entries,
// one for each packet that has been sent and not been answered. An entry
// names its packet (PSN, WQE, offset, length); payload is not stored. Start
// with [Def]; [Reference] is the same in plain Go.
//
// # Streams
//
//	Record   a new entry, from transmit, as its packet leaves
//	User     looks at the oldest entry of a queue pair, removes it, empties the ring (completer)
//	Retired  how many entries have been removed, and how many READs and atomics among them, to requester and scheduler
//
// # State
//
// Of each queue pair: head and tail of its ring, the READs and atomics that were removed, the last PSN that has
// been sent, where the newest entry of a WQE that failed is and the newest that is no packet, and whether
// the completer wants to hear of every entry. The entries, 2^ReplayBits of each queue pair: its quota. The oldest
// entry is the one that the retry timer watches.
//
// The last PSN that has been sent is the LastPSN of an entry: that of a READ's last response, which nobody else
// may use. An entry that failed was not sent, and leaves it alone. One that is no packet (EntryLocal) has the PSN of
// the packet to come, so that the last one sent is before it.
//
// # Told
//
// The completer hears of every entry that failed or is no packet: those wait for no response. And of all
// entries of a queue pair that has failed, once it says so.
//
// # Stall and fault
//
// A ring never overflows: the requester counts what it has issued, and knows
// from Retired what is gone. Record waits a cycle for each entry that the
// completer hears of while it does not listen, and so is heard of before what comes back for the packet behind it.
//
// # Cycles
//
// An entry every cycle in; an answer 2 cycles after the question.
package replay
