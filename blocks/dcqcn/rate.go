package dcqcn

import "gornic/hdl"

// word is what is kept of a queue pair: nothing, where it is not slowed down.
type word struct {
	Slowed    hdl.Bits `w:"1"`
	Rate      hdl.Bits `w:"18"` // Rc of the protocol
	Target    hdl.Bits `w:"18"` // Rt
	Alpha     hdl.Bits `w:"10"`
	Seen      hdl.Bits `w:"1"`  // a cut was made since the last update of alpha
	Epoch     hdl.Bits `w:"16"` // updates up to this one are in alpha
	Tick      hdl.Bits `w:"20"` // when the last increase by time was due
	Count     hdl.Bits `w:"28"` // bytes sent when the last increase by bytes was due
	TimeStage hdl.Bits `w:"4"`  // increases by time since the last cut
	ByteStage hdl.Bits `w:"4"`  // increases by bytes
	Recent    hdl.Bits `w:"1"`  // a cut was made a moment ago,
	CutTick   hdl.Bits `w:"20"` // in this tick
}

// rateStep is where the rates are with a queue pair.
type rateStep int

const (
	rateNext     rateStep = iota // one is taken
	rateRead                     // its word is here
	rateAsk                      // the bytes that it has sent are asked for,
	rateHear                     // and waited for
	rateAges                     // how much time has passed
	rateDue                      // is an increase due?
	rateChoose                   // what is next
	rateStage                    // by how much the target rate is raised,
	rateRaise                    // it is,
	rateCap                      // not above the line rate,
	rateHalf                     // and the rate moves half of the way
	rateLevel                    // is it there?
	rateAlpha                    // are updates of alpha due?
	rateDecay                    // one is multiplied,
	rateAlphaSet                 // and made
	rateCut                      // the cut is multiplied,
	rateShift                    // shifted,
	rateLess                     // subtracted,
	rateBest                     // and held against what is left at least,
	rateFloor                    // and against the least rate
	rateDivide                   // the period is divided, a bit a cycle
	rateStore                    // all is written
)

func (s rateStep) String() string {
	return [...]string{
		"next", "read", "ask", "hear", "ages", "due", "choose", "stage", "raise", "cap", "half", "level", "alpha", "decay", "alpha_set",
		"cut", "shift", "less", "best", "floor", "divide", "store",
	}[s]
}

// rates is the machine that goes over queue pairs: those with a CNP first, in turn with all that have been slowed down.
type rates struct {
	*block
	st     *hdl.FSM[rateStep]
	arms   []hdl.Arm // what is done in each step
	words  *hdl.Memory
	qp     hdl.Bits // the queue pair at hand,
	w      word     // and what is known of it
	cnp    hdl.Bits // it has a CNP
	clears hdl.Bits // it begins anew
	moved  hdl.Bits // its rate has changed
	atLine hdl.Bits // its target has become the line rate

	factors struct{ a, b, product hdl.Bits }
}

// rates makes the machine.
func (b *block) rates() {
	m, p := b.m, b.p
	r := &rates{
		block: b,
		st: hdl.NewFSM(m, "rate", rateNext, rateRead, rateAsk, rateHear, rateAges, rateDue, rateChoose, rateStage, rateRaise, rateCap, rateHalf, rateLevel,
			rateAlpha, rateDecay, rateAlphaSet, rateCut, rateShift, rateLess, rateBest, rateFloor, rateDivide, rateStore),
		words: m.RAM("words", 1<<p.Sizes.QPBits, hdl.WidthOf(word{}), hdl.Undefined),
		qp:    m.RegN("rate_qp", p.Sizes.QPBits), w: hdl.NewReg(m, "word", word{}),
		cnp: m.RegN("has_cnp", 1), clears: m.RegN("clears", 1), moved: m.RegN("moved", 1), atLine: m.RegN("at_line", 1),
	}
	r.factors.a, r.factors.b = m.RegN("factor_a", rateBits), m.RegN("factor_b", alphaBits)
	r.factors.product = m.RegN("factors_product", rateBits+alphaBits)
	m.Unused(b.io.Settings.CNPGap)
	r.factors.product.Set(r.factors.a.Mul(r.factors.b))
	r.take()
	a := r.look()
	r.raise(a)
	r.update(a)
	r.cut(a)
	r.store()
	r.st.Switch(r.arms...)
}

// on says what is done in a step.
func (r *rates) on(s rateStep, body func()) { r.arms = append(r.arms, hdl.On(s, body)) }

// take chooses the next queue pair, and reads what is known of it. After reset all are written once.
func (r *rates) take() {
	m, bits := r.m, r.p.Sizes.QPBits
	over, swept, turns := m.Reg("over", bits, 0), m.Reg("swept", 1, 0), m.Reg("turns", 1, 0)
	next := r.st.Is(rateNext)
	r.turn.Ready.Set(hdl.AndAll(next, swept, turns.Not()))
	takes := r.turn.Fire()
	at := hdl.Mux(takes, r.turn.Data.QP, over)
	r.on(rateNext, func() {
		turns.Set(takes)
		r.qp.Set(at)
		r.cnp.Set(takes)
		r.moved.SetK(0)
		m.If(takes.Not(), func() {
			over.Set(over.AddK(1))
			swept.Set(swept.Or(over.All()))
		})
		m.If(swept, func() { r.st.Goto(rateRead) })
	})
	was := hdl.Unpack(word{}, r.words.Read("was", at, next.And(swept)))
	clears := hdl.AndAll(r.cnp, r.begins, r.qp.Eq(r.io.Control.Data.QP))
	r.on(rateRead, func() {
		hdl.Set(r.w, was)
		r.clears.Set(clears)
		r.st.Goto(rateAsk)
		m.If(r.cnp.Or(was.Slowed).Not(), func() { r.st.Goto(rateNext) })
	})

	r.looks.Valid.Set(r.st.Is(rateAsk))
	hdl.Set(r.looks.Data, look{QP: r.qp, Begins: r.clears.Or(r.w.Slowed.Not())})
	r.on(rateAsk, func() { m.If(r.looks.Ready, func() { r.st.Goto(rateHear) }) })

	ends := r.st.Is(rateStore)
	sweeps := next.And(swept.Not())
	r.begun.Set(ends.And(r.clears))
	kept := hdl.Pack(r.w)
	r.words.Write(hdl.Mux(next, over, r.qp), ends.Or(sweeps), hdl.Mux(next.Or(r.clears), kept.K(0), kept))
	r.sets.en.Set(sweeps.Or(ends.And(r.moved.Or(r.clears))))
	r.sets.qp.Set(hdl.Mux(next, over, r.qp))
}

// ages is what has passed when a queue pair is looked at, and when that was.
type ages struct {
	ticks, bytes, cut, updates hdl.Bits // since the last increases, cut and update of alpha
	tick, count, epoch         hdl.Bits
}

// look takes the bytes that were sent, and what has passed. The first CNP finds a queue pair at its first rate.
func (r *rates) look() ages {
	m, s := r.m, r.io.Settings
	a := ages{
		ticks: m.RegN("age_ticks", tickBits), bytes: m.RegN("age_bytes", countBits), cut: m.RegN("age_cut", tickBits),
		updates: m.RegN("age_updates", epochBits),
		tick:    m.RegN("at_tick", tickBits), count: m.RegN("at_count", countBits), epoch: m.RegN("at_epoch", epochBits),
	}
	r.on(rateHear, func() {
		a.tick.Set(r.tick)
		a.count.Set(r.count)
		a.epoch.Set(r.epoch)
		m.If(r.looked, func() { r.st.Goto(rateAges) })
	})
	begin := hdl.Mux(s.FirstRate.Any(), s.FirstRate, s.LineRate)
	r.on(rateAges, func() {
		a.ticks.Set(a.tick.Sub(r.w.Tick))
		a.bytes.Set(a.count.Sub(r.w.Count))
		a.cut.Set(a.tick.Sub(r.w.CutTick))
		a.updates.Set(a.epoch.Sub(r.w.Epoch))
		r.atLine.SetK(0)
		r.st.Goto(rateDue)
		m.If(r.w.Slowed.Not(), func() {
			a.updates.SetK(0)
			zero := hdl.K(1, 0)
			hdl.Set(r.w, word{
				Slowed: hdl.K(1, 1), Rate: begin, Target: begin, Alpha: s.InitialAlpha, Seen: zero, Epoch: a.epoch, Tick: a.tick, Count: a.count,
				TimeStage: hdl.K(stageBits, 0), ByteStage: hdl.K(stageBits, 0), Recent: zero, CutTick: a.tick,
			})
			r.st.Goto(rateAlpha)
		})
		m.If(r.clears, func() { r.st.Goto(rateStore) })
	})
	return a
}
