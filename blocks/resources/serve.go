package resources

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
)

// step is what a turn does.
type step int

const (
	stIdle  step = iota // a turn begins
	stFetch             // the entry at hand is read
	stMatch             // is the duplicate of it, or of an older one?
	stWeigh             // what is left of it
	stSize              // the packet, or whether the duplicate is of the entry
	stMake              // a packet is made
	stJudge             // the duplicate is settled
)

func (s step) String() string {
	return [...]string{"idle", "fetch", "match", "weigh", "size", "make", "judge"}[s]
}

// serve goes through the steps of a turn.
func (b *block) serve() {
	m, fetches := b.m, b.st.Is(stFetch)
	b.entry = hdl.Unpack(entry{}, b.ring.Read("entry", b.place(b.now.QP, b.at), fetches))
	b.value = b.find(b.place(b.now.QP, b.at), fetches)
	p, j := b.packet(), b.judgement()
	b.st.Switch(
		hdl.On(stIdle, b.begin),
		hdl.On(stFetch, func() {
			b.st.Goto(stWeigh)
			m.If(b.now.Duplicate, func() { b.st.Goto(stMatch) })
		}),
		hdl.On(stMatch, b.match),
		hdl.On(stWeigh, b.weigh),
		hdl.On(stSize, b.size),
		hdl.On(stMake, b.end),
		hdl.On(stJudge, b.end),
	)
	b.keep(hdl.MuxOf(b.st.Is(stMake), p, j))
}

// begin takes a turn with its ring as it is. Where answering had gone back to an entry whose place
// has been taken since, it goes on with the oldest one.
func (b *block) begin() {
	m, reply, size := b.m, b.io.Context.Reply, uint64(1)<<b.p.Sizes.ReadBits
	state := func(q format.QPState) hdl.Bits { return reply.Data.Context.State.Is(uint64(q)) }
	answers := hdl.AndAll(reply.Data.Context.Exists, state(format.QPReset).Not(), state(format.QPInit).Not())

	was := hdl.Unpack(progress{}, b.states.At(b.look.QP))
	fill := hdl.Unpack(filling{}, b.fillings.At(b.look.QP))
	open := fill.Tail.Sub(was.Next) // entries that are not answered
	lost := open.GtK(size)
	was.Next = hdl.Mux(lost, fill.Tail.SubK(size), was.Next)
	was.Index = hdl.Mux(lost, was.Index.K(0), was.Index)
	entries := hdl.Mux(fill.Wrapped, b.left.K(size), fill.Tail.Trunc(b.left.Width()))
	m.If(reply.Fire(), func() {
		hdl.Set(b.now, b.look)
		hdl.Set(b.was, was)
		b.most.Set(b.mosts.At(b.look.QP))
		b.tail.Set(fill.Tail)
		b.left.Set(entries)
		b.at.Set(hdl.Mux(b.look.Duplicate, fill.Tail.SubK(1), was.Next))
		b.index.Set(was.Index)
		b.fits.SetK(0)
		m.If(b.look.Duplicate, func() {
			b.st.Goto(stFetch)
			m.If(entries.None(), func() { b.st.Goto(stJudge) })
		}).ElseIf(hdl.AndAll(answers, open.Any(), b.paced.Not()), func() { b.st.Goto(stFetch) })
	})
}

// weigh says what is left of the READ at hand from the packet Index on.
func (b *block) weigh() {
	e := b.entry
	var offsets []hdl.Bits
	for code := range 8 {
		offsets = append(offsets, b.index.ZExt(remainingBits).ShlK(7+min(max(code, format.MTU256), format.MTU4096)))
	}
	offset := hdl.Select(b.now.PathMTU, offsets...)
	b.remaining.Set(e.Length.ZExt(remainingBits).Sub(offset))
	b.addr.Set(e.VA.Add(offset.ZExt(64)))
	b.psn.Set(e.PSN.Add(b.index))
	b.wait()
	b.st.Goto(stSize)
}

// size says what the next packet is, and whether the duplicate is one of the entry.
func (b *block) size() {
	atomic, mtu := b.isAtomic(b.entry.Kind), b.mtu()
	last := b.remaining.Le(mtu.ZExt(remainingBits))
	b.last.Set(atomic.Or(last))
	b.length.Set(hdl.Mux(atomic, mtu.K(0), hdl.Mux(last, b.remaining.Trunc(link.LengthBits), mtu)))
	b.compare()
	b.st.Goto(stMake)
	b.m.If(b.now.Duplicate, func() { b.st.Goto(stJudge) })
}

// end ends a turn when there is room for what it has to tell.
func (b *block) end() {
	b.m.If(b.open, func() { b.st.Goto(stIdle) })
}

// outcome is what a turn leaves behind.
type outcome struct {
	After progress
	Most  hdl.Bits `w:"8"`
	Tells hdl.Bits `w:"1"` // Next has moved, or a duplicate counts
	Again hdl.Bits `w:"1"` // there is more to be answered
}

// keep writes the state of a queue pair as a turn leaves it, or Control clears it, tells of it, and wakes the queue pair again.
func (b *block) keep(o outcome) {
	control := b.io.Control
	making, judging := b.st.Is(stMake), b.st.Is(stJudge)
	control.Ready.Set(making.Or(judging).Not())
	b.m.Unused(control.Data.PSN)
	clears := control.Fire().And(control.Data.Kind.Is(link.ControlClear))
	b.settles.Set(judging.And(b.open))
	acts := b.makes.Or(b.settles)
	next := hdl.Pack(o.After)
	at, writes := hdl.Mux(clears, control.Data.QP, b.now.QP), clears.Or(acts)
	b.states.Write(at, writes, hdl.Mux(clears, next.K(0), next))
	b.mosts.Write(at, writes, hdl.Mux(clears, o.Most.K(0), o.Most))

	b.tell.Valid.Set(acts.And(o.Tells))
	hdl.Set(b.tell.Data, link.Served{QP: b.now.QP, Next: o.After.Next, Most: o.Most, Duplicates: o.After.Duplicates})
	again := b.wakes[wakeAgain]
	again.Valid.Set(acts.And(o.Again))
	again.Data.QP.Set(b.now.QP)
}
