package nic

import (
	"gornic/blocks/dcqcn"
	"gornic/cycle/simkit"
	"gornic/format"
)

// flow is the rate of a queue pair: the algorithm in plain Go.
type flow = dcqcn.Flow

// rates is the blocks dcqcn and cnp.
type rates struct {
	*simkit.Component
	n *NIC

	wake, markTime Cycle

	cnps     *simkit.Stream[int32] // to transmit
	wakes    [3]*simkit.Stream[int32]
	timers   timerHeap
	settings format.Congestion[uint64]
}

const (
	headerCost  = 64 // bytes that a packet costs beside its payload
	slackCycles = 128
	slotCycles  = 32 // of the wheel: a wake is late by so much at most
	perTick     = 4  // ticks of congestion control in one of the ACK timers
)

// tick is the number of a tick of 1.024 us.
func (r *rates) tick(now Cycle) int64 { return now / max(1, Cycle(r.n.p.AckTick)/perTick) }

// pay counts what a packet costs at the rate of its queue pair, which then waits until the next one may go.
func (r *rates) pay(now Cycle, j *job) {
	if r.n.p.Rates == nil || j.kind == jobMark {
		return
	}
	q := &r.n.qps[j.frame.QP]
	if !q.flow.Slowed {
		return
	}
	bytes := uint64(j.frame.Length + headerCost)
	q.flow.Advance(r.settings, r.tick(now))
	q.flow.Sent(r.settings, bytes)
	if !q.flow.Slowed {
		return
	}
	// A tick is 1.024 us: so many Mb/s are rate*1.024/8 bytes a tick.
	ticks := dcqcn.Wait(float64(bytes), float64(q.flow.Rate))
	cost := Cycle(ticks * float64(max(1, r.n.p.AckTick/perTick)) * 1024)
	slack := Cycle(max(slackCycles, r.n.p.AckTick/perTick)) << 10
	q.next = max(q.next, now<<10-slack) + cost
	if at := (q.next + 1023) >> 10; at > now && !q.waits {
		q.waits = true
		r.timers.Push(timer{(at + slotCycles - 1) / slotCycles * slotCycles, j.frame.QP})
		r.Wake(now)
	}
}

// notify is a CNP that has come.
func (r *rates) notify(now Cycle, i int32) {
	q := &r.n.qps[i]
	q.stats.CNPs++
	if r.n.p.Rates == nil || !q.ECT {
		return
	}
	if !q.flow.Slowed {
		q.next = now << 10
	}
	q.flow.Advance(r.settings, r.tick(now))
	q.flow.CNP(r.settings)
}

// mark is a packet that has come with the mark of congestion: a CNP is owed, unless one was sent a moment ago.
func (r *rates) mark(now Cycle, i int32) {
	q := &r.n.qps[i]
	if r.n.p.Rates == nil || !q.ECT {
		return
	}
	gap := Cycle(r.settings.CNPGap) * max(1, Cycle(r.n.p.AckTick)/perTick)
	if q.cnpSent >= 0 && now-q.cnpSent < gap || !r.cnps.Room() {
		return
	}
	q.cnpSent = now
	r.cnps.PushAt(i, now+r.markTime)
}

func (r *rates) run(now Cycle) Cycle {
	for len(r.timers) > 0 && r.timers[0].at <= now {
		t := r.timers.Pop()
		q := &r.n.qps[t.qp]
		if at := (q.next + 1023) >> 10; at > now {
			r.timers.Push(timer{(at + slotCycles - 1) / slotCycles * slotCycles, t.qp})
			continue
		}
		q.waits = false
		for _, w := range r.wakes {
			w.PushAfter(t.qp, r.wake-1)
		}
		r.Use.Items++
	}
	if len(r.timers) == 0 {
		return simkit.Never
	}
	return r.timers[0].at
}
