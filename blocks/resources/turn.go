package resources

import (
	"gornic/hdl"
)

// turn is who is looked up: a queue pair that was granted a packet, or that of a duplicate.
type turn struct {
	asks         hdl.Bits // the question is at the port
	waits        hdl.Bits // the answer is waited for
	duplicate    hdl.Bits
	qp           hdl.Bits
	prefersGrant hdl.Bits // the last one was a duplicate
}

// looked is a turn with what matters of its context.
type looked struct {
	QP        hdl.Bits
	Duplicate hdl.Bits `w:"1"`
	QPN       hdl.Bits `w:"24"`
	PD        hdl.Bits `w:"24"`
	PathMTU   hdl.Bits `w:"3"`
}

// packets is how many wait for transmit: those of the turn under way, of the one that is looked up, and others. At 64
// bits there is room for one, and a turn begins when nothing is under way.
func (p Params) packets() int { return p.Sizes.Ahead(4) }

// room returns one bit: there is room for the packets of one more turn.
func (b *block) room() hdl.Bits {
	n := b.p.packets()
	if n == 1 {
		return hdl.AndAll(b.answers.Level.None(), b.reads.Level.None(), b.turn.waits.Not(), b.st.Is(stIdle))
	}
	return hdl.AndAll(b.answers.Level.LtK(uint64(n-1)), b.reads.Level.LtK(uint64(n-1)))
}

// turns chooses whose turn it is, and looks its context up while the turn before is under way.
func (b *block) turns() {
	m, t, port := b.m, b.turn, b.io.Context
	grant := b.waiting.Grant
	begins := port.Reply.Fire()
	free := t.asks.Not().And(t.waits.Not().Or(begins))

	open := hdl.AndAll(grant.Valid, b.room(), b.io.FenceIn.Valid.Not())
	under := t.duplicate.And(t.asks.Or(t.waits)).Or(b.now.Duplicate.And(b.st.Is(stIdle).Not()))
	waits := hdl.AndAll(b.swept, b.io.Request.Valid, b.isDuplicate, under.Not())
	duplicate := hdl.AndAll(free, waits, t.prefersGrant.And(open).Not())
	granted := hdl.AndAll(free, open, duplicate.Not())
	grant.Ready.Set(granted)

	port.Request.Valid.Set(t.asks)
	port.Request.Data.QP.Set(t.qp)
	port.Reply.Ready.Set(t.waits.And(b.st.Is(stIdle)))
	m.If(begins, func() { t.waits.SetK(0) })
	m.If(port.Request.Fire(), func() {
		t.asks.SetK(0)
		t.waits.SetK(1)
	})
	m.If(duplicate.Or(granted), func() {
		t.asks.SetK(1)
		t.duplicate.Set(duplicate)
		t.prefersGrant.Set(duplicate)
		t.qp.Set(hdl.Mux(duplicate, b.io.Request.Data.QP, grant.Data.QP))
	})
	b.io.Paced.QP.Set(t.qp)
	b.paced.Set(b.io.Paced.Waits)
	c := port.Reply.Data.Context
	hdl.UnusedBut(m, port.Reply.Data, c.Exists, c.State, c.QPN, c.PD, c.PathMTU)
	b.look = looked{QP: t.qp, Duplicate: t.duplicate, QPN: c.QPN, PD: c.PD, PathMTU: c.PathMTU}
}

// grantUnderWay returns one bit: a turn that makes a packet is.
func (b *block) grantUnderWay() hdl.Bits {
	t := b.turn
	looks := t.duplicate.Not().And(t.asks.Or(t.waits))
	return looks.Or(b.now.Duplicate.Not().And(b.st.Is(stIdle).Not()))
}
