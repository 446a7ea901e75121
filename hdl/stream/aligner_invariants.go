package stream

import "gornic/hdl"

// invariants are what a proof by induction needs: how the registers of a
// realigner belong together, and where the followed byte is. Those of its way
// through the registers are for a rotator of one stage.
func (a *aligner) invariants(g alignGhost) {
	a.planInvariants(g)
	a.moveInvariants(g)
	if a.o.stages() == 1 {
		f := a.newFollowedFrame(g)
		a.frameInvariants(g, f)
		a.followedInvariants(g, f)
		a.byteInvariants(g, f)
	}
}

// implies states, as a property, that a implies b.
func implies(m *hdl.Module, name string, a, b hdl.Bits) { m.Assert(name, a.Not().Or(b)) }

// planInvariants: what is known of the present frame of In.
func (a *aligner) planInvariants(g alignGhost) {
	m, p, w := a.m, a.plan, g.come.Width()
	index := a.following.SubK(1) // of the present beat
	inCut := a.planValid.And(p.None.Not()).And(a.past.Not())
	before, behind := index.Le(p.First), index.Gt(p.First).And(index.Le(p.Final))
	idle := a.started.Or(a.past).Not()
	implies(m, "plan_is_of_move", a.planValid, hdl.Pack(p).Eq(hdl.Pack(a.planOf(g.present))))
	implies(m, "first_is_known", a.planValid, a.atFirst.Eq(index.Eq(p.First)))
	implies(m, "final_is_known", a.planValid, a.atFinal.Eq(index.Eq(p.Final)))
	implies(m, "idle_without_plan", a.planValid.Not(), idle.And(index.None()).And(g.come.None()))
	implies(m, "idle_without_cut", p.None.And(a.planValid), idle)
	m.Assert("whole_beats_have_come", g.come.LeK(1<<(w-1)).And(g.come.Trunc(a.o.indexBits()).None()))
	implies(m, "index_counts", inCut, g.come.Eq(index.ZExt(w).ShlK(a.o.indexBits())))
	implies(m, "index_in_cut", inCut, hdl.Mux(a.started, behind, before))
	implies(m, "past_has_come", a.past, a.started.And(g.come.Ge(g.present.Skip.ZExt(w).Add(g.present.Length.ZExt(w)))))
}

// moveInvariants: where the followed byte comes from.
func (a *aligner) moveInvariants(g alignGhost) {
	m, w := a.m, g.come.Width()
	to, skip := g.move.To.ZExt(w), g.move.Skip.ZExt(w)
	total := to.Add(g.move.Length.ZExt(w))
	zero := g.place.Lt(to)
	implies(m, "known_distance", a.planValid.And(g.present.Length.Any()), a.known(g.present).Eq(g.present.distance()))
	implies(m, "known_distance_of_move", g.inside, a.known(g.move).Eq(g.move.distance()))
	if !a.zeroBefore {
		implies(m, "present_to_byte_0", a.planValid, g.present.To.None())
		implies(m, "move_to_byte_0", g.inside, g.move.To.None())
	}
	implies(m, "place_in_frame", g.inside, g.place.Lt(total).And(g.final.Eq(g.place.AddK(1).Eq(total))))
	implies(m, "source_of_place", g.inside, g.source.Eq(g.place.Sub(to).Add(skip)))
	implies(m, "known_has_come", g.inside.And(g.arriving), g.known.Eq(zero.Or(g.source.Lt(g.come))))
	implies(m, "unknown_is_bad", g.inside.And(g.known.Or(g.arriving).Not()), g.bad)
	implies(m, "zero_is_zero", g.inside.And(zero), g.known.And(g.value.None()))
}

// followedFrame is what follows from the move of the followed byte's frame.
// Beats are numbered as in its frame of In.
type followedFrame struct {
	inBeat  hdl.Bits // the register behind the rotator has, or waits for, a beat of it
	atOut   hdl.Bits // it is the present one of Out
	turn    hdl.Bits // how far its bytes rotate
	first   hdl.Bits // its first beat of the cut
	final   hdl.Bits // its last one
	early   hdl.Bits // its first one completes no beat of Out
	late    hdl.Bits // its last one has bytes for one more
	keep    hdl.Bits // the last byte of its last beat of Out
	beat    hdl.Bits // the beat that the followed byte comes with
	lifted  hdl.Bits // the number of the beat behind the rotator
	older   hdl.Bits // the number of the beat before
	inFrame hdl.Bits // that is of the present frame of Out
}

func (a *aligner) newFollowedFrame(g alignGhost) followedFrame {
	m, w, index := a.m, g.come.Width(), a.o.indexBits()
	p := a.planOf(g.move)
	wrapped := g.place.Trunc(index).Lt(p.Turn)
	mid := a.started.And(a.past.Not())
	f := followedFrame{
		inBeat: g.inside.And(g.before.Eq(a.flush.ZExt(g.before.Width()))),
		atOut:  g.inside.And(g.before.None()),
		turn:   p.Turn, first: p.First.ZExt(w), final: p.Final.ZExt(w),
		early: p.Early, late: p.Late, keep: p.Keep,
		inFrame: a.flush.Or(a.beatValid.And(a.beat.Head.Not())).Or(a.beatValid.Not().And(mid)),
	}
	f.beat = g.place.ShrK(index).Add(f.first).Add(p.Early.ZExt(w)).Sub(wrapped.ZExt(w))
	m.Ghost(func() {
		f.lifted, f.older = m.RegN("follow_lifted", w), m.RegN("follow_older", w)
		m.If(a.lifted.Fire(), func() { f.older.Set(f.lifted) })
		m.If(a.load, func() { f.lifted.Set(a.following.SubK(1).ZExt(w)) })
	})
	return f
}

// frameInvariants: which frames are inside, and where.
func (a *aligner) frameInvariants(g alignGhost, f followedFrame) {
	m, w, fw, b := a.m, g.come.Width(), g.frames.Width(), a.beat
	mid := a.started.And(a.past.Not())
	tail := a.beatValid.And(b.Tail)
	index := a.following.SubK(1).ZExt(w) // of the present beat of In
	implies(m, "past_has_tail", a.past, tail.And(a.ended.Not()))
	implies(m, "tail_waits", tail.And(a.ended.Not()), a.past)
	implies(m, "tail_ends_frame", a.beatValid, b.Tail.Ne(mid))
	implies(m, "err_at_tail", a.beatValid.And(b.Err), b.Tail.And(a.ended))
	implies(m, "flush_is_of_frame_before", a.flush, hdl.Mux(a.beatValid, b.Head, mid.Not()))
	implies(m, "early_is_head", a.beatValid.And(b.Early), b.Head.And(b.Tail.Not().Or(b.Late)))
	m.Assert("frames_inside", g.frames.Eq(a.flush.ZExt(fw).Add(a.beatValid.Or(mid).ZExt(fw))))
	implies(m, "nothing_sent", f.inFrame.Not(), g.sent.None())
	implies(m, "lifted_is_last_taken", a.beatValid.And(mid), f.lifted.AddK(1).Eq(index))
	implies(m, "older_is_last_taken", a.beatValid.Not().And(mid), f.older.AddK(1).Eq(index))
	implies(m, "older_is_before", a.beatValid.And(b.Head.Not()), f.older.AddK(1).Eq(f.lifted))
	implies(m, "before_is_flush", g.inside, g.before.Le(a.flush.ZExt(fw)).And(g.before.Lt(g.frames)))
}

// followedInvariants: the frame of the followed byte, where it is inside.
func (a *aligner) followedInvariants(g alignGhost, f followedFrame) {
	m, b, index := a.m, a.beat, a.o.indexBits()
	mid := a.started.And(a.past.Not())
	has := f.inBeat.And(a.beatValid)
	cutShort := b.Tail.And(f.lifted.Ne(f.final))
	implies(m, "still_arriving", g.arriving, mid.Or(a.past))
	implies(m, "move_arrives", g.arriving.And(g.inside), f.inBeat.And(hdl.Pack(g.move).Eq(hdl.Pack(g.present))))
	implies(m, "arrived", f.inBeat.And(g.arriving.Not()), a.beatValid.And(b.Tail).And(a.ended))
	implies(m, "turn_is_of_move", has, b.Turn.Eq(f.turn).And(b.Keep.Eq(f.keep)))
	implies(m, "cut_short", has.And(cutShort), b.Err.And(g.bad).And(a.ended).And(b.Early.Or(b.Late).Not()))
	whole := has.And(cutShort.Not())
	implies(m, "head_is_first", whole, b.Head.Eq(f.lifted.Eq(f.first)).And(b.Early.Eq(b.Head.And(f.early))))
	implies(m, "tail_is_final", whole, b.Tail.Eq(f.lifted.Eq(f.final)).And(b.Late.Eq(f.late)))
	implies(m, "inside_cut", whole, f.lifted.Ge(f.first).And(f.lifted.Le(f.final)))
	implies(m, "err_is_of_frame", has.And(b.Tail).And(a.ended), b.Err.Eq(g.bad))
	flushed := f.atOut.And(a.flush)
	implies(m, "flush_is_final", flushed, f.older.Eq(f.final).And(f.late).And(a.flushKeep.Eq(f.keep)).And(a.flushErr.Eq(g.bad)))

	// The beat of Out that is due has the bytes of one beat of In and of the one before.
	due := hdl.Mux(a.flush, f.older.AddK(1), hdl.Mux(a.beatValid, f.lifted, f.older.AddK(1)))
	sent := due.Sub(f.first).Sub(f.early.ZExt(due.Width())).ShlK(index)
	implies(m, "sent_follows", f.atOut.And(f.inFrame), g.sent.Eq(sent))
}

// byteInvariants: where the followed byte is.
func (a *aligner) byteInvariants(g alignGhost, f followedFrame) {
	m, b, index := a.m, a.beat, g.place.Trunc(a.o.indexBits())
	whole := b.Tail.Not().Or(f.lifted.Eq(f.final)) // not cut short
	inBeat := f.inBeat.And(a.beatValid).And(whole).And(f.beat.Eq(f.lifted))
	inOlder := f.atOut.And(f.inFrame).And(f.beat.Eq(f.older))
	implies(m, "place_not_sent", f.atOut, g.place.Ge(g.sent))
	implies(m, "byte_in_beat", inBeat.And(g.known), byteAt(b.Data, index).Eq(g.value))
	implies(m, "byte_in_older", inOlder.And(g.known), byteAt(a.older, index).Eq(g.value))
}
