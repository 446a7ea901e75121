package resources

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// step is what a turn does.
type step int

const (
	stIdle  step = iota // a turn begins
	stFetch             // the entry at hand is read
	stMatch             // is the duplicate of it, or of an older one?
	stWeigh             // what is left of it
	stMake              // a packet is made
	stJudge             // the duplicate is settled
)

func (s step) String() string {
	return [...]string{"idle", "fetch", "match", "weigh", "make", "judge"}[s]
}

// serve goes through the steps of a turn.
func (b *block) serve() {
	m, fetches := b.m, b.st.Is(stFetch)
	b.entry = hdl.Unpack(entry{}, b.ring.Read("entry", b.place(b.now.QP, b.at), fetches))
	b.value = hdl.Unpack(value{}, b.values.Read("value", b.place(b.now.QP, b.at), fetches))
	b.quiet = hdl.OrAll(
		stream.Offer(m, b.io.Served, b.tells, b.told),
		stream.Offer(m, b.waiting.Wakes[wakeAgain], b.again, link.QPRef{QP: b.told.QP})).Not()
	p, j := b.packet(), b.judgement()
	b.st.Switch(
		hdl.On(stIdle, b.begin),
		hdl.On(stFetch, func() {
			b.st.Goto(stWeigh)
			m.If(b.now.Duplicate, func() { b.st.Goto(stMatch) })
		}),
		hdl.On(stMatch, b.match),
		hdl.On(stWeigh, b.weigh),
		hdl.On(stMake, func() { b.ends(b.makes, p.after, p.ends, p.more) }),
		hdl.On(stJudge, func() { b.ends(b.settles, j.after, hdl.K(1, 1), j.rewinds) }),
	)
	b.keep(p.after, j.after)
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
	was.Anew = was.Anew.And(lost.Not())
	entries := hdl.Mux(fill.Wrapped, b.left.K(size), fill.Tail.Trunc(b.left.Width()))
	m.If(reply.Fire(), func() {
		hdl.Set(b.now, b.look)
		hdl.Set(b.was, was)
		b.tail.Set(fill.Tail)
		b.left.Set(entries)
		b.at.Set(hdl.Mux(b.look.Duplicate, fill.Tail.SubK(1), was.Next))
		b.index.Set(was.Index)
		b.found.Set(entries.Any())
		m.If(b.look.Duplicate, func() {
			b.st.Goto(stFetch)
			m.If(entries.None(), func() { b.st.Goto(stJudge) })
		}).ElseIf(answers.And(open.Any()), func() { b.st.Goto(stFetch) })
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
	ahead := b.returned.At(b.now.QP).Sub(e.Number)
	b.executed.Set(ahead.Any().And(ahead.MSB().Not()))
	b.st.Goto(stMake)
	b.m.If(b.now.Duplicate, func() { b.st.Goto(stJudge) })
}

// ends ends a turn once what the one before had to tell has been taken. If it did something the state
// is kept, and told of, and the queue pair woken again.
func (b *block) ends(acts hdl.Bits, after progress, tells, again hdl.Bits) {
	b.m.If(b.quiet, func() {
		b.st.Goto(stIdle)
		b.m.If(acts, func() {
			b.tells.Set(tells)
			b.again.Set(again)
			hdl.Set(b.told, link.Served{QP: b.now.QP, Next: after.Next, Most: after.Most, Duplicates: after.Duplicates})
		})
	})
}

// keep writes the state of a queue pair: that of the turn that ends, or Control clears it.
func (b *block) keep(packet, judged progress) {
	control := b.io.Control
	making, judging := b.st.Is(stMake), b.st.Is(stJudge)
	control.Ready.Set(making.Or(judging).Not())
	b.m.Unused(control.Data.PSN)
	clears := control.Fire().And(control.Data.Kind.Is(link.ControlClear))
	b.settles.Set(judging.And(b.quiet))
	next := hdl.Pack(hdl.MuxOf(making, packet, judged))
	b.states.Write(hdl.Mux(clears, control.Data.QP, b.now.QP), hdl.OrAll(clears, b.makes, b.settles), hdl.Mux(clears, next.K(0), next))
}
