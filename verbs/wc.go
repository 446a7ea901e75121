package verbs

import (
	"fmt"
	"math/bits"

	"gornic/format"
)

// WC is a completion (ibv_wc). With a Status other than success only WRID, Status,
// Vendor, QPN, Recv and WQEIndex have a meaning; the rest is zero.
type WC struct {
	WRID            uint64
	Status          WCStatus
	Opcode          WCOpcode
	Vendor          VendorCode // the device's own reason
	ByteLen         uint32     // bytes of the message that was received, or of the READ or atomic
	Imm             uint32     // with WCWithImm: the peer's SendWR.Imm
	InvalidatedRKey uint32     // with WCWithInv
	QPN             uint32     // the local queue pair
	Flags           WCFlags
	Recv            bool   // of the receive queue
	WQEIndex        uint16 // how many work requests its queue had before it, modulo 2^16
}

// Err returns nil for a success, else a [*WCError].
func (w WC) Err() error {
	if w.Status == StatusSuccess {
		return nil
	}
	return &WCError{WRID: w.WRID, QPN: w.QPN, Status: w.Status, Vendor: w.Vendor}
}

func newWC(e format.CQE[uint64]) WC {
	w := WC{
		WRID: e.WRID, Status: WCStatus(e.Status), Vendor: VendorCode(e.Vendor), QPN: uint32(e.QPN),
		Recv: e.Queue == 1, WQEIndex: uint16(e.WQEIndex),
	}
	if w.Status != StatusSuccess {
		return w
	}
	w.Opcode, w.Flags, w.ByteLen = WCOpcode(e.Opcode), WCFlags(e.Flags), uint32(e.ByteLen)
	switch {
	case w.Flags&WCWithImm != 0:
		w.Imm = immediate(uint32(e.Imm))
	case w.Flags&WCWithInv != 0:
		w.InvalidatedRKey = uint32(e.Imm)
	}
	return w
}

// immediate turns the number of an immediate into the field of a WQE or CQE, and
// back: the bytes are in the order of the wire, most significant first.
func immediate(x uint32) uint32 { return bits.ReverseBytes32(x) }

// complete gives the slots that a completion frees back to their queue.
func (d *Device) complete(e format.CQE[uint64]) error {
	qp := d.qps[uint32(e.QPN)]
	if qp == nil {
		return fmt.Errorf("%w: a completion of QP %#x, which does not exist", ErrDevice, e.QPN)
	}
	if WCStatus(e.Status) != StatusSuccess {
		qp.attr.State = QPError
	}
	name, ring, inOrder := "send", &qp.sq, false
	if e.Queue == 1 {
		name, ring, inOrder = "receive", &qp.rq, true
	}
	if !ring.complete(uint16(e.WQEIndex), inOrder) {
		return fmt.Errorf("%w: a completion of %s work request %d of QP %#x, outstanding are %d to %d",
			ErrDevice, name, e.WQEIndex, e.QPN, ring.tail, ring.head-1)
	}
	return nil
}
