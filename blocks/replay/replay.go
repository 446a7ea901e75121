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
	Record  hdl.Stream[link.Record]  `hdl:"in"`
	User    link.ReplayPort          `hdl:"in"`
	Retired hdl.Stream[link.Retired] `hdl:"out"`
	Reader  link.ReplayReader        `hdl:"in"`
	Waits   link.WaitsPort           `hdl:"in"`
	Started hdl.Stream[link.QPRef]   `hdl:"out"`
	Peek    link.Peek                `hdl:"in"` // bit 24: an entry waits; below, its PSN
}

// Def is the block. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	s := p.Sizes
	return hdl.Def[IO]{
		Name: fmt.Sprintf("replay_qp%d_r%d", s.QPBits, s.ReplayBits),
		Doc:  "Replay buffer: of each queue pair a ring of packets that wait for their acknowledgement.",
		IO: IO{
			Record: hdl.StreamOf(s.Record()), User: s.ReplayPort(), Retired: hdl.StreamOf(s.Retired()),
			Reader: s.ReplayReader(), Waits: s.WaitsPort(), Started: hdl.StreamOf(s.QPRef()), Peek: s.Peek(25),
		},
		Body: func(m *hdl.Module, io *IO) {
			if err := p.Validate(); err != nil {
				m.Reject("%v", err)
			}
			b := newBlock(m, p, io)
			b.record()
			b.serve()
			b.start()
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
	reads        *hdl.Memory // READs and atomics that were removed, free-running
	newest       *hdl.Memory // the last PSN that has been sent
	failures     *hdl.Memory // index behind the newest entry of a WQE that failed
	locals       *hdl.Memory // and behind the newest one that is no packet
	causes       *hdl.Memory // WQE index of the first entry that failed
	told         *hdl.Memory // a bit: the completer hears of every entry
	sent, gone   *hdl.Memory // packets that were recorded, and removed; free-running
	entries      *hdl.Memory
	psns         *hdl.Memory // of the entries, for Peek

	pops     hdl.Bits // the oldest entry is to go
	clears   hdl.Bits // a ring is emptied
	peeks    hdl.Bits // the completer's question is taken
	word     hdl.Bits // the entry that was read in the cycle before
	reading  hdl.Bits // an entry is being read
	answered hdl.Bits // and offered
	enters   hdl.Bits // an entry is recorded,
	packet   hdl.Bits // which is a packet
	leaves   hdl.Bits // the one that is removed, if one is, is a packet
	reader   reader
	starts   starts
}

const (
	indexBits = 16
	readsBits = 8
)

func newBlock(m *hdl.Module, p Params, io *IO) *block {
	qps := 1 << p.Sizes.QPBits
	small := func(name string, width int) *hdl.Memory { return m.LUTRAM(name, qps, width) }
	b := &block{
		m: m, p: p, io: io,
		heads: small("heads", indexBits), tails: small("tails", indexBits), reads: small("reads", readsBits), newest: small("newest", 24),
		failures: small("failures", indexBits), locals: small("locals", indexBits), causes: small("causes", 16), told: small("told", 1),
		sent: small("sent", p.packetBits()), gone: small("gone", p.packetBits()),
		entries: m.RAM("entries", qps<<p.Sizes.ReplayBits, hdl.WidthOf(link.ReplayEntry{}), hdl.Undefined),
		psns:    m.RAM("psns", qps<<p.Sizes.ReplayBits, 24, hdl.Undefined),
	}
	b.pops = io.User.Request.Valid.And(b.asks(link.ReplayPop))
	b.clears = io.User.Request.Valid.And(b.asks(link.ReplayClear)) // taken at once
	b.peeks = m.Wire("peeks", 1)
	b.starts = b.newStarts()
	return b
}

// packetBits is the width of a free-running count of packets: a ring holds no more than it tells apart.
func (p Params) packetBits() int { return p.Sizes.ReplayBits + 1 }

// asks returns one bit: what the completer asks for, if it does, is this operation.
func (b *block) asks(op uint64) hdl.Bits { return b.io.User.Request.Data.Op.Is(op) }

// write gives a memory its one writer: the completer, which clears, or another, which
// waits for it.
func (b *block) write(mem *hdl.Memory, qp, en, value hdl.Bits) {
	mem.Write(hdl.Mux(b.clears, b.io.User.Request.Data.QP, qp), b.clears.Or(en), hdl.Mux(b.clears, value.K(0), value))
}

// place is where an entry of a ring is.
func (b *block) place(qp, index hdl.Bits) hdl.Bits {
	return hdl.Cat(qp, index.Trunc(b.p.Sizes.ReplayBits))
}

// record enters an entry at the tail.
func (b *block) record() {
	m, in, heard := b.m, b.io.Record, b.io.User.Recorded
	qp, entry := in.Data.QP, in.Data.Entry
	failed, local := entry.Status.Any(), entry.Kind.Is(link.EntryLocal)
	tells := hdl.OrAll(failed, local, b.told.At(qp))
	waiting := m.Reg("tell", 1, 0) // the completer has to be told
	who := m.RegN("tell_qp", b.p.Sizes.QPBits)
	in.Ready.Set(hdl.AndAll(b.clears.Not(), waiting.Not().Or(heard.Ready), b.starts.swept))
	enters := in.Fire()
	b.enters, b.packet = enters, failed.Or(local).Not()

	tail := b.tails.At(qp)
	next := tail.AddK(1)
	b.entries.Write(b.place(qp, tail), enters, hdl.Pack(entry))
	b.psns.Write(b.place(qp, tail), enters, entry.PSN)
	m.Event("recorded", enters,
		hdl.Field("qp", qp), hdl.Field("kind", entry.Kind), hdl.Field("psn", entry.PSN), hdl.Field("wqe", entry.WQEIndex), hdl.Field("bytes", entry.Length),
		hdl.Field("oldest", tail.Eq(b.heads.At(qp))))
	b.peek(enters)
	b.write(b.tails, qp, enters, next)
	// What failed was not sent. An entry that is no packet stands behind the last one that was.
	b.write(b.sent, qp, enters.And(b.packet), b.sent.At(qp).AddK(1))
	b.write(b.newest, qp, enters.And(failed.Not()), hdl.Mux(local, entry.PSN.SubK(1), entry.LastPSN))
	b.write(b.failures, qp, enters.And(failed), next)
	b.write(b.locals, qp, enters.And(local), next)
	b.write(b.causes, qp, hdl.AndAll(enters, failed, b.ahead(b.failures, qp).Not()), entry.WQEIndex)
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
	Local  hdl.Bits `w:"1"`
	Failed hdl.Bits `w:"1"`
	Cause  hdl.Bits `w:"16"`
}

// ahead returns one bit: the entry before the index that mem has is still in the ring.
func (b *block) ahead(mem *hdl.Memory, qp hdl.Bits) hdl.Bits {
	n := mem.At(qp).Sub(b.heads.At(qp)) // entries up to that one
	return n.Any().And(n.LeK(1 << b.p.Sizes.ReplayBits))
}

// serve answers the completer: a question takes two steps, and a removal waits
// until Retired has been taken.
func (b *block) serve() {
	m, ask, reply := b.m, b.io.User.Request, b.io.User.Oldest
	qp := ask.Data.QP
	head := b.heads.At(qp)
	some := head.Ne(b.tails.At(qp))

	reading, valid := m.Reg("reading", 1, 0), m.Reg("oldest_out", 1, 0)
	b.reading, b.answered = reading, valid
	early := hdl.NewReg(m, "early", found{})
	out := hdl.NewReg(m, "oldest", link.Oldest{})
	moves := valid.Not().Or(reply.Ready)
	canRead := reading.Not().Or(moves)
	peeks := b.peeks
	peeks.Set(hdl.AndAll(ask.Valid, b.asks(link.ReplayPeek), canRead))
	ask.Ready.Set(hdl.Mux(b.asks(link.ReplayPeek), canRead, b.asks(link.ReplayPop).Not().Or(b.io.Retired.Ready)))

	place, reads := b.read()
	b.word = b.entries.Read("entry", hdl.Mux(peeks, b.place(qp, head), place), hdl.Mux(peeks, some, reads))
	b.reply()
	m.If(moves, func() {
		reading.SetK(0)
		valid.Set(reading)
	})
	m.If(moves.And(reading), func() { // the answer stays when it has been taken: remove needs it
		hdl.Set(out, link.Oldest{
			Any: early.Any, Newest: early.Newest, Local: early.Local, Failed: early.Failed, Cause: early.Cause,
			Entry: hdl.Unpack(link.ReplayEntry{}, b.word),
		})
	})
	m.If(peeks, func() {
		reading.SetK(1)
		hdl.Set(early, found{
			Any: some, Newest: b.newest.At(qp), Local: b.ahead(b.locals, qp), Failed: b.ahead(b.failures, qp), Cause: b.causes.At(qp),
		})
	})
	reply.Valid.Set(valid)
	hdl.Set(reply.Data, out)
	b.write(b.told, qp, ask.Fire().And(b.asks(link.ReplayFail)), hdl.K(1, 1))
	b.remove(out.Entry.Kind, out.Entry.Status)
}

// remove takes the oldest entry out, whose kind and status were in the last answer.
func (b *block) remove(kind, status hdl.Bits) {
	m, ask, retired := b.m, b.io.User.Request, b.io.Retired
	qp := ask.Data.QP
	head := b.heads.At(qp)
	next := head.AddK(1)
	isRead := kind.Is(link.EntryRead).Or(kind.Is(link.EntryAtomic))
	reads := b.reads.At(qp).Add(isRead.ZExt(readsBits))
	retired.Valid.Set(b.pops)
	hdl.Set(retired.Data, link.Retired{QP: qp, Count: next, Reads: reads})
	b.write(b.heads, qp, retired.Fire(), next)
	b.write(b.reads, qp, retired.Fire(), reads)
	b.leaves = kind.Is(link.EntryLocal).Not().And(status.None())
	b.write(b.gone, qp, retired.Fire().And(b.leaves), b.gone.At(qp).AddK(1))
	m.Event("removed", retired.Fire(), hdl.Field("qp", qp), hdl.Field("empty", next.Eq(b.tails.At(qp))))
}
