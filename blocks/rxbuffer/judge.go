package rxbuffer

import (
	"gornic/format"
	"gornic/hdl"
)

// entry is a status that waits for the verdict of the ICRC.
type entry struct {
	Reason hdl.Bits
	Packet hdl.Bits
	Kept   hdl.Bits
}

func newEntry() entry { return entry{hdl.W(format.ReasonBits), hdl.W(1), hdl.W(1)} }

// judge joins each status with the ICRC's verdict, and reports the frame a cycle
// later.
func (b *buffer) judge() {
	m, io := b.m, b.io
	slots := hdl.Log2(waiting)
	b.queue.Write(b.last.Trunc(slots), b.takes, hdl.Pack(entry{io.Status.Data.Reason, io.Status.Data.Packet, b.keep}))
	b.queueFull.Set(full(b.first, b.last, waiting))
	m.If(b.takes, func() {
		b.last.Set(b.last.AddK(1))
		b.queueFull.Set(full(b.first, b.last.AddK(1), waiting))
	})
	io.Verdict.Ready.Set(b.first.Ne(b.last))

	judged := m.Reg("judged", 1, 0)
	e := hdl.NewReg(m, "judged", newEntry())
	good := m.RegN("judged_good", 1)
	judged.Set(io.Verdict.Fire())
	m.If(io.Verdict.Fire(), func() {
		b.first.Set(b.first.AddK(1))
		hdl.Set(e, hdl.Unpack(newEntry(), b.queue.At(b.first.Trunc(slots))))
		good.Set(io.Verdict.Data.Good)
	})
	b.release(judged.And(e.Kept), good)

	code := func(r format.Reason) hdl.Bits { return hdl.K(format.ReasonBits, uint64(r)) }
	room := hdl.Mux(e.Kept, code(format.ReasonOK), code(format.ReasonBufferFull))
	reason := m.Wire("reason", format.ReasonBits)
	reason.Set(hdl.Mux(e.Reason.IsNot(uint64(format.ReasonOK)), e.Reason, hdl.Mux(good, room, code(format.ReasonICRC))))
	io.Report.Valid.Set(judged)
	io.Report.Reason.Set(reason)
	io.Report.ICRC.Set(hdl.Mux(e.Packet, hdl.Mux(good, hdl.K(2, ICRCGood), hdl.K(2, ICRCBad)), hdl.K(2, ICRCAbsent)))
	b.count(judged, reason)
}

// release gives a kept frame that was judged to the reader, which passes over a
// bad one. A bad frame that nothing came behind is forgotten instead. That there is
// a kept frame to be judged is looked at, although the queue knows: so the pointers
// are safe, and proved to be, whatever is in the queue.
func (b *buffer) release(judged, good hdl.Bits) {
	m := b.m
	judges := judged.And(b.next.Ne(b.free))
	quiet := hdl.OrAll(b.arrives, b.partly, b.io.Status.Valid).Not()
	b.goBack.Set(hdl.AndAll(judges, good.Not(), b.next.Eq(b.filled), quiet))
	b.bad.Write(b.next.Trunc(b.bad.AddrWidth()), judges, good.Not())
	m.If(judges.And(b.goBack.Not()), func() { b.next.Set(b.next.AddK(1)) })
}

// count counts the reports.
func (b *buffer) count(valid, reason hdl.Bits) {
	m, io := b.m, b.io
	counter := func(name string, when, out hdl.Bits) {
		c := m.Reg(name, CounterBits, 0)
		m.If(valid.And(when), func() { c.Set(c.AddK(1)) })
		out.Set(c)
	}
	isFull := reason.Is(uint64(format.ReasonBufferFull))
	counter("count_stored", reason.Is(uint64(format.ReasonOK)), io.Stored)
	counter("count_full", isFull, io.Full)
	counter("count_refused", reason.GeK(uint64(format.ReasonBadFrame)).And(isFull.Not()), io.Refused)
}
