package link

import (
	"gornic/format"
	"gornic/hdl"
)

// ReadIssue tells readmatch of a READ or atomic, before its request leaves: where its data
// will go.
type ReadIssue struct {
	QP       hdl.Bits
	Atomic   hdl.Bits             `w:"1"`
	PSN      hdl.Bits             `w:"24"` // of the request, and of its first response
	Length   hdl.Bits             `w:"32"` // bytes in all; of an atomic 8
	WQEIndex hdl.Bits             `w:"16"`
	NumSGE   hdl.Bits             `w:"3"`
	SGE      format.SGE[hdl.Bits] // the first one; the others are read from the WQE again
}

// ReadIssue returns the prototype.
func (s Sizes) ReadIssue() ReadIssue { return ReadIssue{QP: hdl.W(s.QPBits)} }

// Kinds of Resource.
const (
	ResourceNone        = 0 // neither READ nor atomic
	ResourceRead        = 1
	ResourceCompareSwap = 2
	ResourceFetchAdd    = 3
)

// Resource is a READ or atomic that was accepted, or one that came again: the
// contents of a responder resource (protocol section 3.10).
type Resource struct {
	Kind      hdl.Bits `w:"2"`  // ResourceNone and others
	Duplicate hdl.Bits `w:"1"`  // it came before: an atomic has no operands then, and its VA means nothing
	VA        hdl.Bits `w:"64"` // of a READ; of an atomic the bus address of its 8 bytes
	RKey      hdl.Bits `w:"32"`
	Length    hdl.Bits `w:"32"` // bytes of a READ
}

// ResourceRequest is a Resource whose turn has come: what was before it is in memory.
type ResourceRequest struct {
	QP       hdl.Bits
	Cancel   hdl.Bits `w:"1"`  // the queue pair has failed before it: of an atomic that is no duplicate the operands go; nothing else happens, and Served does not count it
	PSN      hdl.Bits `w:"24"` // of its first response
	MSN      hdl.Bits `w:"24"` // that counts it
	Resource Resource
}

// ResourceRequest returns the prototype.
func (s Sizes) ResourceRequest() ResourceRequest { return ResourceRequest{QP: hdl.W(s.QPBits)} }

// Served says how far the resources of a queue pair have been answered. Numbers are free-running
// counts of those that are not duplicates.
type Served struct {
	QP         hdl.Bits
	Next       hdl.Bits `w:"8"` // the first one that is not answered whole; a duplicate takes it back
	Most       hdl.Bits `w:"8"` // the largest that Next has been
	Duplicates hdl.Bits `w:"8"` // duplicates that Next has to do with; free-running
}

// Served returns the prototype.
func (s Sizes) Served() Served { return Served{QP: hdl.W(s.QPBits)} }

// Operands are those of an atomic, in the order of their commits.
type Operands struct {
	Swap    hdl.Bits `w:"64"` // or the addend
	Compare hdl.Bits `w:"64"`
}

// AtomicCommand executes an atomic with the oldest Operands.
type AtomicCommand struct {
	QP     hdl.Bits
	Slot   hdl.Bits // its resource
	Kind   hdl.Bits `w:"2"`  // ResourceCompareSwap or ResourceFetchAdd
	Cancel hdl.Bits `w:"1"`  // nothing is done, but Operands go
	Addr   hdl.Bits `w:"64"` // bus address, a multiple of 8
}

// AtomicCommand returns the prototype.
func (s Sizes) AtomicCommand() AtomicCommand {
	return AtomicCommand{QP: hdl.W(s.QPBits), Slot: hdl.W(s.ReadBits)}
}

// AtomicResult is the outcome of an atomic that was not cancelled, in memory.
type AtomicResult struct {
	QP    hdl.Bits
	Slot  hdl.Bits
	Value hdl.Bits `w:"64"` // that memory had before, as a number
	Fault hdl.Bits `w:"5"`  // format.VendorBusRead or VendorBusWrite; else 0
}

// AtomicResult returns the prototype.
func (s Sizes) AtomicResult() AtomicResult {
	return AtomicResult{QP: hdl.W(s.QPBits), Slot: hdl.W(s.ReadBits)}
}

// KeyOp is a work request on a key: LOCAL_INV, REG_MR or BIND_MW. Its queue pair
// goes no further until its KeyOpDone has come.
type KeyOp struct {
	QP       hdl.Bits
	Kind     hdl.Bits `w:"3"` // KeyLocalInv, KeyRegister or KeyBind
	QPN      hdl.Bits `w:"24"`
	PD       hdl.Bits `w:"24"`
	Key      hdl.Bits `w:"32"`  // RKey of the WQE; of a LOCAL_INV its Imm
	VA       hdl.Bits `w:"64"`  // RemoteAddr of the WQE
	Operands hdl.Bits `w:"256"` // what stands behind the control part of the WQE: format.RegMROperands or format.BindMWOperands
}

// KeyOp returns the prototype.
func (s Sizes) KeyOp() KeyOp { return KeyOp{QP: hdl.W(s.QPBits)} }

// KeyOpDone ends a KeyOp: no DMA goes on under what it ended.
type KeyOpDone struct {
	QP     hdl.Bits
	Status hdl.Bits `w:"8"` // format.StatusSuccess, StatusLocQPOp or StatusMWBind
	Vendor hdl.Bits `w:"5"`
}

// KeyOpDone returns the prototype.
func (s Sizes) KeyOpDone() KeyOpDone { return KeyOpDone{QP: hdl.W(s.QPBits)} }
