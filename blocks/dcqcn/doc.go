// Package dcqcn slows queue pairs down where congestion is notified, raises their rate again when it is not any more, and makes
// them keep it: the reaction point of DCQCN (protocol section 7). Start with [Def]; [Flow] is the algorithm in plain Go.
//
// # Streams
//
//	Sent      packets as they are given away, from core: requests and responses of all queue pairs, with their bytes of payload
//	CNP       the queue pair of a notification, from psncheck: one that has congestion control
//	Control   begins queue pairs anew, from command
//	Asks[i]   has a queue pair to wait for its rate? From those who begin packets: requester, resources, resend
//	Wake      a queue pair that has not any more, to all who ask
//	Settings  parameters of the whole device; CNPGap is cnp's
//	Cut       pulse, for a counter: a rate was cut
//
// A queue pair without congestion control has no CNP here, so it is never slowed down. One that is not slowed down costs a look
// at a memory for each packet.
//
// # State
//
// Of each queue pair a word of its rate: rates, alpha, stages, and when the last increases, update and cut were; nothing of one
// that is not slowed down. A period: the time of a byte at that rate. When it may send, and the bytes it has sent. A bit: it
// waits. A place in a list of the wheel.
//
// # The rate
//
// A machine goes over all queue pairs, one after the other, in turn with those that have a CNP. For each it makes what is due:
// increases by time, then by bytes, each one as often as its clock has gone round, and then the cut of a CNP. So the rate is
// exactly that of the algorithm at each visit, and a visit that is late makes up for what it missed. Updates of alpha, of which
// there is one each microsecond, are made when a CNP comes and alpha is read. Their clock is one for the whole device, that of
// increases begins with the last cut.
//
// A queue pair is not slowed down any more when its target is the line rate and its rate is there, or one below: half of the way,
// rounded down, never gets nearer. The next CNP is its first one again.
//
// A CNP within Monitor ticks of a cut means nothing. All CNPs of a queue pair that come while one waits are one.
//
// # The pace
//
// A packet costs its bytes, and 64 for its headers, times the period. Next, when its queue pair may send, moves on by that: from
// where it was, or from a little before the present, if that is later. The little (a tick, or 128 cycles) makes up for a wake
// that is late, so that the rate is kept on average; a queue pair that was idle may send so much at once. If next is to come, the
// queue pair waits. Packets of it that are on their way already add to its debt, up to a quarter of what the number of a time
// holds.
//
// The wheel is lists of queue pairs, one for each slot of 32 cycles. The last slot is that of all that is farther away; whoever
// is found there when it comes is sorted in anew. So is one whose time has moved on since. A queue pair that is begun anew while
// it waits is woken when its slot comes: within a round, of 32 slots for each 8 queue pairs.
//
// # Order
//
// Cost is by the period at the time of the packet. A queue pair is begun anew in its turn in the queue of CNPs, so that none of
// what it was is behind that; what it was has sent all its packets by then. Its bit has fallen when it is woken: no wake is lost.
//
// # Stall and fault
//
// CNP and Control wait for as many cycles after reset as there are queue pairs, CNP for a cycle at most besides. Sent waits for
// no other block but Wake, and for that only after 4 packets of queue pairs that begin to wait. Control waits for CNPs that came
// before. MinRate keeps each queue pair alive; a rate of 0 is like one of the longest period.
//
// # Cycles
//
// A packet a cycle while it is of queue pairs that are not slowed down, else one in 6 cycles, while the machine of the rates looks,
// too. One that begins to wait takes 4 cycles of the wheel, and 4 when it is woken. A visit takes 2 cycles; of a queue pair that is
// slowed down some 12, and 7 for each increase, 6 for a cut, 33 for a rate that is new, 3 for each update of alpha before a cut: no
// more than 1023 are made one by one.
//
// # Files
//
//	pace.go   what packets cost, and when the next one may go
//	wheel.go  who waits
//	enter.go  whose turn it is: CNPs, and who begins anew
//	rate.go   the machine of the rates, and its word
//	raise.go  increases
//	cut.go    alpha, cuts, and the division that makes a period of a rate
package dcqcn
