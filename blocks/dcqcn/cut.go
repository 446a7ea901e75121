package dcqcn

import "gornic/hdl"

// update makes the updates of alpha that are due, for a CNP alone: nobody else reads it.
func (r *rates) update(a ages) {
	m, s, w, f := r.m, r.io.Settings, r.w, r.factors
	r.on(rateAlpha, func() {
		f.a.Set(w.Alpha.ZExt(rateBits))
		f.b.Set(s.G)
		nothing := w.Alpha.None().And(w.Seen.Not()) // is left, nor will be
		m.If(r.cnp.Not().Or(w.Recent), func() {
			r.st.Goto(rateStore)
			m.If(r.moved, func() { r.st.Goto(rateDivide) })
		}).ElseIf(a.updates.None().Or(nothing), func() {
			w.Epoch.Set(a.epoch)
			f.a.Set(w.Rate)
			f.b.Set(w.Alpha)
			r.st.Goto(rateCut)
		}).Else(func() { r.st.Goto(rateDecay) })
	})
	r.on(rateDecay, func() { r.st.Goto(rateAlphaSet) })
	rest := f.product.Slice(2*alphaBits-1, alphaBits)
	rise := hdl.K(alphaBits+1, 1<<alphaBits).Sub(s.G.ZExt(alphaBits + 1))
	next := rest.ZExt(alphaBits + 1).Add(hdl.Mux(w.Seen, rise, rise.K(0)))
	r.on(rateAlphaSet, func() {
		w.Alpha.Set(next.Trunc(alphaBits).Or(next.MSB().Rep(alphaBits)))
		w.Seen.SetK(0)
		a.updates.Set(a.updates.SubK(1))
		r.st.Goto(rateAlpha)
	})
}

// cut lowers the rate by the part that alpha says, and not below the least.
func (r *rates) cut(a ages) {
	m, s, w, f := r.m, r.io.Settings, r.w, r.factors
	const wide = rateBits + alphaBits
	shifted, down, kept, best := m.RegN("cut_by", wide), m.RegN("cut_to", wide+1), m.RegN("cut_keep", rateBits), m.RegN("cut_best", rateBits)
	cuts := r.st.Is(rateFloor)
	r.io.Cut.Set(cuts)
	m.Event("cut", cuts, hdl.Field("qp", r.qp), hdl.Field("from", w.Rate), hdl.Field("alpha", w.Alpha))
	r.on(rateCut, func() {
		clamps := hdl.OrAll(s.Clamp, w.ByteStage.Any(), s.ClampTime.And(w.TimeStage.Any()))
		m.If(clamps, func() { w.Target.Set(w.Rate) })
		f.b.Set(s.MinKeep.ZExt(alphaBits))
		r.st.Goto(rateShift)
	})
	r.on(rateShift, func() {
		shifted.Set(f.product.Shr(s.GD))
		r.st.Goto(rateLess)
	})
	r.on(rateLess, func() {
		down.Set(w.Rate.ZExt(wide + 1).Sub(shifted.ZExt(wide + 1)))
		kept.Set(f.product.Slice(rateBits+7, 8))
		r.st.Goto(rateBest)
	})
	r.on(rateBest, func() {
		best.Set(hdl.Mux(down.MSB().Or(down.Trunc(rateBits).Lt(kept)), kept, down.Trunc(rateBits)))
		r.st.Goto(rateFloor)
	})
	r.on(rateFloor, func() {
		w.Rate.Set(hdl.Mux(best.Lt(s.MinRate), s.MinRate, best))
		w.TimeStage.SetK(0)
		w.ByteStage.SetK(0)
		w.Tick.Set(a.tick)
		w.Count.Set(a.count)
		w.Seen.SetK(1)
		w.Recent.SetK(1)
		w.CutTick.Set(a.tick)
		r.moved.SetK(1)
		r.st.Goto(rateDivide)
	})
	m.Unused(down)
}

// store divides the period of 1 Mb/s by the rate, and writes what is new.
func (r *rates) store() {
	m := r.m
	left, quotient, dividend := m.RegN("divide_left", rateBits), m.RegN("quotient", periodBits), m.RegN("dividend", periodBits)
	bit := m.RegN("divide_bit", hdl.Log2(periodBits))
	slowest := hdl.K(periodBits, r.p.slowest())
	left.SetK(0)
	dividend.Set(slowest)
	bit.SetK(0)
	r.on(rateDivide, func() {
		rest := hdl.Cat(left, dividend.MSB())
		rate := r.w.Rate.ZExt(rateBits + 1)
		goes := rest.Ge(rate)
		left.Set(hdl.Mux(goes, rest.Sub(rate), rest).Trunc(rateBits))
		dividend.Set(dividend.ShlK(1))
		quotient.Set(hdl.Cat(quotient.Trunc(periodBits-1), goes))
		bit.Set(bit.AddK(1))
		m.If(bit.All(), func() { r.st.Goto(rateStore) })
	})

	w := r.w
	stored := r.st.Is(rateStore)
	r.on(rateStore, func() { r.st.Goto(rateNext) })
	r.sets.period.Set(hdl.Mux(hdl.OrAll(r.st.Is(rateNext), r.clears, w.Slowed.Not()), quotient.K(0), quotient))
	m.Event("rate", hdl.AndAll(stored, r.moved, r.clears.Not()),
		hdl.Field("qp", r.qp), hdl.Field("slowed", w.Slowed), hdl.Field("rate", w.Rate), hdl.Field("target", w.Target), hdl.Field("alpha", w.Alpha),
		hdl.Field("period", r.sets.period))
}
