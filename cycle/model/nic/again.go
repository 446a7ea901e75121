package nic

import (
	"gornic/cycle/model/link"
	"gornic/cycle/simkit"
	"gornic/format"
)

// retry decides when packets are sent again (protocol sections 4.4 to 4.6).
type retry struct {
	*simkit.Component
	n *NIC

	operation, markTime, resendTime Cycle

	heard    *simkit.Stream[heard] // from completer
	started  *simkit.Stream[heard] // from replay
	marked   *simkit.Stream[int32]
	resent   *simkit.Stream[resent]
	marks    *simkit.Stream[int32]
	resends  *simkit.Stream[resendOrder]
	wakes    *simkit.Stream[int32]
	failures *simkit.Stream[failure]
	timers   timerHeap
	free     Cycle
}

// retryState is the state of a queue pair in retry.
type retryState struct {
	phase    phase
	deadline Cycle // of the timer in idle, or of an RNR wait
	inHeap   bool
	retries  int
	rnrs     int
	missing  bool // counted since the last progress
	number   uint32
	progress int8   // data of the oldest READ has come
	owed     uint32 // PSN
	dead     bool
}

type phase uint8

const (
	idle phase = iota
	marking
	unmarked // an RNR wait, and the mark has not come
	waiting  // an RNR wait, and it has
	sending
)

// held tells that packets of the queue pair are being sent again.
func (s *retryState) held() bool { return s.phase != idle }

type resent struct {
	qp     int32
	number uint32
}

type resendOrder struct {
	qp     int32
	number uint32
	stop   bool
}

// timer is a deadline that was set once, and may have moved since.
type timer struct {
	at Cycle
	qp int32
}

// timerHeap is a heap of timers, the first in front.
type timerHeap = simkit.Heap[timer]

func (t timer) Before(o timer) bool { return t.at < o.at || t.at == o.at && t.qp < o.qp }

func (r *retry) run(now Cycle) Cycle {
	if now < r.free {
		return r.free
	}
	next := simkit.Never
	switch {
	case r.started.Ready():
		r.take(now, r.started.Pop())
	case r.heard.Ready():
		r.take(now, r.heard.Pop())
	case r.marked.Ready():
		r.mark(now, r.marked.Pop())
	case r.resent.Ready():
		r.over(now, r.resent.Pop())
	case len(r.timers) > 0 && r.timers[0].at <= now:
		r.visit(now, r.timers.Pop())
	default:
		next = min(r.started.Next(0), r.heard.Next(0), r.marked.Next(0), r.resent.Next(0))
		if len(r.timers) > 0 {
			next = min(next, r.timers[0].at)
		}
		return next
	}
	r.free = r.Busy(now + r.operation)
	r.Use.Items++
	return r.free
}

// tick is the cycle in which a wait of so many ticks ends that begins now.
func (r *retry) tick(now Cycle, ticks Cycle) Cycle {
	t := Cycle(r.n.p.AckTick)
	return (now/t + ticks) * t
}

// arm begins the ACK timer anew.
func (r *retry) arm(now Cycle, i int32, s *retryState) {
	if r.n.p.Timeout == 0 {
		return
	}
	r.set(i, s, r.tick(now, 1<<r.n.p.Timeout+1))
}

func (r *retry) set(i int32, s *retryState, at Cycle) {
	earlier := at < s.deadline
	s.deadline = at
	if !s.inHeap || earlier {
		s.inHeap = true
		r.timers.Push(timer{at, i})
	}
}

func (r *retry) take(now Cycle, h heard) {
	s := &r.n.qps[h.qp].retry
	if s.dead {
		return
	}
	switch h.kind {
	case heardStarted:
		if s.phase == idle {
			r.arm(now, h.qp, s)
		}
	case heardProgress:
		s.retries, s.rnrs, s.missing = 0, 0, false
		if s.phase == idle {
			r.arm(now, h.qp, s)
		}
	case heardRestart:
		r.restart(now, h.qp, s)
	case heardRNR:
		r.notReady(now, h, s)
	}
}

// restart is what is missing: counted once until there is progress, and not where it is known anyway.
func (r *retry) restart(now Cycle, i int32, s *retryState) {
	if s.missing || s.phase == unmarked || s.phase == waiting {
		return
	}
	s.missing = true
	if r.counts(i, s) && s.phase != marking {
		r.begin(now, i, s)
	}
}

// counts counts a restart; false: it was one too many.
func (r *retry) counts(i int32, s *retryState) bool {
	s.retries++
	if s.retries > r.n.p.Retries {
		s.dead = true
		r.failures.Push(failure{i, format.StatusRetryExceeded})
		return false
	}
	r.n.qps[i].stats.Retries++
	return true
}

// begin has a mark given, or, where packets are being sent again, has them sent anew.
func (r *retry) begin(now Cycle, i int32, s *retryState) {
	if s.phase == sending {
		r.order(i, s)
		return
	}
	s.phase = marking
	r.marks.PushAfter(i, r.markTime-1)
}

func (r *retry) order(i int32, s *retryState) {
	s.number++
	s.phase = sending
	r.resends.PushAfter(resendOrder{qp: i, number: s.number}, r.resendTime-1)
}

// notReady begins an RNR wait.
func (r *retry) notReady(now Cycle, h heard, s *retryState) {
	if s.phase == unmarked || s.phase == waiting {
		return
	}
	s.rnrs++
	if r.n.p.RNRs < 7 && s.rnrs > r.n.p.RNRs {
		s.dead = true
		r.failures.Push(failure{h.qp, format.StatusRNRExceeded})
		return
	}
	units := rnrUnits[h.wait&31]
	r.set(h.qp, s, r.tick(now, (units*10_000+4095)/4096+1))
	switch s.phase {
	case idle:
		s.phase = unmarked
		r.marks.PushAfter(h.qp, r.markTime-1)
	case marking:
		s.phase = unmarked
	case sending:
		s.phase = waiting
		r.resends.Push(resendOrder{qp: h.qp, stop: true})
	}
}

// rnrUnits is the wait of each timer code in units of 10 us (protocol section 1.6).
var rnrUnits = [32]Cycle{
	65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192,
	256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
}

func (r *retry) mark(now Cycle, i int32) {
	s := &r.n.qps[i].retry
	switch s.phase {
	case marking:
		r.order(i, s)
	case unmarked:
		s.phase = waiting
		r.set(i, s, s.deadline)
	}
}

func (r *retry) over(now Cycle, x resent) {
	s := &r.n.qps[x.qp].retry
	if s.phase != sending || s.number != x.number {
		return
	}
	s.phase = idle
	r.arm(now, x.qp, s)
	r.wakes.Push(x.qp)
}

// visit looks at a deadline that has come.
func (r *retry) visit(now Cycle, t timer) {
	q := &r.n.qps[t.qp]
	s := &q.retry
	if s.dead || t.at > now {
		return
	}
	s.inHeap = false
	if s.deadline > now {
		s.inHeap = true
		r.timers.Push(timer{s.deadline, t.qp})
		return
	}
	switch s.phase {
	case waiting:
		r.order(t.qp, s)
	case idle:
		if q.head != q.tail && r.counts(t.qp, s) {
			r.begin(now, t.qp, s)
		}
	case unmarked:
		s.phase = marking
	}
}

// resend makes the packets of a replay ring again.
type resend struct {
	*simkit.Component
	n *NIC

	first, same, other, sge Cycle

	orders  *simkit.Stream[resendOrder]
	wakes   *simkit.Stream[int32]
	reads   *simkit.Stream[link.Read]
	done    *simkit.Stream[link.ReadDone]
	jobs    *simkit.Stream[job]
	segs    *simkit.Stream[segment]
	resent  *simkit.Stream[resent]
	queue   ringOf[int32]
	free    Cycle
	held    int64 // the WQE that was read last
	reading bool
}

// resendState is what is in force of a queue pair.
type resendState struct {
	on     bool
	number uint32
	at     uint32 // the entry that is next
	queued bool
}

func (r *resend) hear(now Cycle) Cycle {
	for r.orders.Ready() {
		o := r.orders.Pop()
		q := &r.n.qps[o.qp]
		if o.stop {
			q.resend.on = false
			continue
		}
		q.resend.on, q.resend.number, q.resend.at = true, o.number, q.head
		r.enter(o.qp)
		r.free = max(r.free, now+r.first)
	}
	for r.wakes.Ready() {
		r.enter(r.wakes.Pop())
	}
	return min(r.orders.Next(0), r.wakes.Next(0))
}

func (r *resend) enter(i int32) {
	if s := &r.n.qps[i].resend; s.on && !s.queued {
		s.queued = true
		r.queue.push(i)
	}
}

func (r *resend) run(now Cycle) Cycle {
	if r.reading {
		if !r.done.Ready() {
			r.Waits("host memory")
			return r.done.Next(0)
		}
		r.done.Pop()
		r.reading = false
	}
	if r.queue.size == 0 {
		return simkit.Never
	}
	if now < r.free {
		return r.free
	}
	i := *r.queue.front()
	q := &r.n.qps[i]
	if int32(q.resend.at-q.head) < 0 {
		q.resend.at = q.head
	}
	if !q.resend.on || q.resend.at == q.tail {
		r.leave(i, q)
		return now + 1
	}
	if q.waits {
		r.queue.pop()
		q.resend.queued = false
		return now + 1
	}
	if !r.jobs.Room() || !r.segs.RoomFor(link.MaxSGEs) {
		return r.Waits("transmit")
	}
	e := &q.ring[q.resend.at%uint32(len(q.ring))]
	name := int64(i)<<32 | int64(e.wqe)
	cost := r.same
	if name != r.held {
		if !r.reads.Room() {
			return r.Waits("dma")
		}
		bytes := q.SQ.Stride
		r.reads.Push(link.Read{Client: readResend, Beats: bytes / r.n.beatBytes(), Bytes: bytes})
		r.held = name
		r.reading = true
		r.Waits("host memory")
		return simkit.Never
	}
	r.packet(now, i, q, e)
	q.resend.at++
	r.queue.pop()
	r.queue.push(i)
	r.free = r.Busy(now + cost)
	r.Use.Items++
	return r.free
}

// leave ends what is sent again of a queue pair.
func (r *resend) leave(i int32, q *qp) {
	r.queue.pop()
	q.resend.queued = false
	if q.resend.on {
		q.resend.on = false
		r.resent.Push(resent{i, q.resend.number})
	}
}

// packet sends the packet of an entry again.
func (r *resend) packet(now Cycle, i int32, q *qp, e *entry) {
	w := q.SQ.At(e.wqe)
	f := link.Frame{
		QP: i, From: int8(r.n.p.Node), Op: e.op, PSN: e.psn, LastPSN: e.last, Length: e.length, WQE: e.wqe, Offset: e.offset, Total: e.total,
		Remote: w.Remote, ECT: q.ECT,
	}
	if e.op == format.OpReadRequest && q.retry.progress != 0 && q.resend.at == q.head && int32(q.retry.owed-e.psn) > 0 {
		done := int32(q.retry.owed-e.psn) * q.MTU
		f.PSN, f.Total = q.retry.owed, e.total-done
		f.Remote.Addr += uint64(done)
	}
	at := int(q.resend.at - q.head)
	half := r.n.p.Replay/2 - 1
	f.AckReq = e.ends || q.resend.at+1 == q.tail || at&half == half
	r.n.size(&f)
	j := job{kind: jobResend, frame: f}
	if !e.response && e.length > 0 {
		j.segments, j.payload = true, true
		r.segments(now, i, w, e)
	}
	r.jobs.Push(j)
}

// segments gives the pieces of SGEs that an entry's packet covers.
func (r *resend) segments(now Cycle, i int32, w *link.WQE, e *entry) {
	if w.Inline {
		r.segs.Push(segment{qp: i, addr: uint64(format.ControlGranules * format.GranuleBytes), length: e.length, last: true, bus: true})
		return
	}
	skip, need, at := e.offset, e.length, now+1
	for k := 0; need > 0; k++ {
		s := w.SGE[k]
		if skip >= s.Length {
			skip -= s.Length
			continue
		}
		n := min(need, s.Length-skip)
		need -= n
		r.segs.PushAt(segment{qp: i, key: s.Key, addr: s.Addr + uint64(skip), length: n, last: need == 0}, at)
		skip = 0
		at += r.sge
	}
}
