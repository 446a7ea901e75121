package cqewriter

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// retire says what has become of CQEs, in order, each when memory has answered.
func (b *block) retire() {
	m, io, head := b.m, b.io, b.flights.Out
	answers := hdl.Instance(m, "u_answers", stream.FIFODef(link.WriteDone{}, outstanding))
	hdl.Connect(answers.In, io.Write.Done)
	m.Unused(answers.Level, answers.HighWater)
	m.Assert("answers_have_room", io.Write.Done.Ready.Or(io.Write.Done.Valid.Not()))

	now := hdl.NewReg(m, "retired", b.p.flight())
	vendor := m.RegN("retired_vendor", hdl.Proto(io.Async.Data).Vendor.Width())
	written, lost, failure := m.Reg("owes_written", 1, 0), m.Reg("owes_fault", 1, 0), m.Reg("owes_event", 1, 0)

	// First it is known that memory has answered, then whether its queue has failed.
	takes := hdl.AndAll(head.Valid, b.retires.Not(), head.Data.Lost.Or(answers.Out.Valid))
	head.Ready.Set(takes)
	answers.Out.Ready.Set(takes.And(head.Data.Lost.Not()))
	judged := m.Reg("retire_judged", 1, 0)
	refused := m.RegN("retired_refused", 1) // memory's answer is an error
	m.If(takes, func() {
		b.retires.SetK(1)
		judged.SetK(0)
		hdl.Set(now, head.Data)
		refused.Set(answers.Out.Data.Err)
		vendor.Set(hdl.Mux(head.Data.Lost, vendor.K(uint64(format.VendorCQOverflow)), vendor.K(uint64(format.VendorBusWrite))))
	})

	judges := b.retires.And(judged.Not())
	failed := b.failed.At(now.CQ)
	bad := hdl.OrAll(now.Lost, refused, failed)
	first := hdl.AndAll(bad, failed.Not(), now.Nowhere.Not())
	b.set(b.failed, now.CQ, judges.And(first), hdl.K(1, 1))
	m.If(judges, func() {
		judged.SetK(1)
		written.Set(bad.Not())
		lost.Set(bad)
		failure.Set(first)
	})
	wake := b.faults.Wakes[0]
	owed := hdl.OrAll(
		stream.Offer(m, io.Written, written, link.Written{CQ: now.CQ, Producer: now.Producer, Solicited: now.Solicited}),
		stream.Offer(m, wake, lost, link.QPRef{QP: now.QP}),
		stream.Offer(m, io.Async, failure, link.Async{
			Code: hdl.K(8, uint64(format.EventCQErr)), Vendor: vendor, Number: now.CQ.ZExt(24),
		}))
	m.If(hdl.AndAll(b.retires, judged, owed.Not()), func() { b.retires.SetK(0) })
	m.Event("cqe_in_memory", io.Written.Fire(), hdl.Field("cq", now.CQ), hdl.Field("producer", now.Producer))
	b.fault()
}

// fault tells of queue pairs that lost a CQE.
func (b *block) fault() {
	hdl.Connect(b.io.Fault, stream.Map(b.faults.Grant, func(q link.QPRef) link.QPFault {
		return link.QPFault{
			QP: q.QP, HasEvent: hdl.K(1, 1), Event: hdl.K(8, uint64(format.EventQPFatal)),
			Vendor: hdl.K(b.io.Fault.Data.Vendor.Width(), uint64(format.VendorCQOverflow)),
		}
	}))
}
