// Package transmit gives packets to the builder: acknowledgements that are owed,
// and request and response packets when their payload is whole. Start with [Def];
// [Reference] is the same in plain Go.
//
// # Streams
//
//	Ack       the newest answer owed of a queue pair, from ackqueue
//	CNP       queue pairs that tell their peer of congestion, from cnp
//	Job       request packets, records, marks and fences, from requester; responses to READs and atomics, from
//	          resources; packets that are sent again, from resend
//	Gathered  how the segments of a job fared, and
//	Payload   the payload that they are of, if they are no probes, from gather
//	Inline    the payload of jobs that have it in their WQE, from requester
//	Context   destination and addresses of a queue pair (qpcontext)
//	Desc, Out a descriptor and its payload, to packetbuild
//	Record    entries for the replay ring, as their packets leave, to replay
//	Fault     queue pairs that cannot answer, to qpcontext
//	Control   a queue pair begins anew, from command
//	Fence     a fence has passed, to its owner
//	Marked    a mark has come by: what was given before it has left, and been recorded; to retry
//	ResendFault a packet could not be sent again for want of its payload; to retry
//	Given     a pulse for each answer that is on its way to Job, from resources
//	Credits   how many receive WQEs a queue pair has (wqefetch), if responses carry credits
//	Served    how far a queue pair has been answered, from resources; it leaves as
//	Left      to ackqueue, when the answers given before have left; where one overtakes another of its queue pair, the newer alone
//
// # State
//
// Two bits of each queue pair. Failed: a request of it has failed, or found it in state
// ERR. Silent: an answer of it could not be had. Both are cleared by Control. And how many answers have been
// given away, and have left; and the newest Served of each queue pair that waits for some of these, with a queue of those
// queue pairs, each once in it.
//
// # Order
//
// Jobs leave in the order they come in, an acknowledgement before the next job.
// A packet is a few cycles of this block's time, so an acknowledgement waits
// for one packet at most, however long the messages are. One that has to be behind its own queue pair's answers
// (protocol section 10 row 28) waits in ackqueue, for Served: which therefore passes through here, so that it is heard
// when those answers have left, and not while they wait in Job. Given comes no later than the Served that counts its answer.
//
// A fence passes behind marks, and behind what was told of the answers before it. It does not wait for what is told of
// those behind it.
//
// # Requests
//
// A READ or an atomic has segments that are probes: its keys are judged before it leaves, and no payload comes.
// A record is an entry without a packet: a WQE that failed, or one on a key that is done (EntryLocal).
//
// # Sent again
//
// A packet that is sent again (JobResend) is in the replay ring: it is not recorded. Where its queue pair is not in RTS or SQD, or
// is silent, it is dropped. Where a request has failed, it leaves: it stands before that one, which waits for it. Nothing comes of it but
// the packet, or the ResendFault.
//
// # Answers
//
// An answer (JobAnswer) is not recorded. One that finds its queue pair gone, or in RESET or INIT, or silent, is dropped; in
// ERR the queue pair still answers what it accepted before. FIRST, LAST, ONLY and ATOMIC_ACK have an AETH: ACK without
// credits, and the MSN of the job.
//
// # Fault
//
// A request whose payload could not be had is not sent: its entry is recorded
// with LOC_PROT_ERR, at its place. Those of that queue pair behind it, and those
// that find it in state ERR, are recorded as flushed; their payload is dropped.
//
// An answer that cannot be had becomes a NAK at its PSN (protocol section 3.8): 0x62 and the event QP_ACCESS_ERR where its key is
// at fault, 0x63 and QP_FATAL where host memory is, of an atomic that Failed, too. That is the last thing that the peer
// hears: the queue pair goes to ERR and is silent, which drops its answers and acknowledgements from then on.
//
// # CNP
//
// A CNP goes before the next job, behind acknowledgements; it is dropped where its queue pair is not in RTR, RTS or SQD. It
// has BECN, DSCP 48 and 16 zeros as payload (protocol section 1.5), which are made here.
//
// # Stall
//
// A job waits until its payload is here whole, and no longer behind one that is
// dropped, so that no frame pauses; acknowledgements pass it by. Record, Desc,
// Out, Fault and ResendFault may stall; they stall everything but Served, which waits for Left alone: receive never waits for
// transmit. Left stalls a fence, too; so does Marked, and a second mark.
//
// # Cycles
//
// A packet every 6 cycles, but no less than its beats take.
//
// # Files
//
//	answer.go      answers that cannot be had
//	served.go      what is told of those that have left
//	descriptor.go  what packetbuild makes a frame of
//	cnp.go         the payload of a CNP
package transmit
