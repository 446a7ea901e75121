package stream

import (
	"math/bits"

	"gornic/hdl"
)

// properties states that the bytes of each cut come out where its move says.
// One byte of Out at a time is followed, chosen freely: which frame, and where
// in it. From its move follows which byte of In it is, or that it is a zero.
func (a *aligner) properties(move hdl.Stream[Move]) {
	m, o, out := a.m, a.o, a.out
	AssumeFrame(m, "in", a.in)
	AssertFrame(m, "out", out)
	AssumeSource(m, "move", move)
	if o.Granule > 1 {
		kept := a.known(move.Data).Eq(move.Data.distance())
		m.Assume("move_has_phase", move.Valid.Not().Or(move.Data.Length.None()).Or(kept))
	}
	g := a.follow(move)
	present := out.Valid.And(g.inside).And(g.before.None()) // Out shows a beat of its frame,
	here := present.And(g.place.Sub(g.sent).LtK(uint64(o.bytes())))
	index := g.place.Trunc(o.indexBits())
	good := out.Data.Err.Not()
	isEnd := out.Data.Last.And(LastByte(out.Data.Keep).Eq(index))

	m.Assert("byte_value", here.And(good).And(g.known).Not().Or(byteAt(out.Data.Data, index).Eq(g.value)))
	m.Assert("byte_known", here.Not().Or(g.known).Or(g.bad.And(g.arriving.Not())))
	m.Assert("byte_kept", here.And(good).Not().Or(byteBit(out.Data.Keep, index)))
	m.Assert("byte_ends_frame", here.And(good).Not().Or(isEnd.Eq(g.final)))
	m.Assert("not_lost", present.And(out.Data.Last).And(good).Not().Or(here))
	m.Assert("err", present.And(out.Data.Last).Not().Or(out.Data.Err.Eq(g.bad)))
	m.Assert("no_frame_made_up", out.Valid.Not().Or(g.frames.Any()))
	m.Assert("takes_next_move", move.Ready.Eq(a.planValid.Not().Or(a.in.Fire().And(a.in.Data.Last))))
	if o.stages() == 1 {
		m.Assert("waits_for_flush_only", a.in.Ready.Or(a.planValid.Not()).Or(out.Ready.Not()).Or(a.flush))
	}
	a.invariants(g)
	m.Cover("byte_moved", here.And(g.known).And(g.value.Is(0xa5)))
}

// alignGhost is the state that the properties need.
type alignGhost struct {
	frames hdl.Bits // frames inside: their first beat of the cut is past In, their last not past Out
	sent   hdl.Bits // bytes of the present frame that are past Out
	inside hdl.Bits // the frame of the followed byte is inside, and the byte not past Out
	before hdl.Bits // frames that leave before it
	place  hdl.Bits // where it is in its frame of Out
	final  hdl.Bits // it is the last byte of the frame
	known  hdl.Bits // it is past In, or a zero
	value  hdl.Bits // where known

	arriving hdl.Bits // the end of its frame is not past In
	bad      hdl.Bits // where not arriving: its frame has Err, or ended too early

	present Move     // of the present frame of In
	move    Move     // of its frame
	come    hdl.Bits // bytes of the present frame of In that are past, up to a limit
	source  hdl.Bits // where its byte is in its frame of In
}

func (a *aligner) follow(move hdl.Stream[Move]) alignGhost {
	m, o, in := a.m, a.o, a.in
	w := o.LengthBits + 2
	n := uint64(o.bytes())
	fw := bits.Len(uint(o.indexBits())) + 2 // more frames than fit
	var g alignGhost
	m.Ghost(func() {
		g = alignGhost{
			frames: m.Reg("follow_frames", fw, 0), sent: m.Reg("follow_sent", w, 0),
			inside: m.Reg("follow_inside", 1, 0), before: m.RegN("follow_before", fw),
			place: m.RegN("follow_place", w), final: m.RegN("follow_final", 1),
			known: m.RegN("follow_known", 1), value: m.RegN("follow_value", 8),
			arriving: m.Reg("follow_arriving", 1, 0), bad: m.RegN("follow_bad", 1),
			source: m.RegN("follow_source", w), move: hdl.NewReg(m, "follow_move", hdl.Proto(move.Data)),
		}
		g.present = hdl.NewReg(m, "follow_present", hdl.Proto(move.Data))
		m.If(move.Fire(), func() { hdl.Set(g.present, move.Data) })
		g.come = m.Reg("follow_come", w, 0)
		come := hdl.Mux(g.come.MSB(), g.come, g.come.AddK(n))
		m.If(in.Fire(), func() { g.come.Set(hdl.Mux(in.Data.Last, g.come.K(0), come)) })

		// The frame and the place that are followed are free; each in its turn.
		turn := m.RegN("follow_turn", fw)
		pick := m.RegN("follow_pick", w)
		m.If(a.begins, func() {
			turn.Set(turn.SubK(1))
			pick.Set(pick.AddK(1))
		})
		to, skip, length := g.present.To.ZExt(w), g.present.Skip.ZExt(w), g.present.Length.ZExt(w)
		total := to.Add(length)
		chosen := a.begins.And(turn.None()).And(g.inside.Not()).And(pick.Lt(total))

		ends := a.out.Fire().And(a.out.Data.Last)
		mine := g.inside.And(g.before.None()).And(a.out.Fire())
		g.frames.Set(g.frames.Add(a.begins.ZExt(fw)).Sub(ends.ZExt(fw)))
		m.If(a.out.Fire(), func() { g.sent.Set(hdl.Mux(a.out.Data.Last, g.sent.K(0), g.sent.AddK(n))) })
		m.If(mine.And(a.out.Data.Last.Or(g.place.Sub(g.sent).LtK(n))), func() { g.inside.SetK(0) })
		m.If(ends, func() { g.before.Set(g.before.SubK(1)) })
		m.If(chosen, func() {
			g.inside.SetK(1)
			g.before.Set(g.frames.Sub(ends.ZExt(fw)))
			g.place.Set(pick)
			g.final.Set(pick.AddK(1).Eq(total))
			hdl.Set(g.move, g.present)
		})

		// Its byte of In, if it is not a zero, comes with this beat or a later one of the frame.
		source := hdl.Mux(chosen, pick.Sub(to).Add(skip), g.source)
		active := chosen.Or(g.arriving)
		offset := source.Sub(g.come)
		count := byteCount(in.Data.Keep, w)
		g.source.Set(source)
		m.If(chosen, func() {
			g.known.Set(pick.Lt(to))
			g.value.SetK(0)
		})
		m.If(in.Fire().And(active), func() {
			g.arriving.Set(in.Data.Last.Not())
			zero := hdl.Mux(chosen, pick.Lt(to), g.known)
			m.If(offset.Lt(count).And(zero.Not()), func() {
				g.known.SetK(1)
				g.value.Set(byteAt(in.Data.Data, offset.Trunc(o.indexBits())))
			})
			g.bad.Set(in.Data.Err.Or(g.come.Add(count).Lt(skip.Add(length))))
		})
	})
	return g
}
