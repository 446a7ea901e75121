package wqe

import (
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

// TaskOf reads a WQE.
func TaskOf(c Control) Task {
	return Task{
		Send:     Is(c, format.WRSend, format.WRSendImm, format.WRSendInv),
		Read:     Is(c, format.WRRead),
		Atomic:   Is(c, format.WRCompSwap, format.WRFetchAdd),
		FetchAdd: Is(c, format.WRFetchAdd),
		Local:    Is(c, format.WRLocalInv, format.WRRegMR, format.WRBindMW),
		HasImm:   Is(c, format.WRSendImm, format.WRWriteImm),
		HasInv:   Is(c, format.WRSendInv),
		WC:       completion(c),
	}
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

// completion is the operation that the completion of a WQE names.
func completion(c Control) hdl.Bits {
	wc := hdl.K(3, uint64(format.WCSend))
	for _, of := range []struct {
		code format.WCOpcode
		ops  []format.WROpcode
	}{
		{format.WCWrite, []format.WROpcode{format.WRWrite, format.WRWriteImm}},
		{format.WCRead, []format.WROpcode{format.WRRead}},
		{format.WCCompSwap, []format.WROpcode{format.WRCompSwap}},
		{format.WCFetchAdd, []format.WROpcode{format.WRFetchAdd}},
		{format.WCBindMW, []format.WROpcode{format.WRBindMW}},
		{format.WCLocalInv, []format.WROpcode{format.WRLocalInv}},
		{format.WCRegMR, []format.WROpcode{format.WRRegMR}},
	} {
		wc = hdl.Mux(Is(c, of.ops...), hdl.K(3, uint64(of.code)), wc)
	}
	return wc
}
