// Package readmatch finds what a response answers: it keeps the READs and atomics of
// each queue pair that are outstanding, and says where in the SGEs of their WQEs the data
// goes. Start with [Def]; [Reference] is the same in plain Go.
//
// # Streams
//
//	Packet   all that psncheck has judged, in order
//	Issue    a READ or atomic, before its request leaves; from requester
//	Ring     where the send rings are, from command
//	Control  a queue pair begins anew, from command
//	Matched  each packet, and of a response one for each piece of an SGE that its data goes to; to responder
//	Source   for each packet with payload at scatter: 0 if that comes from rxpath, 1 if it is the next frame of Value
//	Value    the 8 bytes of an ATOMIC_ACK as host memory has them, a frame each
//	Read     the SGEs of a WQE beyond its first one
//
// # State
//
// Of each queue pair: a ring of 2^ReadBits READs and atomics, filled by Issue, and
// whether the queue pair takes no more answers. Of the oldest of them, once a response
// to it has come: the PSN that is due, the bytes that are to come, and the SGE, or
// what is left of it, that takes the next byte. The place of each send ring.
//
// # A response (protocol sections 4.3, 4.4)
//
// An acknowledgement passes as MatchACK. Data is compared with the oldest READ or atomic:
//
//	none is outstanding, or its PSN is before the one due      MatchStray
//	its PSN is behind the one due                              MatchGap
//	of another kind than what is due, or AETH not that of ACK  MatchBad
//	FIRST or MIDDLE with the last PSN, LAST or ONLY before it  MatchBad
//	not the path MTU, or at the end not what is left, long     MatchLength
//	else it is placed, and is                                  MatchData, or at the end MatchDone
//
// A FIRST or ONLY in the middle is legal: that is how a READ comes that was sent again from there. Whether
// a PSN behind the one due was ever sent is for the completer to see, which knows the newest; and whether one before
// it has come before, or is that of a SEND or WRITE, which has no data. Neither closes the queue pair.
//
// The data goes to the SGEs in their order; those of no bytes are passed over. The last SGE
// that got a byte is kept, the ones behind it are read from the WQE again when a byte is for them.
// A READ that fits into its first SGE reads nothing. A READ of 0 bytes has no place: one Matched without
// payload.
//
// Behind MatchBad, MatchLength and a WQE that could not be read, and behind a fatal NAK (0x61
// to 0x63) at one of the PSNs of the oldest READ or atomic, the queue pair takes nothing until Control clears it:
// all is MatchIgnored. A NAK at another PSN closes nothing: what it means depends on entries that the completer has.
//
// # Order
//
// One packet after the other, whatever queue pair it is of. Issue and Control take effect
// at once.
//
// # Miss
//
// The SGEs behind the one that is kept are read in one burst: those that one packet
// needs cost it, and those behind it, one read of host memory.
//
// # Stall
//
// Matched may stall everything but Issue, Ring and Control. Source and Value have room before
// Matched goes out, and are offered as soon as it is, so that scatter can take the payload of each packet whose
// pieces it knows of, whatever happens to the packets behind. The answer to a Read waits for nothing.
//
// # Fault
//
// A WQE that could not be read makes the rest of its packet's payload a Matched with Fault
// and Skip; so does one whose SGEs have become shorter than they were.
// An Issue beyond the ring, which only a queue pair on its way to ERR can have, is dropped.
//
// # Cycles
//
// A request or an acknowledgement every cycle; a fatal NAK and a response that
// is not placed every 6. A data response of one piece every 6; each further piece 3, and
// once for each packet that needs them the read of the SGEs, 4 cycles and what the memory takes.
// From Packet to Matched 2 cycles, of data 6. At 64 bits each takes a cycle more.
//
// # Files
//
//	oldest.go  the ring of each queue pair, and what is saved of its oldest
//	judge.go   what a response is
//	place.go   where its data goes, piece by piece
//	fetch.go   SGEs are read from the WQE
//	give.go    Matched, Source and Value
package readmatch
