package dcqcn

import "gornic/hdl"

// slotCycles is how many cycles a slot of the wheel is: a queue pair is woken so much too late at most, while the wheel keeps up.
const slotCycles = 32

// slotsBits is the width of a slot's place in the wheel. A round takes so long that all queue pairs can be looked at in it.
func (p Params) slotsBits() int { return max(4, p.Sizes.QPBits-2) }

// slotNumberBits is the width of a slot's number, as time has it.
func (p Params) slotNumberBits() int { return p.timeBits() - fractionBits - hdl.Log2(slotCycles) }

// slotOf is the slot at whose beginning a time has passed.
func (p Params) slotOf(time hdl.Bits) hdl.Bits {
	return time.Slice(p.timeBits()-1, p.timeBits()-p.slotNumberBits()).AddK(1)
}

// due is a queue pair that waits, and the slot until which it does.
type due struct {
	QP   hdl.Bits
	Slot hdl.Bits
}

// member names the queue pair that is next in a list, if there is one.
type member struct {
	Any hdl.Bits `w:"1"`
	QP  hdl.Bits
}

// wheelStep is what the wheel does.
type wheelStep int

const (
	wheelTake  wheelStep = iota // a queue pair is taken, to wait or of the list; or the next slot
	wheelOpen                   // the list of the slot is here
	wheelJudge                  // the time of the first of the list is here
	wheelAim                    // a queue pair and its slot are known
	wheelWake                   // it is woken; or
	wheelPlace                  // the list of its slot is asked for,
	wheelEnter                  // and it is entered there
)

func (s wheelStep) String() string {
	return [...]string{"take", "open", "judge", "aim", "wake", "place", "enter"}[s]
}

// wheel keeps those who wait: a list for each slot of time to come, the last of them for all that comes later. When a
// slot comes, its list is taken apart: whose time has passed is woken, each other one goes into its slot. So a time that moves on
// while its queue pair waits costs nothing. Between two of a list one that begins to wait is entered.
func (b *block) wheel() {
	m, p, io := b.m, b.p, b.io
	n, number := p.slotsBits(), p.slotNumberBits()
	proto := member{QP: hdl.W(p.Sizes.QPBits)}
	waiting := m.LUTRAM("waiting", 1<<p.Sizes.QPBits, 1) // a bit of each: it is in a list
	heads := m.RAM("heads", 1<<n, hdl.WidthOf(proto), hdl.Undefined)
	nexts := m.RAM("nexts", 1<<p.Sizes.QPBits, hdl.WidthOf(proto), hdl.Undefined)
	for i := range io.Asks {
		io.Asks[i].Waits.Set(waiting.At(io.Asks[i].QP))
	}
	sweep := m.Reg("wheel_sweep", max(p.Sizes.QPBits, n)+1, 0) // after reset nobody waits
	swept := sweep.MSB()
	m.If(swept.Not(), func() { sweep.Set(sweep.AddK(1)) })

	st := hdl.NewFSM(m, "wheel", wheelTake, wheelOpen, wheelJudge, wheelAim, wheelWake, wheelPlace, wheelEnter)
	cursor, list := m.Reg("cursor", number, 0), newMember(m, "list", proto) // the slot that is taken apart, and who of it is left
	qp, slot, place := m.RegN("wheel_qp", p.Sizes.QPBits), m.RegN("wheel_slot", number), m.RegN("place", n)
	entered, leaves := m.Reg("wheel_entered", 1, 0), m.RegN("wheel_leaves", 1) // the last one began to wait; this one comes from the list
	behind := m.Reg("wheel_behind", 1, 0)
	behind.Set(cursor.Ne(b.now.Slice(p.timeBits()-1, p.timeBits()-number)))

	take := st.Is(wheelTake).And(swept)
	enters := hdl.AndAll(take, b.waits.Valid, entered.Not().Or(list.Any.Or(behind).Not()))
	b.waits.Ready.Set(enters)
	b.duesAsked.Set(hdl.AndAll(take, enters.Not(), list.Any))
	b.duesQP.Set(list.QP)
	m.Unused(b.duesTime)
	advances := hdl.AndAll(take, enters.Not(), list.Any.Not(), behind)
	opens := cursor.AddK(1)
	placing := st.Is(wheelPlace)
	head := hdl.Unpack(proto, heads.Read("head", hdl.Mux(placing, place, opens.Trunc(n)), placing.Or(advances)))
	follows := hdl.Unpack(proto, nexts.Read("follows", list.QP, b.duesTaken))

	away := slot.Sub(cursor)
	passed := away.MSB().Or(away.None())
	wakes := hdl.AndAll(st.Is(wheelAim), passed, leaves)
	st.Switch(
		hdl.On(wheelTake, func() {
			m.If(enters, func() {
				entered.SetK(1)
				leaves.SetK(0)
				qp.Set(b.waits.Data.QP)
				slot.Set(b.waits.Data.Slot)
				m.If(waiting.At(b.waits.Data.QP).Not(), func() { st.Goto(wheelAim) })
			}).ElseIf(b.duesTaken, func() {
				entered.SetK(0)
				st.Goto(wheelJudge)
			}).ElseIf(advances, func() {
				entered.SetK(0)
				cursor.Set(opens)
				st.Goto(wheelOpen)
			})
		}),
		hdl.On(wheelOpen, func() {
			hdl.Set(list, head)
			st.Goto(wheelTake)
		}),
		hdl.On(wheelJudge, func() {
			leaves.SetK(1)
			qp.Set(list.QP)
			slot.Set(p.slotOf(b.duesTime))
			hdl.Set(list, follows)
			st.Goto(wheelAim)
		}),
		hdl.On(wheelAim, func() {
			far := away.Slice(number-1, n).Any()
			place.Set(hdl.Mux(passed, opens.Trunc(n), hdl.Mux(far, cursor.SubK(1).Trunc(n), slot.Trunc(n))))
			st.Goto(wheelPlace)
			m.If(wakes, func() { st.Goto(wheelWake) })
		}),
		hdl.On(wheelWake, func() { m.If(io.Wake.Ready, func() { st.Goto(wheelTake) }) }),
		hdl.On(wheelPlace, func() { st.Goto(wheelEnter) }),
		hdl.On(wheelEnter, func() { st.Goto(wheelTake) }),
	)
	io.Wake.Valid.Set(st.Is(wheelWake))
	io.Wake.Data.QP.Set(qp)

	places := st.Is(wheelEnter)
	waiting.Write(hdl.Mux(swept, qp, sweep.Trunc(p.Sizes.QPBits)), hdl.OrAll(swept.Not(), places, wakes), places)
	nexts.Write(qp, places, hdl.Pack(head))
	at := hdl.Mux(places, place, cursor.Trunc(n))
	heads.Write(hdl.Mux(swept, at, sweep.Trunc(n)), hdl.OrAll(swept.Not(), places, st.Is(wheelOpen)), hdl.Pack(member{Any: places, QP: qp}))
	b.follow.enters, b.follow.wakes, b.follow.qp = places.And(leaves.Not()), wakes, qp
	b.follow.judges = st.Is(wheelJudge)
	m.Event("waits", places.And(leaves.Not()), hdl.Field("qp", qp))
	m.Event("woken", io.Wake.Fire(), hdl.Field("qp", qp))
}

// newMember is the register of a list, which is empty after reset.
func newMember(m *hdl.Module, name string, proto member) member {
	return member{Any: m.Reg(name+"_any", 1, 0), QP: m.RegN(name+"_qp", proto.QP.Width())}
}
