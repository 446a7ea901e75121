package dcqcn

import "gornic/hdl"

// raise makes the increases that are due, those by time before those by bytes.
func (r *rates) raise(a ages) {
	m, s, w := r.m, r.io.Settings, r.w
	limit := hdl.Cat(s.ByteReset, hdl.K(6, 0)).ZExt(countBits)
	byTime := s.TimeReset.Any().And(a.ticks.Ge(s.TimeReset.ZExt(tickBits)))
	byBytes := s.ByteReset.Any().And(a.bytes.Ge(limit))
	count := func(stage hdl.Bits) { stage.Set(hdl.Mux(stage.All(), stage, stage.AddK(1))) }
	m.If(r.st.Is(rateDue), func() {
		stale := a.updates.Slice(epochBits-1, alphaBits).Any() // nothing is left of alpha after so many
		w.Recent.Set(w.Recent.And(a.cut.Lt(s.Monitor.ZExt(tickBits))))
		m.If(byTime, func() {
			count(w.TimeStage)
			w.Tick.Set(w.Tick.Add(s.TimeReset.ZExt(tickBits)))
			a.ticks.Set(a.ticks.Sub(s.TimeReset.ZExt(tickBits)))
			r.st.Goto(rateRaise)
		}).ElseIf(byBytes, func() {
			count(w.ByteStage)
			w.Count.Set(w.Count.Add(limit))
			a.bytes.Set(a.bytes.Sub(limit))
			r.st.Goto(rateRaise)
		}).Else(func() {
			r.st.Goto(rateAlpha)
			m.If(stale, func() {
				w.Alpha.SetK(0)
				w.Seen.SetK(0)
				w.Epoch.Set(a.epoch)
				a.updates.SetK(0)
			})
		})
	})

	least := hdl.Mux(w.TimeStage.Lt(w.ByteStage), w.TimeStage, w.ByteStage)
	most := hdl.Mux(w.TimeStage.Lt(w.ByteStage), w.ByteStage, w.TimeStage)
	sum, half := m.RegN("target_raised", rateBits+1), w.Rate.AddC(w.Target)
	m.If(r.st.Is(rateRaise), func() {
		by := hdl.Mux(most.Lt(s.Threshold), s.AIRate.K(0), hdl.Mux(least.Gt(s.Threshold), s.HAIRate, s.AIRate))
		sum.Set(w.Target.AddC(by))
		r.st.Goto(rateCap)
	})
	m.If(r.st.Is(rateCap), func() {
		w.Target.Set(hdl.Mux(sum.Gt(s.LineRate.ZExt(rateBits+1)), s.LineRate, sum.Trunc(rateBits)))
		r.st.Goto(rateHalf)
	})
	m.If(r.st.Is(rateHalf), func() {
		w.Rate.Set(half.Slice(rateBits, 1))
		r.moved.SetK(1)
		r.st.Goto(rateLevel)
	})
	m.Unused(half.Bit(0))
	// Rounded down, half of the way never ends where it goes to.
	level := w.Target.Eq(s.LineRate).And(w.Rate.AddC(w.Rate.K(1)).Ge(s.LineRate.ZExt(rateBits + 1)))
	m.If(r.st.Is(rateLevel), func() {
		r.st.Goto(rateDue)
		m.If(level, func() {
			w.Slowed.SetK(0)
			r.st.Goto(rateStore)
			m.If(r.cnp, func() { r.st.Goto(rateAges) }) // it is slowed down again at once
		})
	})
}
