package retry

import "gornic/hdl"

// wheel is the lists of queue pairs whose deadlines are looked at, one for each slot: the present
// one, and those of the ticks to come. A deadline beyond the last slot is looked at earlier.
//
// A list is linked both ways, so that a queue pair can leave it when its deadline moves to an
// earlier tick. The list of the present slot is not: first and those behind it are visited, one
// after another, and none enters or leaves it otherwise.
type wheel struct {
	bits int // of the number of a slot

	heads, nexts *hdl.Memory // entry
	prevs        *hdl.Memory // who is before a queue pair; of the first of a list nothing

	slot   hdl.Bits // the present one
	behind hdl.Bits // ticks that have passed and not been turned to; it stops at its greatest value
	first  entry    // that is visited next

	// The operation at hand, in stWrite:
	wants hdl.Bits // the queue pair has to stand in the wheel,
	ahead hdl.Bits // so many slots ahead or fewer, 1 at least
	left  hdl.Bits // slots ahead at which it stands
	found entry    // who is behind it in its list,
	prev  hdl.Bits // and before it

	relinks hdl.Bits // it changes lists
	target  hdl.Bits // the slot that it enters
}

// entry is a queue pair, or none.
type entry struct {
	Any hdl.Bits `w:"1"`
	QP  hdl.Bits
}

func newWheel(m *hdl.Module, p Params) *wheel {
	qpBits, bits := p.Sizes.QPBits, p.slotBits()
	proto := entry{QP: hdl.W(qpBits)}
	return &wheel{
		bits:  bits,
		heads: m.RAM("heads", p.Slots, 1+qpBits, hdl.Undefined), nexts: m.RAM("nexts", 1<<qpBits, 1+qpBits, hdl.Undefined),
		prevs: m.RAM("prevs", 1<<qpBits, qpBits, hdl.Undefined),
		slot:  m.Reg("slot", bits, 0), behind: m.Reg("behind", bits, 0), first: entry{Any: m.Reg("first_any", 1, 0), QP: m.RegN("first_qp", qpBits)},
		wants: m.RegN("wants", 1), ahead: m.RegN("ahead", bits), left: m.RegN("left", bits), found: hdl.Proto(proto),
		relinks: m.Wire("relinks", 1), target: m.RegN("target", bits),
	}
}

// works returns one bit: a visit is to be made, or the wheel to turn.
func (w *wheel) works() hdl.Bits { return w.first.Any.Or(w.behind.Any()) }

// turnable returns one bit: all of the present slot have been visited, and another one has come.
func (w *wheel) turnable() hdl.Bits { return w.first.Any.Not().And(w.behind.Any()) }

// look reads who stands beside a queue pair.
func (w *wheel) look(qp, en hdl.Bits) {
	w.found = hdl.Unpack(w.found, w.nexts.Read("next_of", qp, en))
	w.prev = w.prevs.Read("prev_of", qp, en)
}

// within limits a number of ticks, 1 at least, to the slots that there are.
func (w *wheel) within(ticks hdl.Bits) hdl.Bits {
	return ticks.Trunc(w.bits).Or(ticks.Slice(ticks.Width()-1, w.bits).Any().Rep(w.bits))
}

// turn turns the wheel, and finds where the queue pair at hand goes.
func (b *block) turn() {
	m, w := b.m, b.wheel
	following := w.slot.AddK(1)
	m.If(b.turns, func() { w.slot.Set(following) })
	m.If(hdl.AndAll(b.ticks, b.turns.Not(), w.behind.All().Not()), func() { w.behind.Set(w.behind.AddK(1)) })
	m.If(b.turns.And(b.ticks.Not()), func() { w.behind.Set(w.behind.SubK(1)) })

	writing, unlinking := b.st.Is(stWrite), b.st.Is(stUnlink)
	w.relinks.Set(w.wants.And(b.to.Listed.Not().Or(w.ahead.Lt(w.left))))
	to := w.slot.Add(w.ahead)
	m.If(writing, func() { w.target.Set(to) })
	m.If(writing.And(b.now.What.Is(opVisit)), func() { hdl.Set(w.first, w.found) })

	at := hdl.Mux(unlinking, w.target, following)
	at = hdl.Mux(writing, hdl.Mux(b.to.Listed, b.to.Slot, to), at)
	head := w.heads.Read("head", at, hdl.OrAll(b.turns, writing.And(w.relinks), unlinking))
	b.link(hdl.Unpack(w.first, head))
}

// link takes the queue pair at hand out of a list, or enters it at the head of one, or takes all of the list of
// the present slot. head is the first in that list.
func (b *block) link(head entry) {
	m, w, qp := b.m, b.wheel, b.now.QP
	sweeps, unlinking, entering, turning := b.st.Is(stSweep), b.st.Is(stUnlink), b.st.Is(stEnter), b.st.Is(stTurn)
	m.If(turning, func() { hdl.Set(w.first, head) })
	leads := head.QP.Eq(qp) // nobody is before it

	self := hdl.Pack(entry{Any: hdl.K(1, 1), QP: qp})
	at := hdl.Mux(turning, w.slot, hdl.Mux(unlinking, b.to.Slot, w.target))
	to := hdl.Mux(turning, self.K(0), hdl.Mux(unlinking, hdl.Pack(w.found), self))
	w.heads.Write(hdl.Mux(sweeps, b.sweep.Trunc(w.bits), at), hdl.OrAll(sweeps, turning, entering, unlinking.And(leads)),
		hdl.Mux(sweeps, to.K(0), to))
	w.nexts.Write(hdl.Mux(unlinking, w.prev, qp), entering.Or(unlinking.And(leads.Not())), hdl.Mux(unlinking, hdl.Pack(w.found), hdl.Pack(head)))
	w.prevs.Write(hdl.Mux(unlinking, w.found.QP, head.QP), hdl.Mux(unlinking, w.found.Any, entering.And(head.Any)), hdl.Mux(unlinking, w.prev, qp))
}
