package link

import "gornic/hdl"

// QPRef names a queue pair.
type QPRef struct {
	QP hdl.Bits // index
}

// QPRef returns the prototype.
func (s Sizes) QPRef() QPRef { return QPRef{QP: hdl.W(s.QPBits)} }

// RingUpdate is a doorbell of a send or receive queue that has passed the check
// of its page.
type RingUpdate struct {
	QP    hdl.Bits
	Index hdl.Bits `w:"16"` // producer, free-running
}

// RingUpdate returns the prototype.
func (s Sizes) RingUpdate() RingUpdate { return RingUpdate{QP: hdl.W(s.QPBits)} }

// RingConfig makes a ring, empty, or makes it empty again: all its indices
// are 0, and what was fetched is forgotten.
type RingConfig struct {
	QP        hdl.Bits
	Keep      hdl.Bits `w:"1"`  // where the ring is stays as it is, and the rest means nothing
	Base      hdl.Bits `w:"64"` // bus address, a multiple of 4096
	LogSize   hdl.Bits `w:"4"`  // log2 of its WQEs
	LogStride hdl.Bits `w:"1"`  // slots of 64 << LogStride bytes
}

// RingConfig returns the prototype.
func (s Sizes) RingConfig() RingConfig { return RingConfig{QP: hdl.W(s.QPBits)} }

// HeadRequest asks for the WQE at the head of a queue.
type HeadRequest struct {
	QP   hdl.Bits
	Wait hdl.Bits `w:"1"` // if it is posted but not here yet, answer when it is
}

// Head answers a HeadRequest.
type Head struct {
	Here  hdl.Bits `w:"1"`  // the WQE can be read
	Empty hdl.Bits `w:"1"`  // nothing is posted; neither: it is on its way
	Fault hdl.Bits `w:"1"`  // it could not be read from host memory (with Here)
	Index hdl.Bits `w:"16"` // free-running
	Slot  hdl.Bits // where it is, for GranuleRequest
}

// GranuleRequest reads 16 bytes of a WQE that is at the head of its queue.
type GranuleRequest struct {
	QP      hdl.Bits
	Slot    hdl.Bits
	Granule hdl.Bits `w:"3"`
}

// Granule is 16 bytes of a WQE, in the order of the requests.
type Granule struct {
	Data hdl.Bits `w:"128"`
}

// QueuePort is the side of who works on the WQEs of a set of queues: requester
// or responder. The head advances with Take, and only with it.
type QueuePort struct {
	Request hdl.Stream[HeadRequest]
	Head    hdl.Stream[Head] `hdl:"flip"`
	Read    hdl.Stream[GranuleRequest]
	Granule hdl.Stream[Granule] `hdl:"flip"`
	Take    hdl.Stream[QPRef]
}

// QueuePort returns the prototype.
func (s Sizes) QueuePort() QueuePort {
	qp, slot := hdl.W(s.QPBits), hdl.W(s.SlotBits+1)
	return QueuePort{
		Request: hdl.StreamOf(HeadRequest{QP: qp}),
		Head:    hdl.StreamOf(Head{Slot: slot}),
		Read:    hdl.StreamOf(GranuleRequest{QP: qp, Slot: slot}),
		Granule: hdl.StreamOf(Granule{}),
		Take:    hdl.StreamOf(s.QPRef()),
	}
}

// Arming of a completion queue by a doorbell.
const (
	ArmNone      = 0 // only the consumer index
	ArmNext      = 1 // an event for the next CQE
	ArmSolicited = 2 // an event for the next solicited or failed one
)

// CQUpdate is a doorbell of a completion queue that has passed the check of its
// page.
type CQUpdate struct {
	CQ    hdl.Bits
	Index hdl.Bits `w:"16"` // consumer, free-running
	Arm   hdl.Bits `w:"2"`
}

// CQUpdate returns the prototype.
func (s Sizes) CQUpdate() CQUpdate { return CQUpdate{CQ: hdl.W(s.CQBits)} }

// EQUpdate is a doorbell of an event queue.
type EQUpdate struct {
	EQ    hdl.Bits
	Index hdl.Bits `w:"16"` // consumer, free-running
}

// EQUpdate returns the prototype.
func (s Sizes) EQUpdate() EQUpdate { return EQUpdate{EQ: hdl.W(s.EQBits)} }

// CQConfig makes a completion queue, empty and not armed, or removes it. It is taken when all CQEs that were asked
// for before are in memory.
type CQConfig struct {
	CQ      hdl.Bits
	Keep    hdl.Bits `w:"1"` // all is left as it is: only that is waited for
	Exists  hdl.Bits `w:"1"`
	EQ      hdl.Bits
	LogSize hdl.Bits `w:"4"`
	Base    hdl.Bits `w:"64"` // bus address, a multiple of the ring's size
}

// CQConfig returns the prototype.
func (s Sizes) CQConfig() CQConfig { return CQConfig{CQ: hdl.W(s.CQBits), EQ: hdl.W(s.EQBits)} }

// EQConfig makes an event queue, empty, or removes it.
type EQConfig struct {
	EQ      hdl.Bits
	Exists  hdl.Bits `w:"1"`
	Vector  hdl.Bits `w:"8"`
	LogSize hdl.Bits `w:"4"`
	Base    hdl.Bits `w:"64"` // bus address, a multiple of the ring's size
}

// EQConfig returns the prototype.
func (s Sizes) EQConfig() EQConfig { return EQConfig{EQ: hdl.W(s.EQBits)} }

// Completion asks for a CQE. Data is in memory before it is asked for.
type Completion struct {
	CQ        hdl.Bits
	WRID      hdl.Bits `w:"64"`
	ByteLen   hdl.Bits `w:"32"`
	Imm       hdl.Bits `w:"32"` // as in memory: the byte of the lowest address in bits 7 to 0
	QP        hdl.Bits // index, for who hears of an overflow
	QPN       hdl.Bits `w:"24"`
	Status    hdl.Bits `w:"8"`
	WQEIndex  hdl.Bits `w:"16"`
	Opcode    hdl.Bits `w:"8"` // format.WCOpcode
	Flags     hdl.Bits `w:"4"` // format.WCFlag bits
	Vendor    hdl.Bits `w:"5"`
	Queue     hdl.Bits `w:"1"` // 0: send queue, 1: receive queue
	Solicited hdl.Bits `w:"1"` // the message had its SE bit set, or Status is not success
}

// Completion returns the prototype.
func (s Sizes) Completion() Completion {
	return Completion{CQ: hdl.W(s.CQBits), QP: hdl.W(s.QPBits)}
}

// Written says that a CQE is in memory, in the order of a completion queue.
type Written struct {
	CQ        hdl.Bits
	Producer  hdl.Bits `w:"16"` // index behind it, free-running
	Solicited hdl.Bits `w:"1"`
}

// Written returns the prototype.
func (s Sizes) Written() Written { return Written{CQ: hdl.W(s.CQBits)} }

// Async asks for an asynchronous event.
type Async struct {
	Code   hdl.Bits `w:"8"`  // format.AsyncEvent
	Vendor hdl.Bits `w:"5"`  // format.VendorCode
	Number hdl.Bits `w:"24"` // QPN; of EventCQErr the CQN
}

// Interrupt is a message to the host's interrupt controller, as of MSI-X.
type Interrupt struct {
	Vector hdl.Bits `w:"8"`
}

// Bell is a write to a doorbell page.
type Bell struct {
	Page   hdl.Bits `w:"16"`
	Offset hdl.Bits `w:"10"` // in the page, in words: format.DoorbellSQ / 4 and others
	Index  hdl.Bits `w:"16"`
	Number hdl.Bits `w:"16"` // low 16 bits of a QPN, CQN or EQN
}

// Kinds of BellOwner.
const (
	OwnerQP = 0
	OwnerCQ = 1
)

// BellOwner says from which page a queue pair's or completion queue's doorbells
// come, and the number that they name.
type BellOwner struct {
	Kind   hdl.Bits `w:"1"` // OwnerQP or OwnerCQ
	Index  hdl.Bits // of the queue pair or completion queue
	Exists hdl.Bits `w:"1"`
	Page   hdl.Bits `w:"16"`
	Number hdl.Bits `w:"16"`
}

// BellOwner returns the prototype.
func (s Sizes) BellOwner() BellOwner { return BellOwner{Index: hdl.W(max(s.QPBits, s.CQBits))} }

// CreditPort asks for the credit code of a queue pair (protocol section 1.6): how many of its receive WQEs have been posted
// and not been taken. Code is that of the QP one cycle before.
type CreditPort struct {
	QP   hdl.Bits
	Code hdl.Bits `hdl:"flip" w:"5"`
}

// CreditPort returns the prototype.
func (s Sizes) CreditPort() CreditPort { return CreditPort{QP: hdl.W(s.QPBits)} }
