package nic

import (
	"gornic/cycle/model/link"
	"gornic/cycle/simkit"
	"gornic/format"
)

// transmit gives packets to the builder.
type transmit struct {
	*simkit.Component
	n *NIC

	packet, interval, fifo, cut Cycle

	from     [jobSources]*simkit.Stream[job]     // requester, resources, resend
	segs     [jobSources]*simkit.Stream[segment] // theirs
	order    *simkit.Stream[int8]                // whose segments are next, to translate
	jobs     *simkit.Stream[job]
	acks     *simkit.Stream[owed]
	cnps     *simkit.Stream[int32]
	gathered *simkit.Stream[Cycle]
	desc     *simkit.Stream[link.Frame]
	record   *simkit.Stream[recorded]
	marked   *simkit.Stream[int32]
	left     *simkit.Stream[served]

	turn int // of the merge
	free Cycle
}

const (
	fromRequester = iota
	fromResources
	fromResend
	jobSources
)

// recorded is an entry for the replay ring.
type recorded struct {
	qp int32
	e  entry
}

// merge puts jobs of all sources in one order.
func (t *transmit) merge(now Cycle) Cycle {
	next := simkit.Never
	for range jobSources {
		in := t.from[t.turn]
		if in.Ready() {
			if !t.jobs.Room() || !t.order.Room() {
				return simkit.Never
			}
			j := in.Pop()
			if j.segments {
				t.order.PushAfter(int8(t.turn), t.cut)
			}
			t.n.rate.pay(now, &j)
			t.jobs.PushAfter(j, t.fifo-1)
			t.turn = (t.turn + 1) % jobSources
			return now + 1
		}
		next = min(next, in.Next(0))
		t.turn = (t.turn + 1) % jobSources
	}
	return next
}

// choose takes an acknowledgement before a job, and a job when its payload is here.
func (t *transmit) choose(now Cycle) Cycle {
	if now < t.free {
		return t.free
	}
	if !t.desc.Room() {
		return t.Waits("packetbuild")
	}
	switch {
	case t.acks.Ready():
		t.answer(now, t.acks.Pop())
	case t.cnps.Ready():
		f := link.Frame{QP: t.cnps.Pop(), From: int8(t.n.p.Node), Op: format.OpCNP}
		t.n.size(&f)
		t.leave(now, f)
	case t.jobs.Ready():
		if wait, ok := t.job(now); !ok {
			return min(wait, t.acks.Next(0), t.cnps.Next(0))
		}
	default:
		return min(t.acks.Next(0), t.cnps.Next(0), t.jobs.Next(0))
	}
	return min(t.acks.Next(t.free), t.cnps.Next(t.free), t.jobs.Next(t.free))
}

func (t *transmit) answer(now Cycle, o owed) {
	f := link.Frame{QP: o.qp, From: int8(t.n.p.Node), Op: format.OpAcknowledge, PSN: o.psn, Syndrome: o.syndrome, MSN: o.msn, ECT: t.n.qps[o.qp].ECT}
	t.n.size(&f)
	t.leave(now, f)
}

// job lets a job leave, if its payload is here.
func (t *transmit) job(now Cycle) (Cycle, bool) {
	j := t.jobs.Head()
	if j.kind == jobMark {
		t.marked.Push(j.frame.QP)
		t.jobs.Pop()
		t.free = now + 1
		return 0, true
	}
	if j.segments && !t.gathered.Ready() {
		t.Waits("gather")
		return t.gathered.Next(0), false
	}
	if j.kind == jobPacket && !t.record.Room() {
		return t.Waits("replay"), false
	}
	if j.segments {
		t.gathered.Pop()
	}
	gone := t.jobs.Pop()
	if gone.kind == jobPacket {
		t.record.PushAt(recorded{gone.frame.QP, gone.entry}, now+t.packet)
	}
	if gone.kind == jobAnswer {
		t.left.PushAt(served{qp: gone.frame.QP, count: gone.more}, now+t.packet)
	}
	if gone.kind == jobResend {
		t.n.qps[gone.frame.QP].stats.Resent++
	}
	t.leave(now, gone.frame)
	return 0, true
}

func (t *transmit) leave(now Cycle, f link.Frame) {
	t.n.qps[f.QP].stats.Packets++
	t.desc.PushAt(f, now+t.packet)
	t.free = t.Busy(now + t.interval)
	t.Use.Items++
}

// packetbuild makes frames, with all that is behind it up to the port.
type packetbuild struct {
	*simkit.Component
	n *NIC

	first, out, ahead Cycle

	desc  *simkit.Stream[link.Frame]
	freed *simkit.Stream[int32]
	free  Cycle // when the port is free, in 1024ths
	taken Cycle // how long it was, likewise
}

func (p *packetbuild) run(now Cycle) Cycle {
	if !p.desc.Ready() {
		return p.desc.Next(0)
	}
	delay := p.first + p.out
	if wait := p.free>>10 - delay - p.ahead; wait > now {
		p.Waits("wire")
		return wait
	}
	if !p.n.Out.Room() {
		return p.Waits("wire")
	}
	f := p.desc.Pop()
	begins := max((now+delay)<<10, p.free)
	length := Cycle(f.Beats) << 10
	if p.n.p.BeatTime > 0 {
		length = max(length, Cycle(f.Bytes+p.n.p.Framing)*p.n.p.BeatTime)
	}
	p.free = begins + length
	p.taken += length
	f.First = (begins + 1023) >> 10
	f.Last = max((p.free+1023)>>10-1, f.First+Cycle(f.Beats)-1)
	p.n.Stats.TxPackets++
	p.n.Stats.TxBeats += int64(f.Beats)
	p.Use.Items++
	p.Busy(f.Last + 1 - delay)
	if p.n.p.Log != nil {
		p.n.p.Log(Event{Cycle: f.First, Kind: FrameOut, QP: f.QP, WQE: f.WQE, Frame: &f})
	}
	if f.Length > 0 {
		words := (f.Length + p.n.beatBytes() - 1) / p.n.beatBytes()
		p.freed.PushAt(words, max(f.Last-delay, now+1))
	}
	p.n.Out.PushAt(f, f.First)
	return p.desc.Next(0)
}
