package replay

import (
	"fmt"

	"gornic/blocks/link"
	"gornic/hdl"
)

// Params are the parameters of the block.
type Params struct{ Sizes link.Sizes }

// Validate returns an error for parameters that the block cannot have.
func (p Params) Validate() error {
	s := p.Sizes
	if s.QPBits < 1 || s.QPBits > 16 {
		return fmt.Errorf("replay: 2^%d queue pairs: not 2^1 to 2^16", s.QPBits)
	}
	if s.ReplayBits < 1 || s.ReplayBits > 12 {
		return fmt.Errorf("replay: 2^%d entries a queue pair: not 2^1 to 2^12", s.ReplayBits)
	}
	return nil
}

// IO is the ports of the block.
type IO struct {
	Record  hdl.Stream[link.Record]    `hdl:"in"`
	User    link.ReplayPort            `hdl:"in"`
	Retired hdl.Stream[link.Retired]   `hdl:"out"`
	Control hdl.Stream[link.QPControl] `hdl:"in"`
	Peek    link.Peek                  `hdl:"in"` // bit 24: an entry waits; below, its PSN
}

// Def is the block. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	s := p.Sizes
	return hdl.Def[IO]{
		Name: fmt.Sprintf("replay_qp%d_r%d", s.QPBits, s.ReplayBits),
		Doc:  "Replay buffer: of each queue pair a ring of packets that wait for their acknowledgement.",
		IO: IO{
			Record: hdl.StreamOf(s.Record()), User: s.ReplayPort(), Retired: hdl.StreamOf(s.Retired()), Control: hdl.StreamOf(s.QPControl()), Peek: s.Peek(25),
		},
		Body: func(m *hdl.Module, io *IO) {
			if err := p.Validate(); err != nil {
				m.Reject("%v", err)
			}
			b := newBlock(m, p, io)
			b.record()
			b.serve()
			b.properties()
		},
	}
}

// block is the module while it is built.
type block struct {
	m  *hdl.Module
	p  Params
	io *IO

	heads, tails *hdl.Memory // free-running indices: of the oldest entry, behind the newest
	newest       *hdl.Memory // PSN
	failures     *hdl.Memory // index behind the newest entry of a WQE that failed
	causes       *hdl.Memory // index of the first WQE that failed
	told         *hdl.Memory // a bit: the completer hears of every entry
	entries      *hdl.Memory
	psns         *hdl.Memory // of the entries, for Peek

	pops   hdl.Bits // the oldest entry is to go
	clears hdl.Bits // Control empties a ring
	which  hdl.Bits // that of this queue pair
	tells  hdl.Bits // an entry is told of
}

const indexBits = 16

func newBlock(m *hdl.Module, p Params, io *IO) *block {
	qps := 1 << p.Sizes.QPBits
	b := &block{
		m: m, p: p, io: io,
		heads: m.LUTRAM("heads", qps, indexBits), tails: m.LUTRAM("tails", qps, indexBits),
		newest: m.LUTRAM("newest", qps, 24), failures: m.LUTRAM("failures", qps, indexBits), causes: m.LUTRAM("causes", qps, 16), told: m.LUTRAM("told", qps, 1),
		entries: m.RAM("entries", qps<<p.Sizes.ReplayBits, hdl.WidthOf(link.ReplayEntry{}), hdl.Undefined),
		psns:    m.RAM("psns", qps<<p.Sizes.ReplayBits, 24, hdl.Undefined),
	}
	control, ask := io.Control, io.User.Request
	b.pops = ask.Valid.And(ask.Data.Op.Is(link.ReplayPop))
	control.Ready.Set(b.pops.Not()) // a removal that is offered to Retired is not taken back
	b.clears = control.Fire().And(control.Data.Kind.Is(link.ControlClear))
	b.which = control.Data.QP
	m.Unused(control.Data.PSN)
	return b
}

// write gives a memory its one writer: Control, which clears, or another, which
// waits for it.
func (b *block) write(mem *hdl.Memory, qp, en, value hdl.Bits) {
	mem.Write(hdl.Mux(b.clears, b.which, qp), b.clears.Or(en), hdl.Mux(b.clears, value.K(0), value))
}

// place is where an entry of a ring is.
func (b *block) place(qp, index hdl.Bits) hdl.Bits {
	return hdl.Cat(qp, index.Trunc(b.p.Sizes.ReplayBits))
}

// record enters an entry at the tail.
func (b *block) record() {
	m, in, heard := b.m, b.io.Record, b.io.User.Recorded
	qp, entry := in.Data.QP, in.Data.Entry
	failed := entry.Status.Any()
	tells := failed.Or(b.told.At(qp))
	open := b.clears.Not()
	waiting := m.Reg("tell", 1, 0) // the completer has to be told
	who := m.RegN("tell_qp", b.p.Sizes.QPBits)
	free := waiting.Not().Or(heard.Ready)
	in.Ready.Set(open.And(free))
	enters := in.Fire()

	tail := b.tails.At(qp)
	next := tail.AddK(1)
	b.entries.Write(b.place(qp, tail), enters, hdl.Pack(entry))
	b.psns.Write(b.place(qp, tail), enters, entry.PSN)
	empty := tail.Eq(b.heads.At(qp))
	m.Event("recorded", enters,
		hdl.Field("qp", qp), hdl.Field("psn", entry.PSN), hdl.Field("wqe", entry.WQEIndex), hdl.Field("bytes", entry.Length),
		hdl.Field("oldest", empty))
	b.peek(enters)
	b.write(b.tails, qp, enters, next)
	b.write(b.newest, qp, enters, entry.PSN)
	b.write(b.failures, qp, enters.And(failed), next)
	b.write(b.causes, qp, hdl.AndAll(enters, failed, b.failedAhead(qp).Not()), entry.WQEIndex)
	m.If(heard.Ready, func() { waiting.SetK(0) })
	m.If(enters.And(tells), func() {
		waiting.SetK(1)
		who.Set(qp)
	})
	heard.Valid.Set(waiting)
	heard.Data.QP.Set(who)
}

// peek reads the oldest PSN of a ring while no entry comes in, which it could
// meet in the memory.
func (b *block) peek(enters hdl.Bits) {
	m, p := b.m, b.io.Peek
	head := b.heads.At(p.QP)
	some, waits := m.RegN("peeked_some", 1), m.RegN("peeked_waits", 1)
	some.Set(head.Ne(b.tails.At(p.QP)))
	waits.Set(some)
	psn := m.RegN("peeked_psn", 24)
	psn.Set(b.psns.Read("peeked", b.place(p.QP, head), enters.Not()))
	p.Value.Set(hdl.Cat(waits, psn))
}

// found is what is known of a ring before its entry is.
type found struct {
	Any    hdl.Bits `w:"1"`
	Newest hdl.Bits `w:"24"`
	Failed hdl.Bits `w:"1"`
	Cause  hdl.Bits `w:"16"`
}

// failedAhead returns one bit: some entry of the ring is of a WQE that failed.
func (b *block) failedAhead(qp hdl.Bits) hdl.Bits {
	ahead := b.failures.At(qp).Sub(b.heads.At(qp)) // entries up to the newest one that failed
	return ahead.Any().And(ahead.LeK(1 << b.p.Sizes.ReplayBits))
}

// serve answers the completer: a question takes two steps, and a removal waits
// until Retired has been taken.
func (b *block) serve() {
	m, ask, reply, retired := b.m, b.io.User.Request, b.io.User.Oldest, b.io.Retired
	qp := ask.Data.QP
	op := func(k uint64) hdl.Bits { return ask.Data.Op.Is(k) }
	head, tail := b.heads.At(qp), b.tails.At(qp)
	some := head.Ne(tail)

	reading, valid := m.Reg("reading", 1, 0), m.Reg("oldest_out", 1, 0)
	early := hdl.NewReg(m, "early", found{})
	out := hdl.NewReg(m, "oldest", link.Oldest{})
	moves := valid.Not().Or(reply.Ready)
	canRead := reading.Not().Or(moves)
	open := b.clears.Not()
	ask.Ready.Set(open.And(hdl.Mux(op(link.ReplayPeek), canRead, hdl.Mux(op(link.ReplayPop), retired.Ready, hdl.K(1, 1)))))

	peeks := ask.Fire().And(op(link.ReplayPeek))
	word := b.entries.Read("entry", b.place(qp, head), peeks.And(some))
	m.If(moves, func() {
		reading.SetK(0)
		valid.Set(reading)
		hdl.Set(out, link.Oldest{Any: early.Any, Newest: early.Newest, Failed: early.Failed, Cause: early.Cause, Entry: hdl.Unpack(link.ReplayEntry{}, word)})
	})
	m.If(peeks, func() {
		reading.SetK(1)
		early.Any.Set(some)
		early.Newest.Set(b.newest.At(qp))
		early.Failed.Set(b.failedAhead(qp))
		early.Cause.Set(b.causes.At(qp))
	})
	reply.Valid.Set(valid)
	hdl.Set(reply.Data, out)

	next := head.AddK(1)
	b.write(b.heads, qp, ask.Fire().And(op(link.ReplayPop)), next)
	b.write(b.told, qp, ask.Fire().And(op(link.ReplayFail)), hdl.K(1, 1))
	retired.Valid.Set(b.pops)
	retired.Data.QP.Set(qp)
	retired.Data.Count.Set(next)
	m.Event("removed", retired.Fire(), hdl.Field("qp", qp), hdl.Field("empty", next.Eq(tail)))
	m.Assume("pop_what_is_there", b.pops.Not().Or(some))
}
