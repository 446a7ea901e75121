package wqefetch

import (
	"gornic/blocks/link"
	"gornic/hdl"
)

// answer tells what is at heads, and reads granules.
func (b *block) answer() {
	b.answerHead()
	b.readGranules()
	peeked := b.m.RegN("peeked", 16)
	peeked.Set(b.head.At(b.io.Peek.QP))
	b.io.Peek.Value.Set(peeked)
}

// answerHead looks a question up until it can be answered: at once, unless it waits.
func (b *block) answerHead() {
	m, q := b.m, b.io.Queue
	asked := m.Reg("asked", 1, 0)
	question := hdl.NewReg(m, "question", hdl.Proto(q.Request.Data))
	valid := m.Reg("answer_valid", 1, 0)
	answer := hdl.NewReg(m, "answer", hdl.Proto(q.Head.Data))

	qp := question.QP
	head := b.head.At(qp)
	r := hdl.Unpack(ring{}, b.rings.At(qp))
	m.Unused(r.Page, r.LogSize)
	slot := b.slotOf(head, r.LogStride)
	here, empty := b.here.At(qp).Ne(head), b.producer.At(qp).Eq(head)
	known := hdl.OrAll(here, empty, question.Wait.Not())
	moves := hdl.AndAll(asked, known, valid.Not().Or(q.Head.Ready))

	q.Request.Ready.Set(asked.Not().Or(moves))
	m.Event("head", moves, hdl.Field("qp", qp), hdl.Field("wqe", head), hdl.Field("here", here), hdl.Field("empty", empty))
	m.If(moves, func() { asked.SetK(0) })
	m.If(q.Request.Fire(), func() {
		asked.SetK(1)
		hdl.Set(question, q.Request.Data)
	})
	m.If(q.Head.Fire(), func() { valid.SetK(0) })
	m.If(moves, func() {
		valid.SetK(1)
		hdl.Set(answer, link.Head{Here: here, Empty: empty, Fault: b.faults.At(hdl.Cat(qp, slot)), Index: head, Slot: slot})
	})
	q.Head.Valid.Set(valid)
	hdl.Set(q.Head.Data, answer)
}

// readGranules is a pipeline of the memory's own register and one behind it.
func (b *block) readGranules() {
	m, q := b.m, b.io.Queue
	read := m.Reg("granule_read", 1, 0)
	valid := m.Reg("granule_out_valid", 1, 0)
	out := m.RegN("granule_out", granuleBits)
	moves := valid.Not().Or(q.Granule.Ready)

	q.Read.Ready.Set(read.Not().Or(moves))
	at := b.granuleAt(q.Read.Data.QP, q.Read.Data.Slot, q.Read.Data.Granule)
	word := b.store.Read("granule_word", at, q.Read.Fire())
	m.If(moves, func() {
		read.SetK(0)
		valid.Set(read)
		out.Set(word)
	})
	m.If(q.Read.Fire(), func() { read.SetK(1) })
	q.Granule.Valid.Set(valid)
	q.Granule.Data.Data.Set(out)
}
