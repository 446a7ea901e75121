package keycache

import (
	"fmt"

	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Proofs lists a small instance.
func Proofs() []hdl.Proof {
	p := Params{Sizes: link.Sizes{DataWidth: 512}, Clients: 2, Entries: 4}
	proof := hdl.BoundedProofOf(Def(p), 13, hdl.ABC).OfTopAlone().Breaks(
		hdl.StuckAt0("kills").As("the entry that is held survives its key"),
		hdl.StuckAt0("miss_0_locked").As("an entry is read while it changes"),
		hdl.StuckAt0("twin").As("an entry takes two places"),
		hdl.StuckAt0("finds").As("a question overtakes one that misses"),
	)
	proof.NoCovers = true
	return []hdl.Proof{proof}
}

// assumeBeats takes for granted that an entry comes in as many beats as it has.
func (b *block) assumeBeats() {
	m, beat := b.m, b.io.Read.Beat
	var left hdl.Bits
	m.Ghost(func() {
		left = m.Reg("line_left", bitsFor(b.p.beats()), uint64(b.p.beats()-1))
		m.If(beat.Valid, func() { left.Set(hdl.Mux(left.None(), left.K(uint64(b.p.beats()-1)), left.SubK(1))) })
	})
	m.Assume("read_is_an_entry", beat.Valid.Not().Or(beat.Data.Last.Eq(left.None())))
}

// assumeTable takes for granted that the table stays where it is while somebody
// looks at it.
func (b *block) assumeTable() {
	m, io := b.m, b.io
	var at hdl.Bits
	m.Ghost(func() {
		at = m.Wire("table_at", io.Base.Width()+io.LogSize.Width())
		at.Set(hdl.Cat(io.Base, io.LogSize))
	})
	used := hdl.OrAll(io.Command.Valid, b.state.Is(stIdle).Not(), b.looks, b.finds)
	for _, x := range b.misses {
		used = used.Or(x.busy())
	}
	m.Assume("table_stays", used.Not().Or(at.Eq(m.Past("table_was_at", at))))
}

// properties states the contracts of the streams, and that nothing of an entry that
// changes is held or on its way.
func (b *block) properties() {
	m, io := b.m, b.io
	stream.AssumeSource(m, "command_in", io.Command)
	m.Assume("done_is_taken", io.Done.Ready.Or(io.Done.Valid.Not()))
	stream.AssertSource(m, "burst", io.Read.Burst)
	stream.AssertSource(m, "write", io.Write.Burst)
	stream.AssertSource(m, "write_beat", io.Write.Beat)
	for i, c := range io.Clients {
		stream.AssumeSource(m, fmt.Sprintf("request_%d", i), c.Request)
		stream.AssertSource(m, fmt.Sprintf("answer_%d", i), c.Reply)
		unknown := hdl.OrAll(b.looks.And(b.asked.Client.Is(uint64(i))), b.finds.And(b.found.Client.Is(uint64(i))))
		m.Assert(fmt.Sprintf("one_question_%d", i), unknown.And(b.misses[i].busy()).Not())
	}

	b.assumeBeats()
	b.assumeTable()

	index := indexOf(b.target)
	changes := b.state.Is(stBeats).Or(b.state.Is(stAck))
	for i, x := range b.places {
		m.Assert(fmt.Sprintf("changing_not_held_%d", i), hdl.AndAll(changes, x.valid, x.index.Eq(index)).Not())
	}
	for i, x := range b.misses {
		var old hdl.Bits
		m.Ghost(func() {
			old = m.Reg(fmt.Sprintf("miss_%d_old", i), 1, 0) // what is on its way may be from before a change
			m.If(x.away.Not(), func() { old.SetK(0) })
			m.If(hdl.AndAll(x.away, changes, indexOf(x.request.Key).Eq(index)), func() { old.SetK(1) })
		})
		uses := b.comes.And(b.owner.Is(uint64(i)))
		m.Assert(fmt.Sprintf("old_not_used_%d", i), uses.And(old).Not())
	}
}
