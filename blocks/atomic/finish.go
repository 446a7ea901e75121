package atomic

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// finish ends the atomics in their order, those that write when memory has answered.
func (b *block) finish() {
	m, io := b.m, b.io
	answers := stream.FIFO(m, "u_answers", io.Write.Done, b.p.places())
	o := b.outcomes.Data
	owesResult, owesDone := m.Reg("owes_result", 1, 0), m.Reg("owes_done", 1, 0)
	result := hdl.NewReg(m, "finished", b.p.Sizes.AtomicResult())
	waits := stream.Offer(m, io.Result, owesResult, result).Or(stream.Offer(m, io.Done, owesDone, link.QPRef{QP: result.QP}))

	ends := hdl.AndAll(b.outcomes.Valid, waits.Not(), o.Writes.Not().Or(answers.Valid))
	b.outcomes.Ready.Set(ends)
	answers.Ready.Set(ends.And(o.Writes))
	b.cancels.Ready.Set(waits.Not().And(b.outcomes.Valid.Not()))
	b.ends.Set(ends)
	code := func(v format.VendorCode) hdl.Bits { return hdl.K(link.FaultBits, uint64(v)) }
	fault := hdl.Mux(o.Failed, code(format.VendorBusRead),
		hdl.Mux(o.Writes.And(answers.Data.Err), code(format.VendorBusWrite), code(format.VendorNone)))
	m.If(ends, func() {
		b.oldest.Set(b.oldest.AddK(1))
		owesResult.SetK(1)
		owesDone.SetK(1)
		hdl.Set(result, link.AtomicResult{QP: o.QP, Slot: o.Slot, Value: o.Value, Fault: fault})
	})
	m.If(b.cancels.Fire(), func() {
		owesDone.SetK(1)
		result.QP.Set(b.cancels.Data.QP)
	})
	m.Event("atomic_done", ends,
		hdl.Field("qp", o.QP), hdl.Field("addr", hdl.Cat(hdl.Select(b.oldest, b.addrs...), hdl.K(3, 0))),
		hdl.Field("value", o.Value), hdl.Field("fault", fault))
	m.Event("atomic_cancelled", b.cancels.Fire(), hdl.Field("qp", b.cancels.Data.QP))
}
