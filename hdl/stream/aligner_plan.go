package stream

import "gornic/hdl"

// makePlan takes the move of the next frame while the frame before ends, so
// that all sums are done before the first beat, and counts beats. That a beat
// is the first or the last of the cut is known a cycle before.
func (a *aligner) makePlan(move hdl.Stream[Move]) {
	m := a.m
	next := a.planOf(move.Data)
	a.following = m.Reg("following", next.Final.Width(), 1)
	a.atFirst = m.Reg("at_first", 1, 0)
	a.atFinal = m.Reg("at_final", 1, 0)
	a.planValid = m.Reg("plan_valid", 1, 0)
	a.plan = hdl.NewReg(m, "plan", hdl.Proto(next))
	idle, last := a.planValid.Not(), a.in.Data.Last
	ready := idle.Or(a.in.Fire().And(last))
	move.Ready.Set(ready)
	m.If(ready, func() {
		a.planValid.Set(move.Valid)
		hdl.Set(a.plan, next)
	})
	m.If(idle.Or(a.in.Fire()), func() {
		restart := idle.Or(last)
		a.following.Set(hdl.Mux(restart, a.following.K(1), a.following.AddK(1)))
		a.atFirst.Set(hdl.Mux(restart, next.First.None(), a.following.Eq(a.plan.First)))
		a.atFinal.Set(hdl.Mux(restart, next.Final.None(), a.following.Eq(a.plan.Final)))
	})
}

func (a *aligner) planOf(d Move) plan {
	w, index := a.o.LengthBits, a.o.indexBits()
	end := d.Skip.AddC(d.Length).SubK(1)
	skip := d.Skip.Trunc(index)
	p := plan{
		Before: skip,
		First:  d.Skip.Slice(w-1, index).ZExt(w + 1 - index),
		Final:  end.Slice(w, index),
		End:    end.Trunc(index),
		None:   d.Length.None(),
		Turn:   a.known(d),
		Early:  d.To.Lt(skip),
		Keep:   d.To.Add(d.Length.Trunc(index)).SubK(1),
	}
	p.Late = p.Keep.Lt(p.Turn)
	return p
}

// distance is how far a move moves bytes, modulo the bytes of a beat.
func (d Move) distance() hdl.Bits { return d.To.Sub(d.Skip.Trunc(d.To.Width())) }

// known is the distance of a move, with the bits put in that are the same for
// all moves.
func (a *aligner) known(d Move) hdl.Bits {
	turn := d.distance()
	_, low := a.o.granule()
	if low == 0 {
		return turn
	}
	phase := hdl.K(low, uint64(a.o.Phase))
	if low == turn.Width() {
		return phase
	}
	return hdl.Cat(turn.Slice(turn.Width()-1, low), phase)
}
