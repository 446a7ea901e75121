package format

// CQE is a completion, 32 bytes. With a status other than success only WRID,
// Status, QPN, Queue, WQEIndex and Vendor have a meaning.
//
// Phase is the last bit to be written. In the first lap of the ring it is 1, in
// the next 0, and so on: software that has consumed n CQEs of a ring of 2^k
// polls for Phase == 1 ^ (n>>k & 1).
type CQE[V any] struct {
	WRID     V `w:"64"` // as in the WQE
	ByteLen  V `w:"32"` // received bytes of the message; of a READ or atomic, its bytes
	Imm      V `w:"32"` // immediate, its bytes in the order of the wire; or the invalidated key
	QPN      V `w:"24"` // of the QP whose WQE completed
	Status   V `w:"8"`  // Status
	WQEIndex V `w:"16"` // free-running index of the WQE in its ring
	Opcode   V `w:"8"`  // WCOpcode
	Flags    V `w:"8"`  // WCFlag...
	Vendor   V `w:"16"` // the core's own reason (VendorCode)
	Reserved V `w:"46"` // 0
	Queue    V `w:"1"`  // 0: send queue, 1: receive queue
	Phase    V `w:"1"`  // changes with each lap of the ring
}

// EQE is an event, 16 bytes. Phase is as in a [CQE]. Completion events go to the
// event queue of their CQ, asynchronous events to event queue 0.
type EQE[V any] struct {
	Kind   V `w:"8"`  // EventCompletion or EventAsync
	Code   V `w:"8"`  // of EventAsync: AsyncEvent
	Vendor V `w:"16"` // as in a CQE
	Number V `w:"24"` // CQN of a completion event and of EventCQErr, else QPN
	Low    V `w:"8"`  // 0
	High   V `w:"63"` // 0
	Phase  V `w:"1"`  // as in a CQE
}

// Kinds of event.
const (
	EventCompletion = 0 // an armed CQ has a CQE
	EventAsync      = 1
)
