package retry

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
)

// decide is what becomes of the queue pair at hand.
func (b *block) decide() {
	m, is, to := b.m, b.is, b.to
	m.If(b.st.Is(stDecide), func() {
		hdl.Set(to, is)
		b.wheel.wants.SetK(0)
		b.measure()
		m.Switch(b.now.What,
			hdl.Case(opProgress, b.progress),
			hdl.Case(opLocal, func() { m.If(b.in(phaseIdle), b.rearm) }),
			hdl.Case(opRestart, b.restart),
			hdl.Case(opRNR, b.notReady),
			hdl.Case(opMarked, b.marked),
			hdl.Case(opResent, b.resent),
			hdl.Case(opFault, func() { m.If(b.oldest().And(b.in(phaseDead).Not()), b.fail) }),
			hdl.Case(opClear, b.clear),
			hdl.Case(opSendPSN, func() { to.PSN.Set(b.now.PSN) }),
			hdl.Case(opTimers, func() {
				hdl.Set(to.Timers, link.TimersOf(b.now.PSN))
				m.If(b.in(phaseIdle), b.rearm)
			}),
			hdl.Case(opVisit, b.visit),
			hdl.Case(opPay, b.paid),
			hdl.Default(func() {}),
		)
	})
	b.trace()
}

// measure sets what means nothing unless something is decided that needs it: why the queue pair fails, and
// where its timer stands in the wheel.
func (b *block) measure() {
	m, is, to, w, what := b.m, b.is, b.to, b.wheel, b.now.What
	m.If(b.in(phaseDead).Not(), func() {
		to.Vendor.Set(b.now.Vendor)
		to.Status.SetK(uint64(format.StatusRetryExceeded))
		m.If(what.Is(opRNR), func() { to.Status.SetK(uint64(format.StatusRNRExceeded)) })
		m.If(what.Is(opFault), func() { to.Status.SetK(uint64(format.StatusLocProt)) })
	})
	w.left.Set(is.Slot.Sub(w.slot))
	w.ahead.Set(w.within(b.ackTicks()))
	m.If(what.Is(opRNR), func() { w.ahead.Set(w.within(b.now.Ticks)) })
	m.If(what.Is(opVisit), func() { w.ahead.Set(w.within(is.Deadline.Sub(b.tick))) })
}

// in returns one bit: the queue pair is in one of the phases.
func (b *block) in(phases ...uint64) hdl.Bits {
	is := hdl.K(1, 0)
	for _, p := range phases {
		is = is.Or(b.is.Phase.Is(p))
	}
	return is
}

// progress takes the retry counters up anew. A failure that has been decided is too late.
func (b *block) progress() {
	m, to := b.m, b.to
	to.PSN.Set(b.now.PSN)
	to.Used.SetK(0)
	to.RNRUsed.SetK(0)
	to.Once.SetK(0)
	m.If(b.in(phaseDead), func() {
		to.Phase.SetK(phaseIdle)
		to.Owes.Failure.SetK(0)
		to.Owes.Wake.SetK(1)
	})
	m.If(b.in(phaseIdle, phaseDead), b.rearm)
}

// rearm has the ACK timer begin anew, if there is one.
func (b *block) rearm() { b.run(b.timers().Timeout.Any(), b.ackTicks()) }

// timers are those of the queue pair, or those that it is to have.
func (b *block) timers() link.Timers {
	return hdl.MuxOf(b.now.What.Is(opTimers), link.TimersOf(b.now.PSN), b.is.Timers)
}

// run sets the timer to a number of ticks from now, or off.
func (b *block) run(on, ticks hdl.Bits) {
	b.to.Runs.Set(on)
	b.to.Deadline.Set(b.tick.Add(ticks))
	b.wheel.wants.Set(on)
}

// restart is what is missing: counted once until there is progress, and not where it is known anyway.
func (b *block) restart() {
	b.m.If(b.is.Once.Not().And(b.in(phaseIdle, phaseMarking, phaseSending)), b.count)
}

// count has the packets sent again, unless that has been done too often.
func (b *block) count() {
	m, is, to := b.m, b.is, b.to
	m.If(is.Used.Eq(is.Timers.RetryCnt), b.fail).Else(func() {
		to.Used.Set(is.Used.AddK(1))
		to.Once.SetK(1)
		m.If(b.in(phaseIdle), func() {
			to.Phase.SetK(phaseMarking)
			to.Owes.Mark.SetK(1)
		})
		m.If(b.in(phaseSending), b.send)
	})
}

// send has resend begin with the oldest packet. A number that nobody has been told of is as good as a new one: so
// resend is behind by two at most, and two bits are enough.
func (b *block) send() {
	b.to.Phase.SetK(phaseSending)
	b.m.If(b.is.Untold.Not(), func() { b.to.Number.Set(b.is.Number.AddK(1)) })
	b.to.Untold.SetK(1)
	b.to.Owes.Resend.SetK(1)
}

// fail gives the queue pair up.
func (b *block) fail() {
	to := b.to
	to.Phase.SetK(phaseDead)
	to.Owes.Mark.SetK(0)
	to.Owes.Failure.SetK(1)
	b.m.If(b.in(phaseSending), func() { to.Owes.Resend.SetK(1) }) // to stop
}

// notReady begins the wait that an RNR NAK asks for, unless there is one, or there were too many.
func (b *block) notReady() {
	m, is, to := b.m, b.is, b.to
	forever := is.Timers.RNRRetry.All()
	m.If(b.in(phaseIdle, phaseMarking, phaseSending), func() {
		m.If(is.RNRUsed.Eq(is.Timers.RNRRetry).And(forever.Not()), b.fail).Else(func() {
			m.If(forever.Not(), func() { to.RNRUsed.Set(is.RNRUsed.AddK(1)) })
			b.run(hdl.K(1, 1), b.now.Ticks.ZExt(tickBits))
			to.Phase.SetK(phaseUnmarked)
			m.If(b.in(phaseIdle), func() { to.Owes.Mark.SetK(1) })
			m.If(b.in(phaseSending), func() {
				to.Phase.SetK(phaseWaiting)
				to.Owes.Resend.SetK(1) // to stop
			})
		})
	})
}

// marked is the mark come back: that of now, unless another one is owed since.
func (b *block) marked() {
	m := b.m
	b.to.MarkOut.SetK(0)
	m.If(b.is.Owes.Mark.Not(), func() {
		m.If(b.in(phaseMarking), b.send)
		m.If(b.in(phaseUnmarked), func() { b.to.Phase.SetK(phaseWaiting) })
	})
}

// resent ends the sending, if it answers the last Resend.
func (b *block) resent() {
	b.m.If(b.answered(), func() {
		b.to.Phase.SetK(phaseIdle)
		b.to.Owes.Wake.SetK(1)
		b.rearm()
	})
}

// answered returns one bit: if this is a Resent, it is that of the last Resend.
func (b *block) answered() hdl.Bits {
	return hdl.AndAll(b.in(phaseSending), b.is.Untold.Not(), b.is.Number.Eq(b.now.Number))
}

// oldest returns one bit: the PSN is the first one that is owed. Two carry chains are less deep than a comparison for equality.
func (b *block) oldest() hdl.Bits { return hdl.AndAll(b.now.PSN.Le(b.is.PSN), b.is.PSN.Le(b.now.PSN)) }

// clear begins a new life. What is linked and what is out stays so, and the numbers of Resends go on.
func (b *block) clear() {
	is := b.is
	begins := hdl.Unpack(is, hdl.Pack(is).K(0))
	begins.Number, begins.Untold = is.Number, is.Untold
	begins.Queued, begins.MarkOut = is.Queued, is.MarkOut
	begins.Listed, begins.Slot = is.Listed, is.Slot
	hdl.Set(b.to, begins)
}

// visit looks at the deadline of a queue pair that its slot in the wheel has brought. It has left the list, and enters
// another one while its timer means something.
func (b *block) visit() {
	m := b.m
	counts := b.in(phaseIdle).And(b.present)
	waits := b.in(phaseUnmarked, phaseWaiting)
	b.to.Listed.SetK(0)
	m.If(b.expired(), func() {
		m.If(counts, b.count)
		m.If(b.in(phaseUnmarked), func() { b.to.Phase.SetK(phaseMarking) })
		m.If(b.in(phaseWaiting), b.send)
	})
	b.wheel.wants.Set(hdl.AndAll(b.is.Runs, b.expired().Not(), counts.Or(waits)))
}

// expired returns one bit: the deadline has passed.
func (b *block) expired() hdl.Bits { return b.is.Runs.And(b.tick.Sub(b.is.Deadline).MSB().Not()) }

// timedOut returns one bit: an ACK timeout is counted.
func (b *block) timedOut() hdl.Bits {
	return hdl.AndAll(b.now.What.Is(opVisit), b.expired(), b.in(phaseIdle), b.present)
}

// trace shows what is decided.
func (b *block) trace() {
	m, to, qp := b.m, b.to, hdl.Field("qp", b.now.QP)
	does := func(op uint64) hdl.Bits { return b.st.Is(stWrite).And(b.now.What.Is(op)) }
	m.Event("missing", does(opRestart), qp, hdl.Field("psn", b.now.PSN), hdl.Field("used", to.Used), hdl.Field("phase", to.Phase))
	m.Event("timed_out", b.io.Timeout, qp, hdl.Field("psn", to.PSN), hdl.Field("used", to.Used), hdl.Field("phase", to.Phase))
	m.Event("not_ready", does(opRNR), qp, hdl.Field("psn", b.now.PSN), hdl.Field("ticks", b.now.Ticks), hdl.Field("used", to.RNRUsed), hdl.Field("phase", to.Phase))
	m.Event("sent_again", does(opResent), qp, hdl.Field("number", b.now.Number), hdl.Field("phase", to.Phase))
}
