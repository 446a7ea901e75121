package dcqcn

import "gornic/hdl"

// raise makes the increases that are due, those by time before those by bytes.
func (r *rates) raise(a ages) {
	m, s, w := r.m, r.io.Settings, r.w
	limit := hdl.Cat(s.ByteReset, hdl.K(6, 0)).ZExt(countBits)
	there := m.RegN("there", 1)
	byTime, byBytes, stale := m.RegN("due_time", 1), m.RegN("due_bytes", 1), m.RegN("alpha_stale", 1)
	left := m.RegN("rate_left", rateBits+1) // from the rate to the line rate
	r.on(rateDue, func() {
		// Rounded down, half of the way never ends where it goes to.
		there.Set(r.atLine.And(left.MSB().Or(left.Slice(rateBits-1, 1).None())))
		byTime.Set(s.TimeReset.Any().And(a.ticks.Ge(s.TimeReset.ZExt(tickBits))))
		byBytes.Set(s.ByteReset.Any().And(a.bytes.Ge(limit)))
		stale.Set(a.updates.Slice(epochBits-1, alphaBits).Any()) // nothing is left of alpha after so many
		w.Recent.Set(w.Recent.And(a.cut.Lt(s.Monitor.ZExt(tickBits))))
		r.st.Goto(rateChoose)
	})
	count := func(stage hdl.Bits) {
		stage.Set(hdl.Mux(stage.All(), stage, stage.AddK(1)))
		r.st.Goto(rateStage)
	}
	r.on(rateChoose, func() {
		m.If(there, func() {
			w.Slowed.SetK(0)
			r.st.Goto(rateStore)
			m.If(r.cnp, func() { r.st.Goto(rateAges) }) // it is slowed down again at once
		}).ElseIf(byTime, func() {
			count(w.TimeStage)
			w.Tick.Set(w.Tick.Add(s.TimeReset.ZExt(tickBits)))
			a.ticks.Set(a.ticks.Sub(s.TimeReset.ZExt(tickBits)))
		}).ElseIf(byBytes, func() {
			count(w.ByteStage)
			w.Count.Set(w.Count.Add(limit))
			a.bytes.Set(a.bytes.Sub(limit))
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

	less := w.TimeStage.Lt(w.ByteStage)
	least, most := hdl.Mux(less, w.TimeStage, w.ByteStage), hdl.Mux(less, w.ByteStage, w.TimeStage)
	fast, hyper := m.RegN("raise_fast", 1), m.RegN("raise_hyper", 1)
	r.on(rateStage, func() {
		fast.Set(most.Lt(s.Threshold))
		hyper.Set(least.Gt(s.Threshold))
		r.st.Goto(rateRaise)
	})
	sum, half := m.RegN("target_raised", rateBits+1), w.Rate.AddC(w.Target)
	r.on(rateRaise, func() {
		sum.Set(w.Target.AddC(hdl.Mux(fast, s.AIRate.K(0), hdl.Mux(hyper, s.HAIRate, s.AIRate))))
		r.st.Goto(rateCap)
	})
	r.on(rateCap, func() {
		w.Target.Set(hdl.Mux(sum.Gt(s.LineRate.ZExt(rateBits+1)), s.LineRate, sum.Trunc(rateBits)))
		r.st.Goto(rateHalf)
	})
	r.on(rateHalf, func() {
		w.Rate.Set(half.Slice(rateBits, 1))
		r.moved.SetK(1)
		r.st.Goto(rateLevel)
	})
	m.Unused(half.Bit(0), left.Bit(0))
	r.on(rateLevel, func() {
		r.atLine.Set(w.Target.Eq(s.LineRate))
		left.Set(s.LineRate.ZExt(rateBits + 1).Sub(w.Rate.ZExt(rateBits + 1)))
		r.st.Goto(rateDue)
	})
}
