package nic

import (
	"gornic/cycle/model/link"
	"gornic/cycle/simkit"
	"gornic/format"
)

// doorbell is the blocks registers and doorbell: a doorbell every few cycles, to the queue that it rings for.
type doorbell struct {
	*simkit.Component
	n        *NIC
	latency  Cycle
	interval Cycle
	free     Cycle
	sq, rq   *simkit.Stream[link.Bell]
	cq       *simkit.Stream[int32] // to cqewriter
}

func (d *doorbell) run(now Cycle) Cycle {
	in := d.n.Bells
	if in.Ready() && now >= d.free {
		b := in.Pop()
		switch {
		case b.CQ:
			d.cq.Push(b.QP)
		case b.Recv:
			d.rq.PushAfter(b, d.latency-1)
		default:
			d.sq.PushAfter(b, d.latency-1)
		}
		d.n.Stats.Doorbells++
		d.Use.Items++
		d.free = d.Busy(now + d.interval)
	}
	return in.Next(d.free)
}

// wqefetch reads WQEs ahead: one for send queues, one for receive queues.
type wqefetch struct {
	*simkit.Component
	n       *NIC
	recv    bool
	client  int8
	outMost int // bursts on their way
	pool    int // slots of 64 bytes left for all queues; -1: each has its own

	dueTime, burst, interval, again, granule, arrive Cycle

	bells  *simkit.Stream[link.Bell]
	takes  *simkit.Stream[int32]
	reads  *simkit.Stream[link.Read]
	done   *simkit.Stream[link.ReadDone]
	landed *simkit.Stream[arrived] // what has come, when it is in the memory
	ready  *simkit.Stream[int32]

	due      ringOf[waiter]
	flights  ringOf[flight]
	flying   int   // bursts that have not landed
	room     Cycle // when the last that landed made room for another
	next     burst // that has been made up, and waits for room; none if it has no WQEs
	free     Cycle
	granules Cycle // when the memory's port is free
	came     simkit.Gate
}

// waiter is a queue pair that is due, since a cycle.
type waiter struct {
	qp    int32
	since Cycle
}

// flight is a burst of WQEs that is on its way.
type flight struct {
	qp    int32
	count uint32
}

// burst is a read of WQEs that has been made up.
type burst struct {
	flight
	at   Cycle // when it may leave
	more bool  // WQEs had been posted that it does not take
}

// arrived is a WQE that has come, the last of its burst or not.
type arrived struct {
	qp   int32
	last bool
}

func (w *wqefetch) heads(i int32) *heads {
	if w.recv {
		return &w.n.qps[i].recvHeads
	}
	return &w.n.qps[i].sendHeads
}

func (w *wqefetch) ring(i int32) *link.Ring {
	if w.recv {
		return w.n.qps[i].RQ
	}
	return w.n.qps[i].SQ
}

// hear takes doorbells and steps of heads.
func (w *wqefetch) hear(now Cycle) Cycle {
	for w.bells.Ready() {
		b := w.bells.Pop()
		w.heads(b.QP).producer = b.Producer
		w.becomesDue(b.QP, b.Rung+w.n.db.latency)
	}
	for w.takes.Ready() {
		i := w.takes.Pop()
		w.heads(i).head++
		if w.pool >= 0 {
			w.pool += int(w.ring(i).Stride) / format.WQEBytesMin
		}
		w.becomesDue(i, now)
	}
	return min(w.bells.Next(0), w.takes.Next(0))
}

func (w *wqefetch) becomesDue(i int32, since Cycle) {
	if h := w.heads(i); !h.due {
		h.due = true
		w.due.push(waiter{i, since + w.dueTime})
	}
}

// fetch makes up bursts. How many WQEs there are is looked up in the cycle behind the grant, room for the burst is waited for with that.
func (w *wqefetch) fetch(now Cycle) Cycle {
	if w.next.count == 0 {
		if w.due.size == 0 {
			return simkit.Never
		}
		who := w.due.front()
		begins := max(w.free, who.since)
		if now <= begins {
			return begins + 1
		}
		w.look(begins, w.due.pop().qp)
		if w.next.count == 0 {
			return now + 1
		}
	}
	if w.flying >= w.outMost {
		return w.Waits("host memory") // what lands wakes it
	}
	if !w.reads.Room() {
		return w.Waits("dma")
	}
	w.ask(now)
	return max(w.free, now) + 1
}

// look makes up the burst of a queue pair whose turn begins in a cycle.
func (w *wqefetch) look(begins Cycle, i int32) {
	h := w.heads(i)
	h.due = false
	w.free = w.Busy(begins + w.interval)
	count := w.count(i, h)
	w.next = burst{flight: flight{i, count}, at: begins + w.burst, more: h.producer-h.fetched != count}
}

// count is how many WQEs a burst takes.
func (w *wqefetch) count(i int32, h *heads) uint32 {
	ring := w.ring(i)
	slots := uint32(format.WQEBytesMin)
	all := uint32(w.n.p.WQEs) * 2 * slots / uint32(ring.Stride)
	room := all - (h.fetched - h.head)
	if w.pool >= 0 {
		room = min(room, uint32(w.pool)*slots/uint32(ring.Stride))
	}
	length := uint32(len(ring.Slots))
	page := uint32(4096) / uint32(ring.Stride)
	toEnd := min(length, page) - h.fetched%min(length, page)
	return min(h.producer-h.fetched, room, max(all/2, 1), toEnd)
}

// ask sends the burst that has been made up.
func (w *wqefetch) ask(now Cycle) {
	b := w.next
	w.next = burst{}
	i, h := b.qp, w.heads(b.qp)
	at := max(b.at, now+1, w.room)
	w.free += at - b.at // the next one is made up behind it
	bytes := int32(b.count) * w.ring(i).Stride
	beats := bytes / w.n.beatBytes()
	w.reads.PushAt(link.Read{Client: w.client, Beats: beats, Bytes: bytes}, at)
	w.flights.push(b.flight)
	w.flying++
	if !w.recv && w.n.p.Log != nil {
		w.n.p.Log(Event{Cycle: at + w.n.mem.address, Kind: WQERead, QP: i, WQE: h.fetched})
	}
	h.fetched += b.count
	if w.pool >= 0 {
		w.pool -= int(bytes) / format.WQEBytesMin
	}
	w.Use.Items += int64(b.count)
	if b.more {
		w.becomesDue(i, at+w.again)
	}
}

// land takes WQEs that have come, into the memory and to who waits for them.
func (w *wqefetch) land(now Cycle) Cycle {
	for w.done.Ready() {
		d := w.done.Pop()
		f := w.flights.pop()
		slots := Cycle(w.ring(f.qp).Stride / format.WQEBytesMin)
		beats := Cycle(d.Beats) / Cycle(f.count)
		for k := range Cycle(f.count) {
			came := d.First + beats*(k+1) - 1
			w.granules = max(w.granules+w.granule*slots, came+w.arrive+w.granule*(slots-1))
			w.landed.PushAt(arrived{f.qp, k+1 == Cycle(f.count)}, w.granules-1) // a cycle passes from there to who hears of it
		}
	}
	for w.landed.Ready() {
		f := w.landed.Pop()
		w.heads(f.qp).here++
		if f.last {
			w.flying--
			w.room = now + 2 // the count of bursts on their way is a register
		}
		w.ready.Push(f.qp)
		w.came.Open()
	}
	return min(w.done.Next(0), w.landed.Next(0))
}

// scheduler chooses whose turn it is, round robin.
type scheduler struct {
	*simkit.Component
	n     *NIC
	wakes []*simkit.Stream[int32]
	grant *simkit.Stream[int32]
	queue ringOf[int32]
	in    []bool
}

func (s *scheduler) run(now Cycle) Cycle {
	next := simkit.Never
	for _, w := range s.wakes {
		for w.Ready() {
			if i := w.Pop(); !s.in[i] {
				s.in[i] = true
				s.queue.push(i)
			}
		}
		next = min(next, w.Next(0))
	}
	if s.queue.size == 0 {
		return next
	}
	if !s.grant.Room() {
		s.Waits("requester")
		return next
	}
	// It stands in the queue until the requester takes the grant: wakes before that add nothing.
	s.grant.Push(s.queue.pop())
	s.Use.Items++
	s.Busy(now + 1)
	if s.queue.size > 0 {
		return now + 1
	}
	return next
}

// requester makes request packets, one of the queue pair whose turn it is.
type requester struct {
	*simkit.Component
	n *NIC

	look, interval, empty, job, plan, sum, next, read, atomic, inline, inlineReady, end, made Cycle

	grants  *simkit.Stream[int32]
	turns   *simkit.Stream[turn]
	retired *simkit.Stream[retired]
	marks   *simkit.Stream[int32]
	jobs    *simkit.Stream[job]
	segs    *simkit.Stream[segment]
	again   *simkit.Stream[int32]
	issue   *simkit.Stream[issued]

	lookFree Cycle
	turnQP   int32
	turnEnds Cycle
}

// turn is a queue pair that has been looked up.
type turn struct {
	qp    int32
	empty bool
}

// retired is how many entries have left the replay ring.
type retired struct {
	qp, count, reads uint32
}

// job is a packet for transmit, or a mark.
type job struct {
	frame    link.Frame
	entry    entry
	kind     jobKind
	segments bool // Gathered tells of it
	payload  bool // and there is some
	more     int32
}

type jobKind uint8

const (
	jobPacket jobKind = iota
	jobAnswer
	jobResend
	jobMark
)

// issued is a READ or atomic that readmatch hears of.
type issued struct {
	qp int32
	o  outstanding
}

// hear takes what has left the replay ring.
func (r *requester) hear(Cycle) Cycle {
	for r.retired.Ready() {
		t := r.retired.Pop()
		q := &r.n.qps[t.qp]
		q.retired += t.count
		q.readsGone += t.reads
	}
	return r.retired.Next(0)
}

// lookUp begins turns.
func (r *requester) lookUp(now Cycle) Cycle {
	if !r.grants.Ready() {
		return r.grants.Next(r.lookFree)
	}
	if now < r.lookFree {
		return r.lookFree
	}
	i := *r.grants.Head()
	for k := range r.turns.Len() {
		if r.turns.At(k).qp == i {
			return simkit.Never // the end of that turn comes first
		}
	}
	if r.turnQP == i && now < r.turnEnds {
		return r.turnEnds
	}
	if !r.turns.Room() {
		return simkit.Never // the turn before is taken first
	}
	if !r.n.ctx.here(now, i, contextTx) {
		r.take() // its context comes, and then wakes it
		return max(r.grants.Next(0), now+1)
	}
	r.take()
	h := &r.n.qps[i].sendHeads
	switch {
	case h.here != h.head:
		r.n.Stats.WQEHits++
		r.begin(now, turn{qp: i}, r.look, r.interval)
	default:
		if h.producer != h.head {
			r.n.Stats.WQEMisses++ // it is not waited for: its arrival wakes the queue pair
		}
		r.begin(now, turn{qp: i, empty: true}, r.empty, r.empty)
	}
	return r.grants.Next(r.lookFree)
}

// take takes a grant.
func (r *requester) take() { r.n.sch.in[r.grants.Pop()] = false }

func (r *requester) begin(now Cycle, t turn, look, interval Cycle) {
	r.turns.PushAt(t, now+look)
	r.lookFree = r.Busy(now + interval)
}

// send makes the packet of a turn.
func (r *requester) send(now Cycle) Cycle {
	if now < r.turnEnds {
		return r.turnEnds
	}
	r.turnQP = -1
	if r.marks.Ready() && r.turns.Len() == 0 {
		if !r.jobs.Room() {
			return r.Waits("transmit")
		}
		r.jobs.Push(job{kind: jobMark, frame: link.Frame{QP: r.marks.Pop()}})
		return now + 1
	}
	if !r.turns.Ready() {
		return min(r.turns.Next(0), r.marks.Next(0))
	}
	t := *r.turns.Head()
	q := &r.n.qps[t.qp]
	if t.empty || r.stops(q) {
		r.turns.Pop()
		r.turnEnds = now + 1
		return now + 1
	}
	if !r.jobs.Room() || !r.segs.RoomFor(link.MaxSGEs) {
		return r.Waits("transmit")
	}
	r.turns.Pop()
	r.turnQP = t.qp
	r.turnEnds = r.Busy(r.packet(now, t.qp, q) + 1)
	r.Use.Items++
	return r.turnEnds
}

// stops tells that a queue pair may not begin or go on: who wakes it again is the one that it waits for.
func (r *requester) stops(q *qp) bool {
	used, reads := q.issued-q.retired, q.readsOut-q.readsGone
	if q.failed || used >= uint32(r.n.p.Replay) || q.retry.held() || q.waits {
		return true
	}
	w := q.SQ.At(q.sendHeads.head)
	return !q.active && asks(w.Op) && reads >= q.MaxRD
}

// asks tells that an operation is answered with data.
func asks(op format.WROpcode) bool {
	return op == format.WRRead || op == format.WRCompSwap || op == format.WRFetchAdd
}

// packet makes a packet, and returns when the turn ends.
func (r *requester) packet(now Cycle, i int32, q *qp) Cycle {
	w := q.SQ.At(q.sendHeads.head)
	at := now + r.job
	if q.active {
		at += r.plan
	} else {
		q.offset, q.total, q.sge, q.sgeAt = 0, w.Length, 0, 0
		if !w.Inline && w.SGEs > 1 {
			at += r.sum * Cycle(w.SGEs-1)
		}
	}
	j := job{kind: jobPacket}
	if asks(w.Op) {
		at += r.read
		if w.Op != format.WRRead {
			at += r.atomic
		}
		j.frame, j.entry = r.n.readFrame(i, q, w)
	} else {
		j.frame, j.entry = r.n.requestFrame(i, q, w)
	}
	f := &j.frame
	used := q.issued - q.retired
	half := uint32(r.n.p.Replay/2 - 1)
	f.AckReq = j.entry.ends || used&half == half
	jobAt := at + r.made
	at, j.segments = r.segments(at, i, q, w, f)
	j.payload = f.Length > 0 && !w.Inline
	if w.Inline && f.Length > 0 {
		jobAt = at + r.end + r.inlineReady // it waits for its payload
	}
	r.jobs.PushAt(j, jobAt)
	last := j.entry.ends
	q.issued++
	q.psn = j.entry.last + 1
	q.offset += f.Length
	q.active = !last
	at += r.end
	r.again.PushAt(i, at)
	if last {
		r.n.sq.takes.PushAt(i, at)
	}
	return at
}

// segments gives the pieces of SGEs that a packet covers, and returns when the last has been given.
func (r *requester) segments(at Cycle, i int32, q *qp, w *link.WQE, f *link.Frame) (Cycle, bool) {
	switch {
	case asks(w.Op):
		return r.probes(at, i, q, w)
	case f.Length == 0:
		return at, false
	case w.Inline:
		return at + r.inline*Cycle((f.Length+format.GranuleBytes-1)/format.GranuleBytes), false
	}
	for need, first := f.Length, true; need > 0; first = false {
		if !first {
			at += r.next
		}
		s := w.SGE[q.sge]
		n := min(need, s.Length-q.sgeAt)
		need -= n
		if n > 0 {
			r.segs.PushAt(segment{qp: i, key: s.Key, addr: s.Addr + uint64(q.sgeAt), length: n, last: need == 0}, at+r.made)
		}
		if q.sgeAt += n; q.sgeAt == s.Length && need > 0 {
			q.sge, q.sgeAt = q.sge+1, 0
		}
	}
	return at, true
}

// probes has the keys of a READ or atomic looked at.
func (r *requester) probes(at Cycle, i int32, q *qp, w *link.WQE) (Cycle, bool) {
	q.readsOut++
	o := outstanding{psn: q.psn, last: lastOfRead(q, w), length: w.Length, wqe: q.sendHeads.head, op: w.Op}
	r.issue.PushAt(issued{i, o}, at)
	count := int32(0)
	for k := range w.SGEs {
		if w.SGE[k].Length > 0 {
			count++
		}
	}
	for k := range w.SGEs {
		s := w.SGE[k]
		if s.Length == 0 {
			continue
		}
		count--
		r.segs.PushAt(segment{qp: i, key: s.Key, addr: s.Addr, length: s.Length, last: count == 0, probe: true}, at+r.made)
		if count > 0 {
			at += r.next
		} else {
			return at, true
		}
	}
	return at, false
}

func lastOfRead(q *qp, w *link.WQE) uint32 {
	if w.Op != format.WRRead || w.Length == 0 {
		return q.psn
	}
	return q.psn + uint32((w.Length-1)/q.MTU)
}
