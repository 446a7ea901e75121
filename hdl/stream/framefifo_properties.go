package stream

import (
	"math/bits"

	"gornic/hdl"
)

// properties states that the frames that leave are the good ones that fitted,
// beat by beat and in order. It follows one beat, chosen freely, as [Follow]
// does, and forgets it when its frame is dropped.
func (f *frameFIFO) properties() {
	m, io := f.m, f.io
	AssumeFrame(m, "in", io.In)
	AssertFrame(m, "out", io.Out)
	g := f.follow()
	w := g.held.Width()
	committed := g.held.Sub(g.partial)
	next := g.inside.And(g.ahead.None()).And(io.Out.Valid)

	m.Assert("nothing_made_up", io.Out.Valid.Not().Or(committed.Any()))
	m.Assert("nothing_lost", g.inside.Not().Or(g.ahead.Lt(g.held)))
	m.Assert("whole_frames", g.inside.Not().Or(g.pending.Eq(g.ahead.Ge(committed))))
	m.Assert("order", next.Not().Or(hdl.Pack(io.Out.Data).Eq(g.value)))
	m.Assert("one_pulse", io.DroppedErr.And(io.DroppedFull).Not())
	m.Assert("err_counted", g.ended.And(g.endedErr).Not().Or(io.DroppedErr.Or(io.DroppedFull)))
	m.Assert("good_kept_or_counted", g.ended.And(g.endedErr.Not()).Not().Or(io.DroppedErr.Not()))
	if f.o.DropWhenFull {
		m.Assert("never_waits", io.In.Ready)
	} else {
		long := m.Past("frame_ended_long", g.length.Is(uint64(f.o.Depth)))
		m.Assert("takes_while_room", io.In.Ready.Or(io.Level.Is(uint64(f.o.Depth)).And(committed.Any())))
		m.Assert("only_too_long_dropped", io.DroppedFull.Not().Or(long))
	}
	f.invariants(g, w)
	m.Cover("dropped_full", io.DroppedFull)
	m.Cover("dropped_err", io.DroppedErr)
	m.Cover("full", f.full)
}

// frameGhost is the state that the properties need.
type frameGhost struct {
	held     hdl.Bits // beats inside
	partial  hdl.Bits // those of the frame that is coming in
	inside   hdl.Bits // the followed beat is inside
	pending  hdl.Bits // and its frame has not ended
	ahead    hdl.Bits // how many beats leave before it
	value    hdl.Bits // it
	length   hdl.Bits // beats of the frame that is coming in, Depth at most
	ended    hdl.Bits // in the cycle before, a frame ended,
	endedErr hdl.Bits // which was bad
}

func (f *frameFIFO) follow() frameGhost {
	m, in, w := f.m, f.io.In, bits.Len(uint(f.o.Depth))+1
	var g frameGhost
	m.Ghost(func() {
		g = frameGhost{
			held: m.Reg("follow_held", w, 0), partial: m.Reg("follow_partial", w, 0),
			inside: m.Reg("follow_inside", 1, 0), pending: m.RegN("follow_pending", 1),
			ahead: m.RegN("follow_ahead", w), value: m.RegN("follow_value", hdl.WidthOf(in.Data)),
			length: m.Reg("frame_length", w, 0),
		}
		turn := m.RegN("follow_turn", w)
		pop := f.io.Out.Fire()
		stay := g.held.Sub(pop.ZExt(w))
		g.held.Set(stay.Add(f.store.ZExt(w)))
		g.partial.Set(g.partial.Add(f.store.ZExt(w)))
		m.If(g.inside.And(pop), func() {
			g.inside.Set(g.ahead.Any())
			g.ahead.Set(g.ahead.SubK(1))
		})
		m.If(f.store, func() { turn.Set(turn.SubK(1)) })
		m.If(f.store.And(turn.None()).And(g.inside.Not()), func() {
			g.inside.SetK(1)
			g.pending.SetK(1)
			g.ahead.Set(stay)
			g.value.Set(hdl.Pack(in.Data))
		})
		long := g.length.Is(uint64(f.o.Depth))
		m.If(in.Fire(), func() { g.length.Set(hdl.Mux(long, g.length, g.length.AddK(1))) })
		m.If(f.ends, func() {
			g.length.SetK(0)
			g.partial.SetK(0)
			g.pending.SetK(0)
			m.If(f.drop.Or(in.Data.Err), func() {
				g.held.Set(stay.Sub(g.partial))
				m.If(g.pending.Or(g.inside.Not()), func() { g.inside.SetK(0) })
			})
		})
	})
	g.ended = m.PastReset("frame_ended", f.ends, 0)
	g.endedErr = m.Past("frame_ended_err", in.Data.Err)
	return g
}

// invariants tie the ghosts to the RAM and its addresses.
func (f *frameFIFO) invariants(g frameGhost, w int) {
	m := f.m
	used, depth := f.tail.Sub(f.head), uint64(f.o.Depth)
	committed := f.commit.Sub(f.head)
	m.Assert("tail_in_ring", used.LeK(depth))
	m.Assert("commit_in_ring", committed.Le(used))
	m.Assert("partial_is_behind_commit", g.partial.Eq(f.tail.Sub(f.commit).ZExt(w)))
	m.Assert("held_is_ram_and_registers", g.held.Eq(used.ZExt(w).Add(f.ahead.count(w))))
	m.Assert("length_counts_stored", f.skip.Or(g.length.Eq(g.partial)))
	if !f.o.DropWhenFull {
		m.Assert("skipped_is_long", f.skip.Not().Or(g.length.Is(depth)))
	}

	beat := hdl.Unpack(hdl.Proto(f.io.In.Data), g.value)
	for _, r := range frameRules(Frame{Valid: g.inside, Data: beat}) {
		m.Assert("followed"+r.name, r.holds)
	}
	m.Assert("followed_end_is_decided", g.inside.And(g.pending).Not().Or(beat.Last.Not()))
	m.Assert("followed_is_good", g.inside.Not().Or(g.pending).Or(beat.Err.Not()))
	value := hdl.Pack(wordOf(beat))
	before := f.ahead.count(w)
	place := g.ahead.Sub(before)
	var stored hdl.Bits
	m.Ghost(func() {
		stored = f.ram.At(f.head.Trunc(f.ram.AddrWidth()).Add(place.Trunc(f.ram.AddrWidth())))
	})
	at := func(name string, where, word hdl.Bits) {
		m.Assert(name, g.inside.And(where).Not().Or(word.Eq(value)))
	}
	at("in_ram", g.ahead.Ge(before), stored)
	at("in_word", f.ahead.fetched.And(g.ahead.Eq(f.ahead.valid.ZExt(w))), f.ahead.word)
	at("in_data", f.ahead.valid.And(g.ahead.None()), f.ahead.data)
}
