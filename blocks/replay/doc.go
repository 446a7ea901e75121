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
//	Reader   looks at any entry, from the oldest on, which stays (resend)
//	Waits    whether packets of a queue pair are in its ring (retry)
//	Started  a queue pair has packets in its ring, and had none: to retry
//
// # State
//
// Of each queue pair: head and tail of its ring, the READs and atomics that were removed, the last PSN that has
// been sent, where the newest entry of a WQE that failed is and the newest that is no packet, and whether
// the completer wants to hear of every entry; the packets that were recorded and removed, which tell whether there are
// any. The entries, 2^ReplayBits of each queue pair: its quota. The oldest
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
// # Started
//
// A timer runs while packets wait for an answer: an entry that is no packet, or was not sent, needs none. The queue
// pairs whose first packet has been recorded stand in a queue, each once at most, with a bit of each that it
// stands there, until Started has been taken: so Record never waits for retry, which may wait for what is behind
// Record. Until then Waits is zero, so nobody takes an old deadline for that of the new packet. A packet that comes in the cycle in
// which the last one leaves is told of as well.
//
// # Stall and fault
//
// A ring never overflows: the requester counts what it has issued, and knows
// from Retired what is gone. Record waits a cycle for each entry that the
// completer hears of while it does not listen, and so is heard of before what comes back for the packet behind it.
//
// # Cycles
//
// An entry every cycle in; an answer 2 cycles after the question. The reader's question waits while the completer
// asks, and while an entry comes in. After reset the bits of Started are cleared, a cycle for each queue pair; Record
// waits for that.
//
// # Files
//
//	read.go   what stays: entries for the reader
//	start.go  who has packets in its ring, and had none
package replay
