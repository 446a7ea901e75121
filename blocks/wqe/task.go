package wqe

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
)

// Control is the first granules of a send WQE.
type Control = format.SendControl[hdl.Bits]

// Task is what a WQE asks for: a WRITE, if none of the kinds below.
type Task struct {
	Send     hdl.Bits `w:"1"` // any SEND
	Read     hdl.Bits `w:"1"`
	Atomic   hdl.Bits `w:"1"`
	FetchAdd hdl.Bits `w:"1"` // of an atomic; else compare-and-swap
	Local    hdl.Bits `w:"1"` // LOCAL_INV, REG_MR or BIND_MW: no packet
	HasImm   hdl.Bits `w:"1"` // with immediate
	HasInv   hdl.Bits `w:"1"` // with invalidate
	WC       hdl.Bits `w:"3"` // format.WCOpcode
}

// TaskOf reads a WQE. What a core does not have is none of the kinds.
func TaskOf(c Control, s link.Sizes) Task {
	t := Task{
		Send:     Is(c, format.WRSend, format.WRSendImm, format.WRSendInv),
		Read:     Is(c, format.WRRead),
		Atomic:   Is(c, format.WRCompSwap, format.WRFetchAdd),
		FetchAdd: Is(c, format.WRFetchAdd),
		Local:    Is(c, format.WRLocalInv, format.WRRegMR, format.WRBindMW),
		HasImm:   Is(c, format.WRSendImm, format.WRWriteImm),
		HasInv:   Is(c, format.WRSendInv),
		WC:       completion(c, s),
	}
	if !s.Has(link.Atomics) {
		t.Atomic, t.FetchAdd = hdl.K(1, 0), hdl.K(1, 0)
	}
	if !s.Has(link.KeyRequests) {
		t.Local = hdl.K(1, 0)
	}
	return t
}

// Asks returns one bit: it is a READ or an atomic, whose packet has no payload.
func (t Task) Asks() hdl.Bits { return t.Read.Or(t.Atomic) }

// Is returns one bit: the operation of a WQE is one of ops.
func Is(c Control, ops ...format.WROpcode) hdl.Bits {
	is := hdl.K(1, 0)
	for _, op := range ops {
		is = is.Or(c.Opcode.Is(uint64(op)))
	}
	return is
}

// Flag returns one bit: a flag of a WQE, one of format.WRFlagFence and others.
func Flag(c Control, flag int) hdl.Bits { return c.Flags.Bit(hdl.Log2(flag)) }

// completion is the operation that the completion of a WQE names: a SEND of one that the core does not have.
func completion(c Control, s link.Sizes) hdl.Bits {
	wc := hdl.K(3, uint64(format.WCSend))
	for _, of := range []struct {
		code  format.WCOpcode
		ops   []format.WROpcode
		needs link.Feature
	}{
		{format.WCWrite, []format.WROpcode{format.WRWrite, format.WRWriteImm}, 0},
		{format.WCRead, []format.WROpcode{format.WRRead}, 0},
		{format.WCCompSwap, []format.WROpcode{format.WRCompSwap}, link.Atomics},
		{format.WCFetchAdd, []format.WROpcode{format.WRFetchAdd}, link.Atomics},
		{format.WCBindMW, []format.WROpcode{format.WRBindMW}, link.KeyRequests},
		{format.WCLocalInv, []format.WROpcode{format.WRLocalInv}, link.KeyRequests},
		{format.WCRegMR, []format.WROpcode{format.WRRegMR}, link.KeyRequests},
	} {
		if s.Has(of.needs) {
			wc = hdl.Mux(Is(c, of.ops...), hdl.K(3, uint64(of.code)), wc)
		}
	}
	return wc
}

// Operands are those of an atomic, of 128 bits behind the control part: zeros where the core has no atomics.
func Operands(granule hdl.Bits, s link.Sizes) format.AtomicOperands[hdl.Bits] {
	if !s.Has(link.Atomics) {
		granule = granule.K(0)
	}
	return hdl.UnpackLow(format.AtomicOperands[hdl.Bits]{}, granule)
}
