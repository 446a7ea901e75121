package linktest

import "gornic/format"

// SGE is a format.SGE.
type SGE struct {
	Addr         uint64
	Length, LKey uint32
}

// ReadIssue is a link.ReadIssue.
type ReadIssue struct {
	QP       int
	Atomic   bool
	PSN      uint32
	Length   uint32
	WQEIndex uint16
	NumSGE   int
	SGE      SGE
}

// Resource is a link.Resource.
type Resource struct {
	Kind         int // link.ResourceNone and others
	Duplicate    bool
	VA           uint64
	RKey, Length uint32
}

// ResourceRequest is a link.ResourceRequest.
type ResourceRequest struct {
	QP       int
	Cancel   bool
	PSN, MSN uint32
	Resource Resource
}

// Served is a link.Served.
type Served struct {
	QP                     int
	Next, Most, Duplicates uint8
}

// Operands is a link.Operands.
type Operands struct{ Swap, Compare uint64 }

// AtomicCommand is a link.AtomicCommand.
type AtomicCommand struct {
	QP, Slot int
	Kind     int // link.ResourceCompareSwap or link.ResourceFetchAdd
	Cancel   bool
	Addr     uint64
}

// AtomicResult is a link.AtomicResult.
type AtomicResult struct {
	QP, Slot int
	Value    uint64
	Fault    format.VendorCode
}

// KeyOp is a link.KeyOp.
type KeyOp struct {
	QP       int
	Kind     int // link.KeyLocalInv, link.KeyRegister or link.KeyBind
	QPN, PD  uint32
	Key      uint32
	VA       uint64
	Operands []byte // 32 of them
}

// KeyOpDone is a link.KeyOpDone.
type KeyOpDone struct {
	QP     int
	Status format.Status
	Vendor format.VendorCode
}
