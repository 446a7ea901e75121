package keyops

import (
	"fmt"

	"gornic/blocks/link"
	"gornic/format"
)

// Op is a work request on a key: the operation, and what the WQE says.
type Op struct {
	Kind     int // link.KeyLocalInv, link.KeyRegister or link.KeyBind
	QPN, PD  uint32
	Key      uint32
	VA       uint64
	Operands []byte // 32 bytes
}

// Reference is the change of the key table that a work request asks for (protocol
// section 6): Entry of a link.KeyCommand.
func Reference(op Op) (format.KeyEntry[uint64], error) {
	e := format.KeyEntry[uint64]{Key: uint64(op.Key), PD: uint64(op.PD), QPN: uint64(op.QPN)}
	switch op.Kind {
	case link.KeyLocalInv:
		return e, nil
	case link.KeyRegister:
		x, err := format.DecodeHost[format.RegMROperands[uint64]](op.Operands)
		e.VA, e.Length, e.Translation, e.Rights, e.PageShift = op.VA, x.Length, x.Translation, x.Rights, x.PageShift
		return e, err
	case link.KeyBind:
		x, err := format.DecodeHost[format.BindMWOperands[uint64]](op.Operands)
		e.VA, e.Length, e.Rights, e.Parent = op.VA, x.Length, x.Rights, x.Region
		return e, err
	}
	return e, fmt.Errorf("keyops: no operation on a key: kind %d", op.Kind)
}

// Status is what a work request completes with, for a reason of keycache's.
func Status(kind int, why format.VendorCode) format.Status {
	switch {
	case why == format.VendorNone:
		return format.StatusSuccess
	case kind == link.KeyBind:
		return format.StatusMWBind
	}
	return format.StatusLocQPOp
}
