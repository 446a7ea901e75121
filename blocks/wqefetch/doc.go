// Package wqefetch reads work queue entries ahead of their use: one instance for
// all send queues, one for all receive queues. Start with [Def]; [Reference] says
// in plain Go what its user sees.
//
// # Streams
//
//	Bell    producer indices, from doorbell
//	Config  makes a ring, or empties it, from command
//	Read    bursts of host memory
//	Ready   queue pairs that have a WQE more than before, to scheduler or responder
//	Credits how many WQEs are posted, to who answers the peer
//	Queue   what is at the head, its bytes, and the step to the next one (link.QueuePort), for requester or responder
//
// # State
//
// Of each queue pair: ring address and size (written by Config), producer (by
// Bell), fetched: the first index not asked for, here: the first index that has
// not arrived, and head (by Take). All indices are free-running numbers of 16
// bits; head <= here <= fetched <= producer. The WQEs lie in a memory of
// 16-byte granules, 128 << SlotBits bytes of each queue pair; index i of its
// ring at slot i modulo what fits. A bit of each slot says that it could not be
// read.
//
// # Fetching
//
// A queue pair is due when its producer moves, when its head moves, or when the
// last burst did not get everything. The burst takes as many WQEs as are
// posted, have room, lie in one piece of the ring and in one 4 KiB page, and
// are not more than half of the room: so while one half is worked on, the other
// is on its way. It never goes past the producer.
//
// # Order
//
// Bursts are answered in order; several are on their way, of different queue
// pairs or of one.
//
// # Miss, stall, fault
//
// A head that is asked for with Wait and is on its way is answered when it has
// come: the one who asks waits for one read of host memory. A burst is asked
// for only with room for its beats. A WQE of which a beat had an error response
// is there, marked as Fault.
//
// Config waits until nothing is on its way, for a cycle without a doorbell or a
// step of a head.
//
// # Cycles
//
// A burst every 5 cycles; a granule a cycle into the memory, so that 64 bytes
// take 4 cycles, but no less than the bus takes; a granule a cycle out, 2
// cycles after it was asked for; a head 2 cycles after it was asked for. From a
// doorbell to the burst 6 cycles.
//
// # Files
//
//	fetch.go   bursts are made up and asked for
//	arrive.go  WQEs come
//	answer.go  what is at heads is told, and its granules are read
//	credit.go  how many WQEs are posted
package wqefetch
