package command

import (
	"gornic/format"
	"gornic/hdl"
)

// userBits is the width of a number of users: more than there are queue pairs,
// each of which uses a completion queue twice at most.
const userBits = 18

// eqEntry is what is known of an event queue.
type eqEntry struct {
	Exists hdl.Bits `w:"1"`
	Users  hdl.Bits `w:"18"` // completion queues
}

// cqEntry is what is known of a completion queue.
type cqEntry struct {
	Exists hdl.Bits `w:"1"`
	Users  hdl.Bits `w:"18"` // queue pairs, once for each of their queues
	EQ     hdl.Bits
}

// tables are the queues that exist, and the entries that the command is about.
type tables struct {
	cqs, eqs *hdl.Memory
	swept    hdl.Bits
	sweep    hdl.Bits

	cqAt, secondAt, eqAt hdl.Bits // indices of the entries
	cq, second           cqEntry  // the queue itself, or a queue pair's for sends; and for receives
	eq                   eqEntry

	was standing // of them a cycle before, which a command is judged by
}

// standing is whether queues exist, and whether somebody uses them.
type standing struct {
	CQ     hdl.Bits `w:"1"`
	CQUsed hdl.Bits `w:"1"`
	Second hdl.Bits `w:"1"`
	EQ     hdl.Bits `w:"1"`
	EQUsed hdl.Bits `w:"1"`
}

func newTables(b *block) *tables {
	m, s, in := b.m, b.p.Sizes, b.in
	bits := max(s.CQBits, s.EQBits)
	count := m.Reg("sweep", bits+1, 0)
	t := &tables{
		cqs: m.LUTRAM("cqs", 1<<s.CQBits, hdl.WidthOf(cqEntry{EQ: hdl.W(s.EQBits)})), eqs: m.LUTRAM("eqs", 1<<s.EQBits, hdl.WidthOf(eqEntry{})),
		swept: count.MSB(), sweep: count.Trunc(bits),
	}
	m.If(t.swept.Not(), func() { count.Set(count.AddK(1)) })

	creates, destroys := in.is(format.CmdCreateQP), in.is(format.CmdDestroyQP)
	choose := func(create, found, other hdl.Bits) hdl.Bits {
		return hdl.Mux(creates, create.Trunc(s.CQBits), hdl.Mux(destroys, found, other.Trunc(s.CQBits)))
	}
	t.cqAt = choose(in.createQP.SendCQ, b.found.Context.SendCQ, in.number)
	t.secondAt = choose(in.createQP.RecvCQ, b.found.Context.RecvCQ, in.number)
	entry := func(at hdl.Bits) cqEntry { return hdl.Unpack(cqEntry{EQ: hdl.W(s.EQBits)}, t.cqs.At(at)) }
	t.cq, t.second = entry(t.cqAt), entry(t.secondAt)
	t.eqAt = hdl.Mux(in.is(format.CmdCreateCQ), in.createCQ.EQN.Trunc(s.EQBits), hdl.Mux(in.is(format.CmdDestroyCQ), t.cq.EQ, in.number.Trunc(s.EQBits)))
	t.eq = hdl.Unpack(eqEntry{}, t.eqs.At(t.eqAt))
	t.was = hdl.NewReg(m, "was", standing{})
	hdl.Set(t.was, standing{CQ: t.cq.Exists, CQUsed: t.cq.Users.Any(), Second: t.second.Exists, EQ: t.eq.Exists, EQUsed: t.eq.Users.Any()})
	return t
}

// keep writes the tables: what was created or destroyed, and how many use it.
func (b *block) keep() {
	m, t, in := b.m, b.tables, b.in
	forCQ, makesCQ := in.is(format.CmdCreateCQ, format.CmdDestroyCQ), in.is(format.CmdCreateCQ)
	forEQ, makesEQ := in.is(format.CmdCreateEQ, format.CmdDestroyEQ), in.is(format.CmdCreateEQ)
	more := in.is(format.CmdCreateCQ, format.CmdCreateQP)
	change := func(users hdl.Bits) hdl.Bits { return hdl.Mux(more, users.AddK(1), users.SubK(1)) }
	queue, first, second := b.turn(tellQueue), b.turn(tellCount), b.turn(tellSecondCount)

	counted := func(q cqEntry) hdl.Bits { return hdl.Pack(cqEntry{Exists: q.Exists, Users: change(q.Users), EQ: q.EQ}) }
	now := hdl.MuxOf(second, t.second, t.cq)
	its := hdl.Mux(makesCQ, in.createCQ.EQN.Trunc(b.p.Sizes.EQBits), t.cq.EQ) // of one that goes, it has to be told
	cq := hdl.Mux(queue, hdl.Pack(cqEntry{Exists: makesCQ, Users: hdl.K(userBits, 0), EQ: its}),
		hdl.Mux(second, counted(t.second), counted(t.cq))) // counted before it is known which: the turn is late
	cqAt := hdl.Mux(second, t.secondAt, t.cqAt)
	writesCQ := hdl.OrAll(queue.And(forCQ), first.And(forCQ.Not()), second)
	sweeping := t.swept.Not()
	t.cqs.Write(hdl.Mux(t.swept, cqAt, t.sweep.Trunc(t.cqs.AddrWidth())), writesCQ.Or(sweeping), hdl.Mux(t.swept, cq, cq.K(0)))

	eq := hdl.Mux(queue, hdl.Pack(eqEntry{Exists: makesEQ, Users: hdl.K(userBits, 0)}), hdl.Pack(eqEntry{Exists: t.eq.Exists, Users: change(t.eq.Users)}))
	writesEQ := queue.And(forEQ).Or(first.And(forCQ))
	t.eqs.Write(hdl.Mux(t.swept, t.eqAt, t.sweep.Trunc(t.eqs.AddrWidth())), writesEQ.Or(sweeping), hdl.Mux(t.swept, eq, eq.K(0)))
	m.Assert("users_of_what_exists", hdl.OrAll(first, second).And(more.Not()).Not().Or(hdl.Mux(forCQ, t.eq.Users.Any(), now.Users.Any())))
}
