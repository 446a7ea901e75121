package requester

import (
	"gornic/blocks/link"
	"gornic/blocks/wqe"
	"gornic/format"
	"gornic/hdl"
)

// refusal is the reason for which a WQE cannot be, with status LOC_QP_OP: a format.VendorCode, or 0. Of several the
// first counts: it could not be read, operation, SGEs.
func refusal(t wqe.Task, c wqe.Control, head link.Head, context link.Context) hdl.Bits {
	plain := wqe.Is(c, format.WRWrite, format.WRWriteImm).Or(t.Send)
	known := hdl.OrAll(plain, t.Asks(), t.Local)
	vendor := hdl.K(link.FaultBits, uint64(format.VendorNone))
	for _, reason := range []struct {
		is     hdl.Bits
		vendor format.VendorCode
	}{
		{tooMany(t, c, plain, context.SQStride), format.VendorBadSGECount},
		{known.Not(), format.VendorBadOpcode},
		{head.Fault, format.VendorWQERead},
	} {
		vendor = hdl.Mux(reason.is, hdl.K(link.FaultBits, uint64(reason.vendor)), vendor)
	}
	return vendor
}

// tooMany returns one bit: the WQE has other SGEs or inline data than its operation takes, or
// more than its slot holds.
func tooMany(t wqe.Task, c wqe.Control, plain, wide hdl.Bits) hdl.Bits {
	most := func(n func(logStride int) int) hdl.Bits {
		return hdl.Mux(wide, hdl.K(8, uint64(n(1))), hdl.K(8, uint64(n(0))))
	}
	sges := hdl.OrAll(
		c.NumSGE.Gt(most(format.SendSGEs)),
		t.Atomic.And(c.NumSGE.IsNot(1)))
	inline := hdl.OrAll(plain.Not(), c.NumSGE.Any(), c.InlineLen.Gt(most(format.InlineMax)))
	return t.Local.Not().And(hdl.Mux(wqe.Flag(c, format.WRFlagInline), inline, sges)) // one that is local has operands, and takes nothing else
}
