package nic

import (
	"gornic/cycle/model/link"
	"gornic/cycle/simkit"
	"gornic/format"
)

// rxpath judges frames and buffers packets: a frame that finds no room is lost.
type rxpath struct {
	*simkit.Component
	n *NIC

	header, interval, payload Cycle

	out   *simkit.Stream[packet]
	freed *simkit.Stream[int32] // beats of payload that scatter has taken

	beats   int32 // in use
	packets int32
	next    Cycle // when the next descriptor may leave
}

// packet is a received packet on its way.
type packet struct {
	f       link.Frame
	payload Cycle // when its payload is at scatter
	verdict verdict
	last    bool // the last piece of a response
	seg     segment
	match   match
}

// verdict is what psncheck thinks of a packet.
type verdict uint8

const (
	passes    verdict = iota // a response, or an expected request
	duplicate                // a request that has come before
	ahead                    // one that comes too early: a NAK is owed
	ignored                  // its payload is dropped
)

func (r *rxpath) run(now Cycle) Cycle {
	for r.freed.Ready() {
		r.beats -= r.freed.Pop()
		r.packets--
	}
	in := r.n.In
	if !in.Ready() {
		return min(in.Next(0), r.freed.Next(0))
	}
	f := in.Pop()
	r.n.Stats.RxPackets++
	r.n.Stats.RxBeats += int64(f.Beats)
	r.Use.Items++
	r.Busy(now + 1)
	r.take(now, f)
	return min(in.Next(0), r.freed.Next(0))
}

// take keeps a good packet, if there is room.
func (r *rxpath) take(now Cycle, f link.Frame) {
	words := (f.Length + r.n.beatBytes() - 1) / r.n.beatBytes()
	switch {
	case f.Bad:
		return
	case r.beats+words > int32(r.n.p.RxBeats) || r.packets >= int32(r.n.p.RxPackets) || !r.out.Room():
		r.n.Stats.Dropped++
		return
	}
	if words > 0 {
		r.beats += words
		r.packets++
	}
	at := max(now-1+r.header, r.next)
	r.next = at + r.interval
	// psncheck looks each packet up while those before it have their turn.
	r.out.PushAt(packet{f: f, payload: at + r.payload}, at+r.n.psn.request-1)
}

// psncheck judges requests by their PSN, one of a queue pair after the other.
type psncheck struct {
	*simkit.Component
	n *NIC

	request, interval, outcome Cycle

	in       *simkit.Stream[packet]
	out      *simkit.Stream[packet]
	outcomes *simkit.Stream[outcome]
	executed *simkit.Stream[int32]
	free     Cycle
}

// outcome is what became of an expected request.
type outcome struct {
	qp      int32
	next    uint32 // the PSN that is expected then
	nak     bool   // and one was sent for it
	silent  bool
	refused bool
}

func (p *psncheck) hear(Cycle) Cycle {
	for p.outcomes.Ready() {
		o := p.outcomes.Pop()
		q := &p.n.qps[o.qp]
		q.locked = false
		if o.nak {
			q.nakSent = true
			continue
		}
		q.expected, q.nakSent = o.next, false
	}
	for p.executed.Ready() {
		p.n.qps[p.executed.Pop()].atomics--
	}
	return min(p.outcomes.Next(0), p.executed.Next(0))
}

func (p *psncheck) run(now Cycle) Cycle {
	if !p.in.Ready() || now < p.free {
		return p.in.Next(p.free)
	}
	x := p.in.Head()
	i := x.f.QP
	q := &p.n.qps[i]
	if !p.n.ctx.here(now, i, contextRx) {
		p.n.ctx.came.Wait(p.Component)
		return p.Waits("qpcontext")
	}
	if x.f.CE {
		p.n.rate.mark(now, i)
	}
	if x.f.Op == format.OpCNP {
		p.n.rate.notify(now, i)
		p.in.Pop()
		p.free = p.Busy(now + p.interval)
		return p.in.Next(p.free)
	}
	if !link.IsResponse(x.f.Op) {
		if q.locked {
			return p.Waits("responder")
		}
		p.judge(q, x)
		if x.verdict == passes && q.atomics > 0 && !asksFrame(x.f.Op) {
			return p.Waits("atomic")
		}
	}
	if x.verdict == ignored && x.f.Length == 0 {
		p.in.Pop()
		p.free = p.Busy(now + p.interval)
		return p.in.Next(p.free)
	}
	if !p.out.Room() {
		return p.Waits("readmatch")
	}
	if x.verdict == passes && !link.IsResponse(x.f.Op) {
		q.locked = true
		if x.f.Op == format.OpCmpSwap || x.f.Op == format.OpFetchAdd {
			q.atomics++
		}
	}
	if x.verdict == ahead {
		q.nakSent = true
	}
	p.out.Push(p.in.Pop())
	p.free = p.Busy(now + p.interval)
	p.Use.Items++
	return p.in.Next(p.free)
}

// asksFrame tells that a packet asks for data.
func asksFrame(op format.Opcode) bool {
	return op == format.OpReadRequest || op == format.OpCmpSwap || op == format.OpFetchAdd
}

// judge compares a request's PSN with the expected one (protocol sections 3.2 and 3.3).
func (p *psncheck) judge(q *qp, x *packet) {
	switch d := int32(x.f.PSN - q.expected); {
	case d == 0:
		x.verdict = passes
	case d < 0:
		x.verdict = duplicate
	case q.nakSent:
		x.verdict = ignored
	default:
		x.verdict = ahead
	}
}

// match is what readmatch thinks of a response.
type match uint8

const (
	matchACK match = iota
	matchData
	matchDone
	matchGap
	matchStray
)

// outstanding is a READ or atomic that has been asked for.
type outstanding struct {
	psn, last uint32
	length    int32
	wqe       uint32
	op        format.WROpcode
}

// readmatch finds the READ that a response answers, and where its data goes.
type readmatch struct {
	*simkit.Component
	n *NIC

	request, interval, data, dataInterval, piece, fetch Cycle

	in      *simkit.Stream[packet]
	out     *simkit.Stream[packet]
	issued  *simkit.Stream[issued]
	reads   *simkit.Stream[link.Read]
	done    *simkit.Stream[link.ReadDone]
	free    Cycle
	waits   bool // for SGEs
	placed  int32
	current bool // the head is a response that is being placed
}

func (r *readmatch) hear(Cycle) Cycle {
	for r.issued.Ready() {
		x := r.issued.Pop()
		q := &r.n.qps[x.qp]
		q.out[q.outTail%uint32(len(q.out))] = x.o
		q.outTail++
	}
	return r.issued.Next(0)
}

func (r *readmatch) run(now Cycle) Cycle {
	if r.waits {
		if !r.done.Ready() {
			r.Waits("host memory")
			return r.done.Next(0)
		}
		d := r.done.Pop()
		_ = d
		r.waits = false
		q := &r.n.qps[r.in.Head().f.QP]
		q.haveSGEs = q.out[q.outHead%uint32(len(q.out))].wqe + 1
		r.free = max(r.free, now+1)
	}
	if !r.in.Ready() || now < r.free {
		return r.in.Next(r.free)
	}
	if !r.out.Room() {
		return r.Waits("responder")
	}
	x := r.in.Head()
	q := &r.n.qps[x.f.QP]
	if !isData(x.f.Op) {
		r.out.PushAfter(r.in.Pop(), r.request-1)
		r.free = r.Busy(now + r.interval)
		r.Use.Items++
		return r.in.Next(r.free)
	}
	if !r.current {
		x.match = r.match(q, &x.f)
		if x.match != matchData && x.match != matchDone {
			return r.astray(now, q)
		}
		r.current = true
		r.placed = 0
		if !q.begun {
			q.begun, q.intoSGE, q.intoAt, q.got = true, 0, 0, 0
		}
	}
	return r.place(now, q, x)
}

// isData tells whether a response brings data.
func isData(op format.Opcode) bool {
	return op >= format.OpReadResponseFirst && op <= format.OpReadResponseOnly || op == format.OpAtomicAck
}

// match compares a response with the oldest READ or atomic (protocol section 4.3).
func (r *readmatch) match(q *qp, f *link.Frame) match {
	if q.outHead == q.outTail {
		return matchStray
	}
	o := &q.out[q.outHead%uint32(len(q.out))]
	due := o.psn
	if q.begun {
		due = q.due
	}
	switch d := int32(f.PSN - due); {
	case d < 0:
		return matchStray
	case d > 0:
		return matchGap
	}
	if f.PSN == o.last {
		return matchDone
	}
	return matchData
}

// astray passes a response on whose data has no place.
func (r *readmatch) astray(now Cycle, q *qp) Cycle {
	x := r.in.Pop()
	x.seg = segment{qp: x.f.QP, length: x.f.Length, last: true, skip: true, here: x.payload}
	x.last = true
	r.out.PushAfter(x, r.data-1)
	r.free = r.Busy(now + r.dataInterval)
	return r.in.Next(r.free)
}

// place gives a piece of the response a place.
func (r *readmatch) place(now Cycle, q *qp, x *packet) Cycle {
	o := &q.out[q.outHead%uint32(len(q.out))]
	w := q.SQ.At(o.wqe)
	length := x.f.Length
	if x.f.Op == format.OpAtomicAck {
		length = 8
	}
	for r.placed < length && q.intoAt == w.SGE[q.intoSGE].Length {
		if q.intoSGE == 0 && q.haveSGEs != o.wqe+1 {
			return r.fetchSGEs(w)
		}
		q.intoSGE, q.intoAt = q.intoSGE+1, 0
	}
	s := w.SGE[q.intoSGE]
	n := min(length-r.placed, s.Length-q.intoAt)
	y := *x
	y.seg = segment{qp: x.f.QP, key: s.Key, addr: s.Addr + uint64(q.intoAt), length: n, here: x.payload}
	first := r.placed == 0
	r.placed += n
	q.intoAt += n
	q.got += n
	y.last = r.placed == length
	y.seg.last = y.last
	if length == 0 {
		y.seg.length = 0
	}
	r.Use.Items++
	if first {
		r.out.PushAfter(y, r.data-1)
		r.free = r.Busy(now + r.dataInterval)
	} else {
		r.out.PushAfter(y, r.data-1)
		r.free = r.Busy(now + r.piece)
	}
	if y.last {
		r.current = false
		r.in.Pop()
		q.due = y.f.PSN + 1
		if y.match == matchDone {
			q.outHead++
			q.begun = false
		}
	}
	return r.in.Next(r.free)
}

// fetchSGEs reads the SGEs behind the first one.
func (r *readmatch) fetchSGEs(w *link.WQE) Cycle {
	if !r.reads.Room() {
		return r.Waits("dma")
	}
	bytes := (w.SGEs - 1) * format.GranuleBytes
	r.reads.PushAfter(link.Read{Client: readMatch, Beats: r.n.beats(48, bytes), Bytes: bytes}, r.fetch-1)
	r.waits = true
	r.Waits("host memory")
	return simkit.Never
}
