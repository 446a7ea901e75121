package dcqcn

import (
	"gornic/hdl"
	"gornic/hdl/stream"
)

// price multiplies the bytes of each packet by the period of its queue pair, in three stages. Packets of queue pairs that are not slowed
// down leave the block here.
func (b *block) price() {
	m, p, sent := b.m, b.p, b.io.Sent
	periods := m.RAM("periods", 1<<p.Sizes.QPBits, periodBits, hdl.Undefined)
	periods.Write(b.sets.qp, b.sets.en, b.sets.period)

	out := hdl.NewStream(m, "price", charge{QP: hdl.W(p.Sizes.QPBits), Cost: hdl.W(p.costBits())})
	var valid, qp, size [3]hdl.Bits
	for i := range valid {
		n := string(rune('1' + i))
		valid[i], qp[i], size[i] = m.Reg("price_valid_"+n, 1, 0), m.RegN("price_qp_"+n, p.Sizes.QPBits), m.RegN("price_bytes_"+n, chargeBits)
	}
	slowed := m.RegN("price_slowed", 1)
	goes := valid[2].Not().Or(out.Ready)
	sent.Ready.Set(goes.And(b.sets.en.Not()))
	period := periods.Read("period", sent.Data.QP, sent.Fire())
	low, high, whole := m.RegN("product_low", 16+chargeBits), m.RegN("product_high", 16+chargeBits), m.RegN("product", periodBits+chargeBits)
	m.If(goes, func() {
		valid[0].Set(sent.Fire())
		qp[0].Set(sent.Data.QP)
		size[0].Set(sent.Data.Bytes.AddK(headers))
		valid[1].Set(valid[0])
		qp[1].Set(qp[0])
		size[1].Set(size[0])
		slowed.Set(period.Any())
		low.Set(period.Slice(15, 0).Mul(size[0]))
		high.Set(period.Slice(31, 16).Mul(size[0]))
		valid[2].Set(valid[1].And(slowed))
		qp[2].Set(qp[1])
		size[2].Set(size[1])
		whole.Set(hdl.Cat(high, hdl.K(16, 0)).Add(low.ZExt(periodBits + chargeBits)))
	})
	out.Valid.Set(valid[2])
	cost := whole.Slice(whole.Width()-1, whole.Width()-p.costBits())
	m.Unused(whole.Trunc(whole.Width() - p.costBits()))
	hdl.Set(out.Data, charge{QP: qp[2], Bytes: size[2], Cost: cost})
	b.priced = stream.FIFO(m, "u_priced", out, 4)
}

// pace is what is kept of a queue pair that has been slowed down.
type pace struct {
	Next  hdl.Bits // when it may send
	Count hdl.Bits `w:"28"` // bytes sent, modulo 2^28
}

// paceStep is where charge is with a queue pair.
type paceStep int

const (
	paceTake paceStep = iota
	paceRead
	paceWrite
)

func (s paceStep) String() string { return [...]string{"take", "read", "write"}[s] }

// charge moves the time at which a queue pair may send on, by the price of each packet: from the present, if it was
// idle, or a little before, if it was late. What the rates ask for is a packet of no bytes, and goes in turn
// with the others.
func (b *block) charge() {
	m, p := b.m, b.p
	t := p.timeBits()
	paces := m.RAM("paces", 1<<p.Sizes.QPBits, t+countBits, hdl.Undefined)
	st := hdl.NewFSM(m, "pace", paceTake, paceRead, paceWrite)
	asked := m.Reg("pace_asked", 1, 0) // the last one was asked for
	now := hdl.NewReg(m, "charged", b.priced.Data)
	begins := m.RegN("pace_begins", 1)
	owes := m.Reg("owes_wait", 1, 0) // the queue pair before has to wait, which has not been taken

	free := st.Is(paceTake)
	mine := b.looks.Valid.And(asked.Not().Or(b.priced.Valid.Not()))
	b.looks.Ready.Set(free.And(mine))
	b.priced.Ready.Set(free.And(mine.Not()))
	takes := b.looks.Fire().Or(b.priced.Fire())
	qp := hdl.Mux(mine, b.looks.Data.QP, b.priced.Data.QP)
	b.duesTaken.Set(hdl.AndAll(b.duesAsked, takes.Not(), st.Is(paceWrite).Not()))
	was := hdl.Unpack(pace{Next: hdl.W(t)}, paces.Read("paced", hdl.Mux(takes, qp, b.duesQP), takes.Or(b.duesTaken)))
	b.duesTime.Set(was.Next)
	m.If(takes, func() {
		st.Goto(paceRead)
		asked.Set(mine)
		begins.Set(mine.And(b.looks.Data.Begins))
		now.QP.Set(qp)
		now.Bytes.Set(hdl.Mux(mine, now.Bytes.K(0), b.priced.Data.Bytes))
		now.Cost.Set(hdl.Mux(mine, now.Cost.K(0), b.priced.Data.Cost))
	})

	// A debt that is far beyond all that can be on its way is let be.
	floor, base, count, deep := m.RegN("floor", t), m.RegN("pace_base", t), m.RegN("pace_count", countBits), m.RegN("pace_deep", 1)
	floor.Set(b.now.SubK(uint64(p.slack()) << fractionBits))
	debt := was.Next.Sub(b.now)
	m.If(st.Is(paceRead), func() {
		base.Set(hdl.Mux(begins, b.now, hdl.Mux(was.Next.Sub(floor).MSB(), floor, was.Next)))
		deep.Set(hdl.AndAll(debt.MSB().Not(), debt.Bit(t-2), begins.Not()))
		count.Set(hdl.Mux(begins, was.Count.K(0), was.Count.Add(now.Bytes.ZExt(countBits))))
		st.Goto(paceWrite)
	})
	m.Unused(debt)
	next := base.Add(hdl.Mux(deep, now.Cost.K(0), now.Cost).ZExt(t))
	writes := st.Is(paceWrite).And(owes.Not())
	m.If(writes, func() { st.Goto(paceTake) })
	paces.Write(now.QP, writes, hdl.Pack(pace{Next: next, Count: count}))
	b.looked.Set(writes.And(asked))
	b.count.Set(count)
	b.hold(writes, owes, next, now.QP)
}

// hold has a queue pair wait whose time has not come when it has been written.
func (b *block) hold(writes, owes, next, qp hdl.Bits) {
	m, t := b.m, b.p.timeBits()
	fresh, at, who := m.Reg("hold_fresh", 1, 0), m.RegN("hold_at", t), m.RegN("hold_who", b.p.Sizes.QPBits)
	fresh.Set(writes)
	m.If(writes, func() {
		at.Set(next)
		who.Set(qp)
	})
	rest := at.Sub(b.now)
	offers := hdl.NewStream(m, "hold", b.waits.Data)
	m.Unused(stream.Offer(m, offers, owes, due{QP: who, Slot: b.p.slotOf(at)}))
	m.If(fresh, func() { owes.Set(rest.MSB().Not().And(rest.Any())) })
	hdl.Connect(b.waits, stream.FIFO(m, "u_waits", offers, 4))
}
