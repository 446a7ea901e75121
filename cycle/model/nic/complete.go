package nic

import (
	"gornic/cycle/model/link"
	"gornic/cycle/simkit"
	"gornic/format"
)

// completer has responses retire entries of the replay ring, and WQEs complete.
type completer struct {
	*simkit.Component
	n *NIC

	first, interval, packet, read, other, retiredTime Cycle

	in          *simkit.Stream[commit]
	failures    *simkit.Stream[failure]
	completions *simkit.Stream[link.CQE]
	retired     *simkit.Stream[retired] // to requester
	freed       *simkit.Stream[int32]   // to scheduler
	heard       *simkit.Stream[heard]
	free        Cycle
	open        bool  // a response is being worked on
	count       int32 // entries that it has retired
}

// failure is a WQE that retry gives up.
type failure struct {
	qp     int32
	status format.Status
}

// heard is what a response means for timers and retries.
type heard struct {
	qp   int32
	kind heardKind
	psn  uint32 // that is owed behind it
	wait int    // RNR timer code
}

type heardKind uint8

const (
	heardProgress heardKind = iota
	heardRestart
	heardRNR
	heardStarted
)

func (c *completer) run(now Cycle) Cycle {
	if now < c.free {
		return c.free
	}
	if c.failures.Ready() {
		c.fail(now, c.failures.Pop())
		return now + 1
	}
	if !c.in.Ready() {
		return min(c.in.Next(0), c.failures.Next(0))
	}
	if !c.completions.Room() {
		return c.Waits("cqewriter")
	}
	if !c.heard.RoomFor(2) {
		return c.Waits("retry")
	}
	x := c.in.Head()
	q := &c.n.qps[x.f.QP]
	if c.step(now, x, q) {
		c.in.Pop()
		c.open, c.count = false, 0
		c.Use.Items++
	}
	c.Busy(c.free)
	return min(c.in.Next(c.free), c.failures.Next(c.free))
}

// step retires the oldest entry if the response answers it; true: the response is over.
func (c *completer) step(now Cycle, x *commit, q *qp) bool {
	if q.failed || q.head == q.tail {
		c.free = now + c.other
		return true
	}
	e := &q.ring[q.head%uint32(len(q.ring))]
	psn := x.f.PSN
	newest := q.ring[(q.tail-1)%uint32(len(q.ring))].last
	if int32(psn-newest) > 0 || int32(psn-c.owedPSN(q, e)) < 0 {
		c.free = now + c.other
		return true // ahead of what was sent, or before what is owed
	}
	if isData(x.f.Op) {
		return c.data(now, x, q, e)
	}
	return c.acknowledge(now, x, q, e)
}

// owedPSN is the PSN that is owed.
func (c *completer) owedPSN(q *qp, e *entry) uint32 {
	if e.response && q.retry.progress != 0 && int32(q.retry.owed-e.psn) > 0 {
		return q.retry.owed
	}
	return e.psn
}

// acknowledge goes on with an ACK, a NAK or an RNR NAK.
func (c *completer) acknowledge(now Cycle, x *commit, q *qp, e *entry) bool {
	psn := x.f.PSN
	ack := x.f.Syndrome < link.SyndromeRNR
	own := int32(psn-e.psn) >= 0 && int32(psn-e.last) <= 0
	switch {
	case e.response:
		// What is behind a READ or atomic, or at it, says that a response is lost.
		if own && !ack {
			return c.negative(now, x, q)
		}
		c.tell(x, heardRestart, e.psn)
		c.free = now + c.other
		return true
	case own && !ack:
		return c.negative(now, x, q)
	case int32(psn-e.psn) < 0:
		c.free = now + c.other
		return true
	}
	last := psn == e.last
	c.retire(now, x.f.QP, q, e)
	c.free = now + c.packet
	if last && ack || q.head == q.tail {
		c.free = now + pickCycle(c.count == 1, c.interval, c.packet)
		return true
	}
	if next := &q.ring[q.head%uint32(len(q.ring))]; int32(psn-next.psn) < 0 {
		return true
	}
	return false
}

func pickCycle(c bool, a, b Cycle) Cycle {
	if c {
		return a
	}
	return b
}

// negative is a NAK at the PSN that is owed.
func (c *completer) negative(now Cycle, x *commit, q *qp) bool {
	c.free = now + c.other
	switch s := x.f.Syndrome; {
	case s == link.SyndromeSequence:
		c.tell(x, heardRestart, x.f.PSN)
	case s < link.SyndromeSequence:
		q.stats.RNRs++
		c.heard.Push(heard{qp: x.f.QP, kind: heardRNR, psn: x.f.PSN, wait: int(s & 0x1F)})
	}
	return true
}

// data goes on with data of a READ, or the answer to an atomic.
func (c *completer) data(now Cycle, x *commit, q *qp, e *entry) bool {
	c.free = now + c.other
	switch {
	case x.match == matchGap:
		if e.response {
			c.tell(x, heardRestart, c.owedPSN(q, e))
			return true
		}
		// It acknowledges the requests before it.
		c.retire(now, x.f.QP, q, e)
		c.free = now + c.packet
		return false
	case x.match == matchStray:
		return true
	case !e.response || int32(x.f.PSN-e.last) > 0:
		if e.response {
			c.tell(x, heardRestart, c.owedPSN(q, e))
			return true
		}
		c.retire(now, x.f.QP, q, e)
		c.free = now + c.packet
		return q.head == q.tail
	case x.match == matchDone:
		c.retire(now, x.f.QP, q, e)
		c.free = now + c.read
		return true
	}
	q.retry.progress = 1
	q.retry.owed = x.f.PSN + 1
	c.tell(x, heardProgress, x.f.PSN+1)
	return true
}

func (c *completer) tell(x *commit, kind heardKind, psn uint32) {
	c.heard.Push(heard{qp: x.f.QP, kind: kind, psn: psn})
}

// retire takes the oldest entry off its ring.
func (c *completer) retire(now Cycle, i int32, q *qp, e *entry) {
	c.count++
	q.head++
	reads := uint32(0)
	if e.response {
		reads = 1
	}
	q.retry.progress, q.retry.owed = 0, e.last+1
	c.retired.PushAt(retired{uint32(i), 1, reads}, now+c.first)
	c.freed.PushAt(i, now+c.first)
	if c.heard.Room() {
		c.heard.PushAt(heard{qp: i, kind: heardProgress, psn: e.last + 1}, now+c.first)
	}
	if w := q.SQ.At(e.wqe); e.ends && w.Signaled {
		c.completions.PushAt(link.CQE{QP: i, WQE: e.wqe, Bytes: w.Length}, now+c.first)
	}
}

// fail completes the oldest WQE with the cause, and those behind it as flushed.
func (c *completer) fail(now Cycle, f failure) {
	q := &c.n.qps[f.qp]
	if q.failed || q.head == q.tail {
		return
	}
	q.failed = true
	e := &q.ring[q.head%uint32(len(q.ring))]
	c.completions.PushAt(link.CQE{QP: f.qp, WQE: e.wqe, Status: f.status}, now+c.first)
	c.free = now + c.interval
}

// replay takes entries of packets as they leave.
type replay struct {
	*simkit.Component
	n       *NIC
	in      *simkit.Stream[recorded]
	started *simkit.Stream[heard]
}

// run takes records; retry hears of the first in a ring that was empty.
func (r *replay) run(now Cycle) Cycle {
	for r.in.Ready() {
		if !r.started.Room() {
			return r.Waits("retry")
		}
		x := r.in.Pop()
		q := &r.n.qps[x.qp]
		q.ring[q.tail%uint32(len(q.ring))] = x.e
		if q.head == q.tail {
			r.started.Push(heard{qp: x.qp, kind: heardStarted})
		}
		q.tail++
		r.Use.Items++
		r.Busy(now + 1)
	}
	return r.in.Next(0)
}

// cqeBytes is the bytes of a completion.
const cqeBytes = 32

// cqewriter writes completions to host memory.
type cqewriter struct {
	*simkit.Component
	n *NIC

	burst, interval, update Cycle

	in     [2]*simkit.Stream[link.CQE] // from completer, ackqueue
	bells  *simkit.Stream[int32]       // doorbells of completion queues
	rang   bool                        // the last thing was a doorbell
	writes *simkit.Stream[link.Write]
	wrote  *simkit.Stream[link.WriteDone]
	flying ringOf[link.CQE]
	turn   int
	free   Cycle
}

func (w *cqewriter) run(now Cycle) Cycle {
	for w.wrote.Ready() {
		d := w.wrote.Pop()
		c := w.flying.pop()
		w.n.Stats.CQEs++
		if w.n.p.Log != nil {
			w.n.p.Log(Event{Cycle: d.Last, Kind: Completed, QP: c.QP, WQE: c.WQE, Recv: c.Recv})
		}
		w.n.CQEs.Push(c)
	}
	next := w.wrote.Next(0)
	if now < w.free {
		return min(next, w.in[0].Next(w.free), w.in[1].Next(w.free), w.bells.Next(w.free))
	}
	if w.bells.Ready() && !(w.rang && (w.in[0].Ready() || w.in[1].Ready())) {
		w.bells.Pop()
		w.rang = true
		w.free = w.Busy(now + w.update)
		return min(next, w.in[0].Next(w.free), w.in[1].Next(w.free), w.bells.Next(w.free))
	}
	w.rang = false
	next = min(next, w.bells.Next(0))
	for range w.in {
		in := w.in[w.turn]
		w.turn = 1 - w.turn
		if !in.Ready() {
			next = min(next, in.Next(0))
			continue
		}
		if w.flying.size >= 32 {
			w.Waits("host memory")
			return next
		}
		if !w.writes.Room() {
			w.Waits("dma")
			return next
		}
		c := in.Pop()
		w.flying.push(c)
		w.writes.PushAfter(link.Write{Client: writeCQEs, Beats: max(1, cqeBytes/w.n.beatBytes()), Bytes: cqeBytes}, w.burst-1)
		w.free = w.Busy(now + w.interval)
		w.Use.Items++
		return min(next, w.in[0].Next(w.free), w.in[1].Next(w.free), w.bells.Next(w.free))
	}
	return next
}
