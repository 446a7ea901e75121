package nic

import (
	"gornic/cycle/model/link"
	"gornic/cycle/simkit"
	"gornic/format"
)

// resource is a READ or atomic that is to be answered.
type resource struct {
	psn, last uint32
	length    int32
	remote    link.SGE
	op        format.Opcode
	result    bool // of an atomic: it is here
	msn       uint32
}

// resources keeps READs and atomics, and answers them, a packet a turn.
type resources struct {
	*simkit.Component
	n *NIC

	interval, alone, jobTime, take, duplicate, lookTime, atomicTime Cycle

	in      *simkit.Stream[commit]
	results *simkit.Stream[int32] // queue pairs whose atomic has a result
	wakes   *simkit.Stream[int32] // from dcqcn
	jobs    *simkit.Stream[job]
	segs    *simkit.Stream[segment]
	atomics *simkit.Stream[atomicCommand]
	queue   ringOf[int32]
	due     *simkit.Stream[int32] // queue pairs that have become due
	free    Cycle
	last    int32 // the queue pair of the turn before
	until   Cycle // in which that one is looked at no sooner
}

func (r *resources) becomesDue(i int32, at Cycle) {
	if q := &r.n.qps[i]; !q.resQueued {
		q.resQueued = true
		r.due.PushAt(i, at)
	}
}

func (r *resources) run(now Cycle) Cycle {
	for r.wakes.Ready() {
		r.becomesDue(r.wakes.Pop(), now+1)
	}
	for r.results.Ready() {
		i := r.results.Pop()
		q := &r.n.qps[i]
		for k := q.serving; k != q.taken; k++ {
			if x := &q.resources[k%uint32(len(q.resources))]; x.op != format.OpReadRequest && !x.result {
				x.result = true
				break
			}
		}
		r.becomesDue(i, now+r.take)
	}
	for r.due.Ready() {
		r.queue.push(r.due.Pop())
	}
	next := min(r.wakes.Next(0), r.results.Next(0), r.due.Next(0))
	if r.in.Ready() {
		if !r.request(now) {
			return next
		}
		next = min(next, r.in.Next(0))
	} else {
		next = min(next, r.in.Next(0))
	}
	return min(next, r.turns(now))
}

// request takes a READ or atomic, or one that came again; false: there is no room for it.
func (r *resources) request(now Cycle) bool {
	c := r.in.Head()
	i := c.f.QP
	q := &r.n.qps[i]
	if c.kind == commitDuplicate {
		r.again(now, i, q, &c.f)
		r.in.Pop()
		return true
	}
	if c.f.Op != format.OpReadRequest {
		if !r.atomics.Room() {
			r.Waits("atomic")
			return false
		}
		r.atomics.PushAfter(atomicCommand{qp: i, addr: c.f.Remote.Addr}, r.atomicTime-1)
	}
	q.resources[q.taken%uint32(len(q.resources))] = resource{psn: c.f.PSN, last: c.f.LastPSN, length: c.f.Total, remote: c.f.Remote, op: c.f.Op, msn: q.msn}
	q.taken++
	if q.taken-q.serving > uint32(len(q.resources)) {
		q.serving, q.sentPkts, q.resumed = q.taken-uint32(len(q.resources)), 0, 0
	}
	r.becomesDue(i, now+r.take)
	r.in.Pop()
	return true
}

// again answers a duplicate from its place on, if that is still here (protocol section 3.7).
func (r *resources) again(now Cycle, i int32, q *qp, f *link.Frame) {
	looked := Cycle(0)
	oldest := uint32(0)
	if q.taken > uint32(len(q.resources)) {
		oldest = q.taken - uint32(len(q.resources))
	}
	r.n.trm.left.PushAt(served{qp: i, count: 1}, now+1)
	for k := q.taken; k != oldest; k-- {
		looked++
		x := &q.resources[(k-1)%uint32(len(q.resources))]
		if int32(f.PSN-x.psn) < 0 || int32(f.PSN-x.last) > 0 {
			continue
		}
		back := int32(f.PSN - x.psn)
		if int32(k-1-q.serving) < 0 || k-1 == q.serving && back < q.sentPkts {
			q.reanswer += q.serving - (k - 1)
			q.serving, q.sentPkts, q.resumed = k-1, back, back
		}
		break
	}
	r.free = r.Busy(max(now, r.free) + r.duplicate + r.lookTime*looked)
	r.becomesDue(i, now+r.take)
}

// turns makes the next packet of the queue pair whose turn it is.
func (r *resources) turns(now Cycle) Cycle {
	if r.queue.size == 0 {
		return simkit.Never
	}
	if now < r.free {
		return r.free
	}
	i := *r.queue.front()
	if i == r.last && now < r.until {
		return r.until
	}
	if !r.jobs.Room() || !r.segs.Room() {
		return r.Waits("transmit")
	}
	r.queue.pop()
	q := &r.n.qps[i]
	q.resQueued = false
	if q.serving == q.taken || q.waits {
		return r.nextTurn(now)
	}
	x := &q.resources[q.serving%uint32(len(q.resources))]
	if x.op != format.OpReadRequest && !x.result {
		return r.nextTurn(now) // its result wakes it
	}
	r.packet(now, i, q, x)
	r.last, r.until = i, now+r.alone
	r.free = r.Busy(now + r.interval)
	r.Use.Items++
	if q.serving != q.taken {
		r.becomesDue(i, now+r.interval)
	}
	return r.nextTurn(now)
}

func (r *resources) nextTurn(now Cycle) Cycle {
	if r.queue.size == 0 {
		return simkit.Never
	}
	return max(r.free, now+1)
}

// packet is a response packet.
func (r *resources) packet(now Cycle, i int32, q *qp, x *resource) {
	f := link.Frame{QP: i, From: int8(r.n.p.Node), PSN: x.psn + uint32(q.sentPkts), MSN: x.msn, Syndrome: link.SyndromeACK, ECT: q.ECT}
	j := job{kind: jobAnswer}
	over := true
	if x.op == format.OpReadRequest {
		offset := q.sentPkts * q.MTU
		f.Length = min(q.MTU, x.length-offset)
		f.Offset = offset
		over = offset+f.Length == x.length
		f.Op = readOpcode(q.sentPkts == q.resumed, over)
		q.sentPkts++
		if f.Length > 0 {
			j.segments, j.payload = true, true
			r.segs.PushAfter(segment{qp: i, key: x.remote.Key, addr: x.remote.Addr + uint64(offset), length: f.Length, last: true}, r.jobTime-1)
		}
	} else {
		f.Op = format.OpAtomicAck
	}
	if over {
		q.serving++
		q.sentPkts, q.resumed = 0, 0
		if q.reanswer > 0 {
			q.reanswer-- // it had been counted before
		} else {
			j.more = 1
		}
	}
	r.n.size(&f)
	j.frame = f
	r.jobs.PushAfter(j, r.jobTime-1)
}

// readOpcode is the opcode of a READ response packet.
func readOpcode(first, last bool) format.Opcode {
	switch {
	case first && last:
		return format.OpReadResponseOnly
	case first:
		return format.OpReadResponseFirst
	case last:
		return format.OpReadResponseLast
	}
	return format.OpReadResponseMiddle
}

// atomicCommand is an atomic whose turn has come.
type atomicCommand struct {
	qp   int32
	addr uint64
}

// atomic executes atomics on host memory.
type atomic struct {
	*simkit.Component
	n *NIC

	read, modify, result, interval Cycle
	most                           int

	in      *simkit.Stream[atomicCommand]
	reads   *simkit.Stream[link.Read]
	done    *simkit.Stream[link.ReadDone]
	writes  *simkit.Stream[link.Write]
	wrote   *simkit.Stream[link.WriteDone]
	results *simkit.Stream[int32] // to resources
	told    *simkit.Stream[int32] // to psncheck
	flying  ringOf[atomicCommand]
	written int
	free    Cycle
}

func (a *atomic) run(now Cycle) Cycle {
	for a.wrote.Ready() {
		a.wrote.Pop()
		c := a.flying.pop()
		a.written--
		a.results.PushAfter(c.qp, a.result-1)
		a.told.PushAfter(c.qp, a.result-1)
	}
	for a.done.Ready() && a.writes.Room() {
		a.done.Pop()
		a.writes.PushAfter(link.Write{Client: writeAtomic, Beats: 1, Bytes: 8}, a.modify-1)
		a.written++
	}
	next := min(a.wrote.Next(0), a.done.Next(0))
	if !a.in.Ready() || now < a.free {
		return min(next, a.in.Next(a.free))
	}
	c := a.in.Head()
	if a.flying.size >= a.most || a.flies(c.addr) {
		a.Waits("host memory")
		return next
	}
	if !a.reads.Room() {
		a.Waits("dma")
		return next
	}
	a.reads.PushAfter(link.Read{Client: readAtomic, Beats: 1, Bytes: 8}, a.read-1)
	a.flying.push(a.in.Pop())
	a.free = a.Busy(now + a.interval)
	a.Use.Items++
	return min(next, a.in.Next(a.free))
}

// flies tells that an atomic on an address is under way.
func (a *atomic) flies(addr uint64) bool {
	for k := range a.flying.size {
		if a.flying.at(k).addr == addr {
			return true
		}
	}
	return false
}
