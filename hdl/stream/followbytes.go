package stream

import (
	"math/bits"

	"gornic/hdl"
)

// byteFollower is [Followed] for the bytes of frames.
type byteFollower struct {
	held   hdl.Bits // bytes inside
	inside hdl.Bits // the followed byte is inside
	ahead  hdl.Bits // how many bytes leave before it
	value  hdl.Bits // it
	final  hdl.Bits // it ends its frame,
	bad    hdl.Bits // which has Err
}

// followBytes states the contracts of frames, and that out gives every byte
// that in took, once, in order, with the ends of frames and their Err where
// they were: it follows one byte at a time, chosen freely, as [Follow] does a
// payload.
func followBytes(m *hdl.Module, in, out Frame, capacity int) byteFollower {
	AssumeFrame(m, "in", in)
	AssertFrame(m, "out", out)
	w := max(bits.Len(uint(capacity)), bits.Len(uint(in.Data.Keep.Width())), bits.Len(uint(out.Data.Keep.Width()))) + 1
	var f byteFollower
	inCount, outCount := byteCount(in.Data.Keep, w), byteCount(out.Data.Keep, w)
	m.Ghost(func() {
		f = byteFollower{
			held: m.Reg("follow_held", w, 0), inside: m.Reg("follow_inside", 1, 0),
			ahead: m.RegN("follow_ahead", w), value: m.RegN("follow_value", 8),
			final: m.RegN("follow_final", 1), bad: m.RegN("follow_bad", 1),
		}
		// Every 2^w-th byte is followed, more than fit inside. The first one is free.
		turn := m.RegN("follow_turn", w)
		push, pop := in.Fire(), out.Fire()
		stay := f.held.Sub(hdl.Mux(pop, outCount, f.held.K(0)))
		f.held.Set(stay.Add(hdl.Mux(push, inCount, f.held.K(0))))
		m.If(f.inside.And(pop), func() {
			f.inside.Set(f.ahead.Ge(outCount))
			f.ahead.Set(f.ahead.Sub(outCount))
		})
		m.If(push, func() { turn.Set(turn.Sub(inCount)) })
		m.If(push.And(turn.Lt(inCount)).And(f.inside.Not()), func() {
			f.inside.SetK(1)
			f.ahead.Set(stay.Add(turn))
			f.value.Set(byteAt(in.Data.Data, turn))
			f.final.Set(in.Data.Last.And(turn.AddK(1).Eq(inCount)))
			f.bad.Set(in.Data.Err)
		})
	})
	m.Assert("capacity", f.held.LeK(uint64(capacity)))
	m.Assert("nothing_made_up", out.Valid.Not().Or(outCount.Le(f.held)))
	m.Assert("nothing_lost", f.inside.Not().Or(f.ahead.Lt(f.held)))
	f.at(m, "out", out.Valid, f.ahead, out.Data, outCount)
	return f
}

// at states that where the followed byte is among the count first bytes of
// beat, which where says are real, it is there unchanged, and ends the frame as
// it did.
func (f byteFollower) at(m *hdl.Module, name string, where, index hdl.Bits, beat Beat, count hdl.Bits) {
	here := f.inside.And(where).And(index.Lt(count))
	ends := beat.Last.And(index.AddK(1).Eq(count))
	m.Assert(name+"_byte", here.Not().Or(byteAt(beat.Data, index).Eq(f.value)))
	m.Assert(name+"_end", here.Not().Or(ends.Eq(f.final)))
	m.Assert(name+"_err", here.And(f.final).Not().Or(beat.Err.Eq(f.bad)))
}

// byteCount is the number of bytes of keep, in w bits.
func byteCount(keep hdl.Bits, w int) hdl.Bits {
	if keep.Width() == 1 {
		return hdl.K(w, 1)
	}
	return LastByte(keep).ZExt(w).AddK(1)
}

// narrowInvariants ties the followed byte to the register of a narrowing
// converter, whose beats have parts of n bytes.
func narrowInvariants(m *hdl.Module, io *WidthIO, f byteFollower, valid hdl.Bits, beat Beat, n int) {
	count := byteCount(beat.Keep, f.held.Width())
	m.Assert("takes_while_room", io.In.Ready.Eq(f.held.None().Or(io.Out.Ready.And(f.held.Eq(byteCount(io.Out.Data.Keep, f.held.Width()))))))
	m.Assert("gives_what_it_has", io.Out.Valid.Eq(f.held.Any()))
	m.Assert("held_is_beat", f.held.Eq(hdl.Mux(valid, count, f.held.K(0))))
	f.at(m, "beat", valid, f.ahead, beat, count)
	for _, r := range frameRules(Frame{Valid: valid, Data: beat}) {
		if r.name != "_keep_full" {
			m.Assert("beat"+r.name, r.holds)
		}
	}
	whole := hdl.K(1, 1) // parts of a beat that is not the last are there or not
	for i := n; i < beat.Keep.Width(); i += n {
		part := beat.Keep.Slice(i+n-1, i)
		whole = whole.And(part.All().Eq(part.Any()))
	}
	m.Assert("beat_whole_parts", valid.Not().Or(beat.Last).Or(whole.And(beat.Keep.Trunc(n).All())))
}

// widenInvariants ties the followed byte to the register of a widening
// converter, into which parts of n bytes have been written up to part.
func widenInvariants(m *hdl.Module, io *WidthIO, f byteFollower, whole, part hdl.Bits, beat Beat, n int) {
	w := f.held.Width()
	gathered := f.held.K(0)
	for i := range beat.Keep.Width() / n {
		before := part.GtK(uint64(i))
		gathered = gathered.Add(hdl.Mux(before, f.held.K(uint64(n)), f.held.K(0)))
		keep := beat.Keep.Slice(i*n+n-1, i*n)
		m.Assert(name("part", i, "there_or_not"), part.None().Or(keep.Eq(before.Rep(n))))
	}
	count := hdl.Mux(whole, byteCount(beat.Keep, w), gathered)
	m.Assert("held_is_beat", f.held.Eq(count))
	ended := f.inside.And(f.final).Or(f.held.Is(uint64(beat.Keep.Width())))
	m.Assert("takes_while_room", io.In.Ready.Eq(io.Out.Valid.Not().Or(io.Out.Ready)))
	m.Assert("gives_what_is_whole", ended.Not().Or(io.Out.Valid))
	m.Assert("whole_is_at_start", whole.Not().Or(part.None()))
	beat.Last = beat.Last.And(whole)
	f.at(m, "beat", hdl.K(1, 1), f.ahead, beat, count)
}
