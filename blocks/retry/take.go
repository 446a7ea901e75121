package retry

import (
	"gornic/blocks/link"
	"gornic/hdl"
)

// What an operation does. The first four are kinds of link.Heard.
const (
	opProgress = link.HeardProgress
	opLocal    = link.HeardLocal // also: the first packet has entered the ring
	opRestart  = link.HeardRestart
	opRNR      = link.HeardRNR
	opMarked   = 4
	opResent   = 5
	opFault    = 6
	opClear    = 7
	opSendPSN  = 8
	opTimers   = 9
	opNothing  = 10 // control of other blocks
	opVisit    = 11 // the slot of a queue pair in the wheel has come
	opPay      = 12 // a queue pair tells what it owes
)

// operation is what is worked on.
type operation struct {
	What   hdl.Bits `w:"4"`
	QP     hdl.Bits
	PSN    hdl.Bits `w:"24"`
	Ticks  hdl.Bits `w:"18"` // of an RNR NAK: how long to wait
	Number hdl.Bits `w:"2"`
	Vendor hdl.Bits `w:"5"`
}

// plain is an operation that says no more than for whom.
func plain(what uint64, qp hdl.Bits) operation {
	return operation{
		What: hdl.K(4, what), QP: qp, PSN: hdl.K(24, 0), Ticks: hdl.K(rnrBits, 0), Number: hdl.K(2, 0), Vendor: hdl.K(5, 0),
	}
}

// source is where operations come from.
type source struct {
	valid hdl.Bits
	ready hdl.Bits // to be set, if somebody waits for that
	does  operation
}

// streak is how many operations from outside are taken in a row while some of the block's own work waits.
const streak = 8

// take chooses the next operation: what comes in goes before the block's own work, and rare things
// before frequent ones. It waits in a register until the state of its queue pair can be read.
func (b *block) take() {
	m, w := b.m, b.wheel
	idle := b.st.Is(stTake)
	free := b.waiting.Not()
	row := m.Reg("row", hdl.Log2(streak), 0) // so many in a row were from outside
	due := m.Reg("due", 1, 0)                // too many
	works := b.pays.Or(w.works())
	due.Set(row.All().And(works))

	takes := hdl.K(1, 0)
	word := hdl.Pack(b.next).K(0)
	accept := func(s source) {
		first := s.valid.And(takes.Not())
		takes = takes.Or(s.valid)
		word = word.Or(hdl.Pack(s.does).And(first.Rep(word.Width())))
		if s.ready.Width() > 0 {
			s.ready.Set(first.And(free))
		}
	}
	for _, s := range b.outside(due) {
		accept(s)
	}
	outside := takes
	for _, s := range b.own(idle) {
		accept(s)
	}
	b.turns.Set(hdl.AndAll(idle, free, takes.Not(), w.turnable()))
	m.If(hdl.AndAll(outside, free, row.All().Not()), func() { row.Set(row.AddK(1)) })
	m.If(works.Not().Or(idle.And(free).And(outside.Not())), func() { row.SetK(0) })

	m.If(b.reads, func() { b.waiting.SetK(0) })
	m.If(free, func() {
		b.waiting.Set(takes)
		hdl.Set(b.next, hdl.Unpack(b.next, word))
		b.waits.Set(b.io.Waits.Waits)
	})
	b.io.Waits.QP.Set(w.first.QP)
}

// read reads the state of the queue pair of the next operation, unless it is the one that is being written.
func (b *block) read() {
	m := b.m
	done := hdl.AndAll(b.st.Is(stWrite), b.wheel.relinks.Not(), b.next.QP.Ne(b.now.QP))
	b.reads.Set(b.waiting.And(b.st.Is(stTake).Or(done)))
	m.If(b.reads, func() {
		hdl.Set(b.now, b.next)
		b.present.Set(b.waits)
	})
	b.is = hdl.Unpack(b.to, b.states.Read("state", b.next.QP, b.reads))
	b.wheel.look(b.next.QP, b.reads)
}

// outside lists what comes in, as long as nothing of the block's own is due. Marked, Resent and ResendFault are
// rare. A packet that has started goes before every visit, which could find the deadline of those before it.
func (b *block) outside(due hdl.Bits) []source {
	io, h, f, c := b.io, b.io.Heard.Data, b.io.ResendFault.Data, b.io.Control.Data
	resent := plain(opResent, io.Resent.Data.QP)
	resent.Number = io.Resent.Data.Number
	fault := plain(opFault, f.QP)
	fault.PSN, fault.Vendor = f.PSN, f.Vendor
	heard := plain(0, h.QP)
	heard.What, heard.PSN, heard.Ticks = h.Kind.ZExt(4), h.PSN, b.rnrTicks(h.Code)
	b.m.Unused(h.Cause) // each counts the same
	control := plain(0, c.QP)
	control.PSN = c.PSN
	control.What = b.m.Table("control_does", c.Kind, 4, opClear, opSendPSN, opNothing, opNothing, opTimers, opNothing)
	open := func(valid hdl.Bits) hdl.Bits { return valid.And(due.Not()) }
	return []source{
		{valid: open(io.Marked.Valid), ready: io.Marked.Ready, does: plain(opMarked, io.Marked.Data.QP)},
		{valid: open(io.Resent.Valid), ready: io.Resent.Ready, does: resent},
		{valid: open(io.ResendFault.Valid), ready: io.ResendFault.Ready, does: fault},
		{valid: io.Started.Valid, ready: io.Started.Ready, does: plain(opLocal, io.Started.Data.QP)},
		{valid: open(io.Heard.Valid), ready: io.Heard.Ready, does: heard},
		// What the life that ends has said is taken before the next one begins.
		{valid: open(io.Control.Valid).And(b.silent()), ready: io.Control.Ready, does: control},
	}
}

// own lists what the block does by itself, where it is idle.
func (b *block) own(idle hdl.Bits) []source {
	first := b.wheel.first
	return []source{
		{valid: b.pays.And(idle), ready: b.queue.Ready, does: plain(opPay, b.queue.Data.QP)},
		{valid: first.Any.And(idle), does: plain(opVisit, first.QP)},
	}
}
