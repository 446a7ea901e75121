package requester

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
)

// task is what a WQE asks for: a WRITE, if none of the kinds below.
type task struct {
	Send    hdl.Bits `w:"1"` // any SEND
	Read    hdl.Bits `w:"1"`
	Atomic  hdl.Bits `w:"1"`
	Local   hdl.Bits `w:"1"` // LOCAL_INV, REG_MR or BIND_MW
	Imm     hdl.Bits `w:"1"` // with immediate
	Inv     hdl.Bits `w:"1"` // with invalidate
	WC      hdl.Bits `w:"3"` // format.WCOpcode
	Refusal hdl.Bits `w:"5"` // why it cannot be, with status LOC_QP_OP: a format.VendorCode; else 0
}

// isOp returns one bit: the operation of a WQE is one of ops.
func isOp(c format.SendControl[hdl.Bits], ops ...format.WROpcode) hdl.Bits {
	is := hdl.K(1, 0)
	for _, op := range ops {
		is = is.Or(c.Opcode.Is(uint64(op)))
	}
	return is
}

// flag is a flag of a WQE.
func flag(c format.SendControl[hdl.Bits], bit int) hdl.Bits { return c.Flags.Bit(hdl.Log2(bit)) }

// taskOf reads a WQE.
func taskOf(c format.SendControl[hdl.Bits], head link.Head, context link.Context) task {
	t := task{
		Send:   isOp(c, format.WRSend, format.WRSendImm, format.WRSendInv),
		Read:   isOp(c, format.WRRead),
		Atomic: isOp(c, format.WRCompSwap, format.WRFetchAdd),
		Local:  isOp(c, format.WRLocalInv, format.WRRegMR, format.WRBindMW),
		Imm:    isOp(c, format.WRSendImm, format.WRWriteImm),
		Inv:    isOp(c, format.WRSendInv),
		WC:     completion(c),
	}
	t.Refusal = t.refusal(c, head, context)
	return t
}

// completion is the operation that the completion of a WQE names.
func completion(c format.SendControl[hdl.Bits]) hdl.Bits {
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
		wc = hdl.Mux(isOp(c, of.ops...), hdl.K(3, uint64(of.code)), wc)
	}
	return wc
}

// refusal is the reason for which a WQE cannot be, or 0. Of several the first counts: it
// could not be read, operation, SGEs.
func (t task) refusal(c format.SendControl[hdl.Bits], head link.Head, context link.Context) hdl.Bits {
	plain := isOp(c, format.WRWrite, format.WRWriteImm).Or(t.Send)
	known := hdl.OrAll(plain, t.Read, t.Atomic, t.Local)
	vendor := hdl.K(link.FaultBits, uint64(format.VendorNone))
	for _, reason := range []struct {
		is     hdl.Bits
		vendor format.VendorCode
	}{
		{t.tooMany(c, plain, context.SQStride), format.VendorBadSGECount},
		{known.Not(), format.VendorBadOpcode},
		{head.Fault, format.VendorWQERead},
	} {
		vendor = hdl.Mux(reason.is, hdl.K(link.FaultBits, uint64(reason.vendor)), vendor)
	}
	return vendor
}

// tooMany returns one bit: the WQE has other SGEs or inline data than its operation takes, or
// more than its slot holds.
func (t task) tooMany(c format.SendControl[hdl.Bits], plain, wide hdl.Bits) hdl.Bits {
	most := func(n func(logStride int) int) hdl.Bits {
		return hdl.Mux(wide, hdl.K(8, uint64(n(1))), hdl.K(8, uint64(n(0))))
	}
	sges := hdl.OrAll(
		c.NumSGE.Gt(most(format.SendSGEs)),
		t.Atomic.And(c.NumSGE.IsNot(1)))
	inline := hdl.OrAll(plain.Not(), c.NumSGE.Any(), c.InlineLen.Gt(most(format.InlineMax)))
	return t.Local.Not().And(hdl.Mux(flag(c, format.WRFlagInline), inline, sges)) // one that is local has operands, and takes nothing else
}
