package requester

import (
	"gornic/blocks/link"
	"gornic/blocks/wqe"
	"gornic/format"
	"gornic/hdl"
)

// A local operation (LOCAL_INV, REG_MR, BIND_MW) is given away, and its queue pair parked: the turn ends, and the WQE
// stays at the head of its queue. The turn behind its KeyOpDone records the outcome.

// keyRequests tells whether the core has local operations.
func (b *block) keyRequests() bool { return b.p.Sizes.Has(link.KeyRequests) }

// outcome is what became of the last local operation of a queue pair.
type outcome struct {
	Known  hdl.Bits `w:"1"` // it has come
	Status hdl.Bits `w:"8"`
	Vendor hdl.Bits `w:"5"`
}

// keepOutcomes keeps the outcome of each queue pair. It is known from its KeyOpDone on, until another operation is given away.
func (b *block) keepOutcomes() {
	m, done := b.m, b.io.KeyOpDone
	b.outcomes = m.LUTRAM("outcomes", 1<<b.p.Sizes.QPBits, hdl.WidthOf(outcome{}))
	b.parks = m.Wire("parks", 1)
	done.Ready.SetK(1)
	came := hdl.Pack(outcome{Known: hdl.K(1, 1), Status: done.Data.Status, Vendor: done.Data.Vendor})
	b.outcomes.Write(hdl.Mux(done.Valid, done.Data.QP, b.saved.QP), done.Valid.Or(b.parks), hdl.Mux(done.Valid, came, came.K(0)))
}

// keyOp gives a local operation away, if the one before it has been taken; else the queue pair waits for that, and
// its turn ends.
func (s *sender) keyOp() {
	m := s.m
	m.If(s.keyHeld, func() {
		s.st.Goto(stWait)
	}).ElseIf(s.parks, func() {
		s.msg.Parked.SetK(1)
		s.leave()
	})
}

// keyOpPort drives KeyOp, of a register.
func (s *sender) keyOpPort() {
	m, io, t := s.m, s.io, s.turn
	if !s.keyRequests() {
		s.parks.SetK(0)
		m.Unused(t.Control.Opcode)
		link.Silence(m, io.KeyOp)
		return
	}
	s.parks.Set(hdl.AndAll(s.st.Is(stKeyOp), s.keyHeld.Not(), io.KeyOpDone.Valid.Not()))
	held := hdl.NewReg(m, "held_op", hdl.Proto(io.KeyOp.Data))
	m.If(io.KeyOp.Fire(), func() { s.keyHeld.SetK(0) })
	m.If(s.parks, func() {
		s.keyHeld.SetK(1)
		c := t.Control
		invalidates := wqe.Is(c, format.WRLocalInv)
		binds := wqe.Is(c, format.WRBindMW)
		kind := func(k uint64) hdl.Bits { return hdl.K(3, k) }
		hdl.Set(held, link.KeyOp{
			QP: t.QP, QPN: t.Context.QPN, PD: t.Context.PD,
			Kind: hdl.Mux(invalidates, kind(link.KeyLocalInv), hdl.Mux(binds, kind(link.KeyBind), kind(link.KeyRegister))),
			Key:  hdl.Mux(invalidates, c.Imm, c.RKey), VA: c.RemoteAddr, Operands: hdl.Cat(hdl.PackLow(s.sge), t.First),
		})
	})
	io.KeyOp.Valid.Set(s.keyHeld)
	hdl.Set(io.KeyOp.Data, held)
	m.Event("key_op", io.KeyOp.Fire(), hdl.Field("qp", held.QP), hdl.Field("kind", held.Kind), hdl.Field("key", held.Key))
}

// settle records the outcome of the local operation at the head.
func (s *sender) settle() {
	s.recordAs(s.turn.Outcome.Status, s.turn.Outcome.Vendor)
}

// settles returns one bit: the record is that of a local operation that has been done.
func (t turn) settles() hdl.Bits { return t.Message.Parked.And(t.Verdict.Flush.Not()) }
