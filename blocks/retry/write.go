package retry

import (
	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// lutDepth is the largest queue that is kept in LUT RAM.
const lutDepth = 64

// newQueue is the queue of queue pairs that owe something: it has room for all.
func newQueue(m *hdl.Module, s link.Sizes, enters hdl.Stream[link.QPRef]) hdl.Stream[link.QPRef] {
	depth := 1 << s.QPBits
	if depth > lutDepth {
		return stream.BlockFIFO(m, "u_owing", enters, depth)
	}
	return stream.FIFO(m, "u_owing", enters, depth)
}

// write writes the state, and enters its queue pair in the queue of those that owe. A mark
// that is owed while one is out waits until that one comes back.
func (b *block) write() {
	m, to := b.m, b.to
	writing, sweeps := b.st.Is(stWrite), b.st.Is(stSweep)
	o := to.Owes
	joins := hdl.OrAll(o.Resend, o.Failure, o.Wake, o.Mark.And(to.MarkOut.Not()))
	b.enters.Valid.Set(hdl.AndAll(writing, joins, to.Queued.Not()))
	b.enters.Data.QP.Set(b.now.QP)
	m.Unused(b.enters.Ready)

	word := to
	word.Queued = to.Queued.Or(joins)
	word.Listed = to.Listed.Or(b.wheel.wants)
	word.Slot = hdl.Mux(b.wheel.relinks, b.wheel.slot.Add(b.wheel.ahead), to.Slot)
	at := hdl.Mux(sweeps, b.sweep.Trunc(b.p.Sizes.QPBits), b.now.QP)
	data := hdl.Pack(word)
	b.states.Write(at, writing.Or(sweeps), hdl.Mux(sweeps, data.K(0), data))
	b.held.Write(at, writing.Or(sweeps), hdl.Mux(sweeps, hdl.K(1, 0), held(to.Phase)))
	b.io.Held.Held.Set(b.held.At(b.io.Held.QP))
}

// payment is what a queue pair tells, until all of it has been taken.
type payment struct {
	mark, resend, failure, wake hdl.Bits // is offered

	qp, psn, stop, number, status, vendor hdl.Bits
}

func newPayment(m *hdl.Module, s link.Sizes) payment {
	return payment{
		mark: m.Reg("mark_owed", 1, 0), resend: m.Reg("resend_owed", 1, 0), failure: m.Reg("failure_owed", 1, 0), wake: m.Reg("wake_owed", 1, 0),
		qp: m.RegN("payer", s.QPBits), psn: m.RegN("paid_psn", 24), stop: m.RegN("paid_stop", 1), number: m.RegN("paid_number", 2),
		status: m.RegN("paid_status", 4), vendor: m.RegN("paid_vendor", 5),
	}
}

// silent returns one bit: neither a Resend nor a SendFailure is offered, or about to be.
func (b *block) silent() hdl.Bits {
	paying := b.st.Is(stDecide).And(b.now.What.Is(opPay))
	return hdl.OrAll(b.out.resend, b.out.failure, paying).Not()
}

// pay offers what is told. Who is next pays when all of it has been taken.
func (b *block) pay() {
	m, io, o := b.m, b.io, b.out
	waits := hdl.OrAll(
		stream.Offer(m, io.Mark, o.mark, link.QPRef{QP: o.qp}),
		stream.Offer(m, io.Resend, o.resend, link.Resend{QP: o.qp, Stop: o.stop, Number: o.number, PSN: o.psn}),
		stream.Offer(m, io.Failure, o.failure, link.SendFailure{QP: o.qp, PSN: o.psn, Status: o.status.ZExt(8), Vendor: o.vendor}),
		stream.Offer(m, io.Wake, o.wake, link.QPRef{QP: o.qp}),
	)
	b.pays.Set(b.queue.Valid.And(waits.Not()))
	timedOut := m.Reg("timed_out", 1, 0)
	timedOut.Set(b.st.Is(stDecide).And(b.timedOut()))
	io.Timeout.Set(timedOut)
}

// paid takes what the queue pair owes, as it is now: no more than the last Resend is told of, and
// no failure that progress has overtaken.
func (b *block) paid() {
	is, to, o := b.is, b.to, b.out
	again := is.Owes.Mark.And(is.MarkOut)
	marks := is.Owes.Mark.And(is.MarkOut.Not())
	hdl.Set(to.Owes, owed{Mark: again, Resend: is.Owes.Resend.K(0), Failure: is.Owes.Failure.K(0), Wake: is.Owes.Wake.K(0)})
	to.Queued.SetK(0)
	to.MarkOut.Set(is.MarkOut.Or(marks))
	sends := is.Owes.Resend.And(b.in(phaseSending))
	to.Untold.Set(is.Untold.And(sends.Not()))
	o.mark.Set(marks)
	o.resend.Set(is.Owes.Resend)
	o.failure.Set(is.Owes.Failure)
	o.wake.Set(is.Owes.Wake)
	o.qp.Set(b.now.QP)
	o.psn.Set(is.PSN)
	o.stop.Set(sends.Not())
	o.number.Set(is.Number)
	o.status.Set(is.Status)
	o.vendor.Set(is.Vendor)
}
