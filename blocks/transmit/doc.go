// Package transmit gives packets to the builder: acknowledgements that are owed,
// and request packets when their payload is whole. Start with [Def];
// [Reference] is the same in plain Go.
//
// # Streams
//
//	Ack       the newest answer owed of a queue pair, from ackqueue
//	Job       request packets, records and fences, from requester
//	Gathered  how the payload of a job fared, and
//	Payload   that payload, from gather
//	Inline    the payload of jobs that have it in their WQE, from requester
//	Context   destination and addresses of a queue pair (qpcontext)
//	Desc, Out a descriptor and its payload, to packetbuild
//	Record    entries for the replay ring, as their packets leave, to replay
//	Control   a queue pair begins anew, from command
//	Fence     a fence has passed, to command
//
// # State
//
// A bit of each queue pair: a packet of it has failed, or found it in state
// ERR. It is cleared by Control.
//
// # Order
//
// Jobs leave in the order they come in, an acknowledgement before the next job.
// A packet is a few cycles of this block's time, so an acknowledgement waits
// for one packet at most, however long the messages are.
//
// # Fault
//
// A packet whose payload could not be had is not sent: its entry is recorded
// with LOC_PROT_ERR, at its place. Those of that queue pair behind it, and those
// that find it in state ERR, are recorded as flushed; their payload is dropped.
//
// # Stall
//
// A job waits until its payload is here whole, and no longer behind one that is
// dropped, so that no frame pauses; acknowledgements pass it by. Record, Desc
// and Out may stall; they stall everything.
//
// # Cycles
//
// A packet every 6 cycles, but no less than its beats take.
//
// # Files
//
//	descriptor.go  what packetbuild makes a frame of
package transmit
