package stream

import (
	"math/bits"

	"gornic/hdl"
)

// Followed is what the properties of [Follow] know of a part: ghost state, for
// invariants that tie it to the part's own.
type Followed struct {
	Held   hdl.Bits // how many payloads are inside
	Inside hdl.Bits // one bit: the followed payload is inside
	Ahead  hdl.Bits // where Inside: how many payloads leave before it
	Value  hdl.Bits // where Inside: the followed payload, packed
}

// Follow states that out gives what in took: every payload once, unchanged and
// in order, none made up, and no more than capacity inside at any time. It
// follows one payload from its way in to its way out, then another; which ones
// is left free, so a proof covers every payload, and a simulation samples them.
//
// It is for parts with a latency of one cycle or more. For a proof by induction
// the part adds invariants that say where the payload behind Ahead others lies.
func Follow[T any](m *hdl.Module, in, out hdl.Stream[T], capacity int) Followed {
	w := bits.Len(uint(capacity) + 1)
	var f Followed
	m.Ghost(func() {
		f.Held = m.Reg("follow_held", w, 0)
		f.Inside = m.Reg("follow_inside", 1, 0)
		f.Ahead = m.RegN("follow_ahead", w)
		f.Value = m.RegN("follow_value", hdl.WidthOf(in.Data))
		// Every 2^w-th payload is followed, more than fit inside. The first one is free.
		turn := m.RegN("follow_turn", w)

		push, pop := in.Fire(), out.Fire()
		stay := f.Held.Sub(pop.ZExt(w))
		f.Held.Set(stay.Add(push.ZExt(w)))
		m.If(f.Inside.And(pop), func() {
			f.Inside.Set(f.Ahead.Any())
			f.Ahead.Set(f.Ahead.SubK(1))
		})
		m.If(push, func() { turn.Set(turn.SubK(1)) })
		m.If(push.And(turn.None()).And(f.Inside.Not()), func() {
			f.Inside.SetK(1)
			f.Ahead.Set(stay)
			f.Value.Set(hdl.Pack(in.Data))
		})
	})
	next := f.Inside.And(f.Ahead.None()).And(out.Valid)
	m.Assert("capacity", f.Held.LeK(uint64(capacity)))
	m.Assert("nothing_made_up", out.Valid.Not().Or(f.Held.Any()))
	m.Assert("nothing_lost", f.Inside.Not().Or(f.Ahead.Lt(f.Held)))
	m.Assert("order", next.Not().Or(hdl.Pack(out.Data).Eq(f.Value)))
	return f
}

// At states, as the property NAME, that where the followed payload is inside
// and where, one bit, is one, it equals value.
func (f Followed) At(m *hdl.Module, name string, where, value hdl.Bits) {
	m.Assert(name, f.Inside.And(where).Not().Or(value.Eq(f.Value)))
}
