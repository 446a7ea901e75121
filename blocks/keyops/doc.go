// Package keyops does the work requests on keys of all queue pairs: LOCAL_INV,
// REG_MR and BIND_MW (protocol sections 4.7, 6 and 10). Start with [Def];
// [Reference] is what it makes of one, in plain Go.
//
// # Streams
//
//	Op       a work request, from requester; its queue pair goes no further
//	Done     its outcome: then it does, or fails
//	Key      the change of the key table, to keycache; KeyDone answers
//	Flush    a pulse: a page list is new, to the translators
//	TxFence, TxPassed, RxFence, RxPassed  tokens through the two pipelines
//	Through, Passed  the way back of command's token, which has been through the sending pipeline
//
// # State
//
// The operation at hand; of each that has changed its key, its outcome, until it
// is told: one of each queue pair at most.
//
// # Order
//
// Operations change keys one after another, in their order, and Done keeps that
// order. An operation that ended a key (KeyDone.Ended) is done when a fence that began
// behind its change has been through both pipelines: then no DMA goes on under
// what it ended. One fence is for all that wait when it begins.
//
// # Command's fence
//
// What command ends must not have an operation here. So its token stays until the
// operations that were taken before it came are done. Its place is a register, so
// that a token of this block behind it comes through.
//
// # Stall and fault
//
// Op waits for the key table alone, never for a fence: the fence goes through
// the requester, which waits for Op. There is room for an outcome of each queue
// pair, so Done may wait as long as it likes.
//
// An operation that is refused is StatusMWBind of a BIND_MW, else StatusLocQPOp;
// Vendor says why.
//
// # Cycles
//
// An operation every third cycle, if the key table takes none; the outcome 2 cycles
// behind KeyDone (4 with more than 64 queue pairs), or 2 behind the fences.
//
// # Files
//
//	change.go  the operation becomes a change of the key table
//	settle.go  outcomes wait for their fence
package keyops
