// Package completer is the requester's receive side: responses retire
// entries of the replay ring, and send WQEs complete, in order and once each.
// Start with [Def]; [Reference] is the same in plain Go.
//
// # Streams
//
//	Response    responses whose data is in memory, and queue pairs that went to ERR, in one order; from scatter
//	Replay      the replay ring (replay), which also tells of entries that wait for no response
//	Context     completion queue and number of a queue pair that was told of (qpcontext)
//	Completion  CQEs of send queues, to cqewriter
//	Fault       queue pairs whose WQE failed, to qpcontext
//	Heard       what responses mean for timers and retries, to retry
//	Failure     WQEs that retry gives up
//	Control     a queue pair begins anew, from command; its ring, too
//
// # State
//
// Of each queue pair: whether it has failed, and the WQE that has a CQE with the
// cause; or that a failure has been heard, and the status and vendor code that the WQE of the oldest
// entry will complete with. And how much of a READ that is the oldest entry has come. Where the outstanding
// packets begin is the replay ring's to know.
//
// # Entries
//
//	request  SEND, WRITE: completes with an ACK of its PSN, or any response to what is behind it
//	READ     with its last response (MatchDone at its LastPSN), and nothing else
//	atomic   with its response (MatchDone), and nothing else
//	local    LOCAL_INV, REG_MR, BIND_MW: as soon as it is the oldest
//	failed   was not sent: fails as soon as it is the oldest
//
// What is local is heard of as it is recorded, and is looked for behind every entry that completes: so it waits for no
// response, though none may ever come. Packets of a WQE that failed behind them ask for no
// acknowledgement: they are dropped when they are the oldest.
//
// # Responses (protocol sections 4.3 and 4.4)
//
// A response ahead of what was sent, or before what is owed, is
// ignored, and so are a reserved syndrome and MatchIgnored. Any other acknowledges the requests before its PSN, up to a READ
// or atomic that has not been answered: there it stops, whatever it is, as it implies that a response is lost.
// At its own PSN
//
//	an ACK                              completes a request; at a READ or atomic it implies that a response is lost
//	MatchData                           is progress of a READ
//	MatchGap                            tells that data of a READ, or the answer to an atomic, is lost
//	NAK 0x60, RNR NAK                   ask for the packet again; behind what is owed of a READ, they imply that data of it is lost
//	MatchDone                           completes a READ or atomic
//	NAK 0x61, 0x62, 0x63                fail its WQE: REM_INV_REQ_ERR, REM_ACCESS_ERR, REM_OP_ERR
//	MatchBad                            fails it: BAD_RESP_ERR
//	MatchStray                          fails a request's: BAD_RESP_ERR; at a READ or atomic it is ignored, as it has come before
//	MatchLength                         fails it: LOC_LEN_ERR
//	MatchData, MatchDone with a Fault   fail it: LOC_PROT_ERR, with that vendor code
//
// A READ may be refused at any of the PSNs that it takes, also where data has come (section 10 row 12). WQEs complete by PSN, never by MSN.
//
// # Heard
//
// Each entry that a response answers is a HeardProgress, and so is MatchData, with the PSN that is owed behind it. What
// is to be sent again is a HeardRestart, an RNR NAK a HeardRNR, behind the progress of the same response. Whether that
// is one too many, or the same as before, is for retry to know. If entries that are no packets have left, and nothing else was told of
// those behind, that is a HeardLocal: no timer may run for them.
//
// A Failure goes the way of a fatal NAK, if the PSN that was owed when retry gave up still is; else a HeardProgress is
// on its way to retry, which then knows.
//
// # Failures
//
// An entry that failed before it was sent completes when it is the oldest, and takes its queue pair to ERR: what
// is behind it was not sent either. From the first failure on, and once a queue pair is dead, every entry is flushed
// as it comes; entries of a WQE that has its CQE are dropped.
//
// A failure that a response tells of is another matter: READs behind it are outstanding, and their data may
// still be written, which must not happen once software sees their CQE. So the queue pair is reported to qpcontext at once, and is
// dying: nothing of it completes, no response to it is looked at. qpcontext's word that it is in ERR goes through psncheck
// and scatter, behind all data, and comes back on Response (Dead). Then the WQE completes with the cause, and the rest is
// flushed. What the response acknowledged has completed before. A response that finds its queue pair failed or dying is ignored.
//
// # Orders
//
// Let a failure be heard of the oldest entry (R), another entry be recorded (E), and the queue pair's
// death be heard (D). In whatever order they come, each WQE has one CQE:
//
//	R E D  R: Fault. E: nothing, though it be local or failed. D: cause, then E flushed
//	R D E  R: Fault. D: cause. E: flushed as it comes
//	E R D  as R E D; if E is local or failed it waits for what is before it, as ever
//	E D R  D: all are flushed, what R would have failed, too, and E, even if it failed. R: ignored
//	D R E  D: flushed. R: ignored. E: flushed as it comes
//	D E R  the same
//
// In the last three the queue pair died of something else, or by software's hand: it counts as failed already,
// so there is no cause among the send WQEs. So it does where an entry that failed completes before R: Fault, cause, and no more is heard.
// A D that another cause has sent ahead of qpcontext's answer to R is as good as that; there is one D in a life of a queue pair.
//
// Control that clears waits until the work at hand is done and no response waits, or as many have been taken as
// can stand before a fence: a death of the life that ends is not taken for one of the next. It
// empties the ring and forgets the failure, heard or had.
//
// # Stall
//
// Completion, Fault and Heard may stall; they stall everything. Only one queue pair is
// worked on at a time, and no step waits for anything but these and the context. Entries that are told of
// go before responses: so the entry of a packet is in the ring before the response to it is looked at. A Failure goes before
// responses, too, and before Control, since it may be of a life that ends.
//
// # Cycles
//
// An acknowledgement of one packet takes 6 cycles, each further packet 5; the last response to a READ or atomic 6, one
// that completes nothing 5.
//
// # Files
//
//	classify.go  what a response does
//	judge.go     what becomes of the oldest entry
//	ports.go     what each step drives, and what an entry lets out
package completer
