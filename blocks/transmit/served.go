package transmit

import (
	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// answersOut is how many answers, at most, are on their way to Job.
const answersOut = 127

// lutQueue is the largest queue that is kept in LUT RAM.
const lutQueue = 64

// behind is the newest word on a queue pair, and the answers that have to leave before it is told.
type behind struct {
	Next       hdl.Bits `w:"8"`
	Most       hdl.Bits `w:"8"`
	Duplicates hdl.Bits `w:"8"`
	Given      hdl.Bits // answers that had been given away, counted freely
}

// teller passes Served on.
type teller struct {
	*block
	bits   int         // of counts of answers
	left   hdl.Bits    // how many have left
	newest *hdl.Memory // behind, of each queue pair
	queued *hdl.Memory // a bit of each: it stands in the queue, or is looked at
	queue  *stream.FIFOIO[link.QPRef]

	swept, sweepAt hdl.Bits // after reset no queue pair is queued
	looks          hdl.Bits // a queue pair is looked at,
	qp             hdl.Bits // this one
	found          behind
	enters         hdl.Bits // a Served is taken
	settles        hdl.Bits // the queue pair that is looked at is done with: it is told of, or goes behind the others
	tells          hdl.Bits
	out            hdl.Bits // Left is offered
}

// served passes Served on when the answers that were given away before it have left, for which
// leaves is a pulse: so an acknowledgement that waited for them, and overtakes all jobs, does not overtake them.
// What has to wait is kept, the newest of each queue pair, so Served waits for no answer. The
// queue pairs whose newest has not been told stand in a queue, and are looked at one after the other, again and again.
func (b *block) served(leaves hdl.Bits) {
	m, s := b.m, b.p.Sizes
	qps := 1 << s.QPBits
	// An answer takes more cycles than a look: no count gets half its range ahead of one that waits for its look.
	bits := max(8, s.QPBits) + 2
	proto := behind{Given: hdl.W(bits)}
	def := stream.FIFODef(s.QPRef(), qps)
	if qps > lutQueue {
		def = stream.BlockFIFODef(s.QPRef(), qps)
	}
	sweep := m.Reg("queued_sweep", s.QPBits+1, 0)
	t := &teller{
		block: b, bits: bits, left: m.Reg("answers_left", bits, 0),
		newest: m.LUTRAM("newest", qps, hdl.WidthOf(proto)), queued: m.LUTRAM("queued", qps, 1), queue: hdl.Instance(m, "u_queue", def),
		swept: sweep.MSB(), sweepAt: sweep.Trunc(s.QPBits), looks: m.Reg("looks", 1, 0), qp: m.RegN("looked_at", s.QPBits), out: m.Reg("tells", 1, 0),
	}
	t.found = hdl.Unpack(proto, t.newest.At(t.qp))
	m.If(t.swept.Not(), func() { sweep.Set(sweep.AddK(1)) })
	m.If(leaves, func() { t.left.Set(t.left.AddK(1)) })
	t.take()
	t.look()
	t.fence()
}

// take keeps a Served, and puts its queue pair into the queue, in a cycle in which none is looked at.
func (t *teller) take() {
	m, in := t.m, t.io.Served
	given := m.Reg("answers_given", t.bits, 0)
	now := given.Add(t.io.Given.ZExt(t.bits))
	given.Set(now)
	m.Assume("answers_are_given", given.Sub(t.left).LeK(answersOut))

	in.Ready.Set(t.swept.And(t.looks.Not()))
	t.enters = in.Fire()
	t.newest.Write(in.Data.QP, t.enters, hdl.Pack(behind{Next: in.Data.Next, Most: in.Data.Most, Duplicates: in.Data.Duplicates, Given: now}))
}

// look takes the first queue pair of the queue, and in the next cycle tells of it, or puts it back.
func (t *teller) look() {
	m, in, out, queue := t.m, t.io.Served, t.io.Left, t.queue
	begins := hdl.AndAll(t.looks.Not(), t.swept, in.Valid.Not())
	queue.Out.Ready.Set(begins)
	m.If(queue.Out.Fire(), func() {
		t.looks.SetK(1)
		t.qp.Set(queue.Out.Data.QP)
	})

	free := t.out.Not().Or(out.Ready)
	have := t.left.Sub(t.found.Given).MSB().Not() // the answers before it have left
	t.tells = hdl.AndAll(t.looks, have, free)
	t.settles = t.looks.And(have.Not().Or(free))
	m.If(t.settles, func() { t.looks.SetK(0) })
	held := hdl.NewReg(m, "told_of", t.p.Sizes.Served())
	m.If(free, func() {
		t.out.Set(t.tells)
		hdl.Set(held, link.Served{QP: t.qp, Next: t.found.Next, Most: t.found.Most, Duplicates: t.found.Duplicates})
	})
	out.Valid.Set(t.out)
	hdl.Set(out.Data, held)

	back := t.settles.And(t.tells.Not())
	queue.In.Valid.Set(back.Or(t.enters.And(t.queued.At(in.Data.QP).Not())))
	queue.In.Data.QP.Set(hdl.Mux(t.looks, t.qp, in.Data.QP))
	at := hdl.Mux(t.looks, t.qp, in.Data.QP)
	t.queued.Write(hdl.Mux(t.swept, at, t.sweepAt), hdl.OrAll(t.swept.Not(), t.enters, t.tells), t.enters)
	m.Unused(queue.HighWater, queue.In.Ready) // it has room for all queue pairs
	m.Assert("queue_has_room", queue.In.Valid.Not().Or(queue.In.Ready))
}

// fence says that a fence, which is the next job, may pass: the answers before it have left, and each
// queue pair that stood in the queue then has been looked at since. What is still there waits for answers behind the fence.
func (t *teller) fence() {
	m, job := t.m, t.io.Job
	waits := hdl.AndAll(job.Valid, job.Data.Kind.Is(link.JobFence), t.st.Is(stChoose))
	counts, rest := m.Reg("fence_counts", 1, 0), m.RegN("fence_rest", t.p.Sizes.QPBits+1)
	begins := hdl.AndAll(waits, counts.Not(), t.looks.Not(), t.io.Served.Valid.Not())
	m.If(begins, func() {
		counts.SetK(1)
		rest.Set(t.queue.Level)
	})
	m.If(counts.And(t.settles).And(rest.Any()), func() { rest.Set(rest.SubK(1)) })
	m.If(t.io.Fence.Fire(), func() { counts.SetK(0) })
	t.told.Set(hdl.AndAll(counts, rest.None(), t.out.Not()))
}
