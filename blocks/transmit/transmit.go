package transmit

import (
	"fmt"

	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Params are the parameters of the block.
type Params struct {
	Sizes   link.Sizes
	Credits bool // responses carry credits
}

// Validate returns an error for parameters that the block cannot have.
func (p Params) Validate() error {
	switch p.Sizes.DataWidth {
	case 64, 128, 256, 512:
	default:
		return fmt.Errorf("transmit: data width of %d bits: not 64, 128, 256 or 512", p.Sizes.DataWidth)
	}
	if p.Sizes.QPBits < 1 || p.Sizes.QPBits > 16 {
		return fmt.Errorf("transmit: 2^%d queue pairs: not 2^1 to 2^16", p.Sizes.QPBits)
	}
	return nil
}

// IO is the ports of the block.
type IO struct {
	MAC         hdl.Bits                                  `hdl:"in" w:"48"` // of the port
	Ack         hdl.Stream[link.Ack]                      `hdl:"in"`
	CNP         hdl.Stream[link.QPRef]                    `hdl:"in"`
	Job         hdl.Stream[link.TxJob]                    `hdl:"in"`
	Gathered    hdl.Stream[link.Gathered]                 `hdl:"in"`
	Payload     stream.Frame                              `hdl:"in"`
	Inline      stream.Frame                              `hdl:"in"`
	Context     link.ContextPort                          `hdl:"out"`
	Control     hdl.Stream[link.QPControl]                `hdl:"in"`
	Desc        hdl.Stream[format.TxDescriptor[hdl.Bits]] `hdl:"out"`
	Out         stream.Frame                              `hdl:"out"`
	Record      hdl.Stream[link.Record]                   `hdl:"out"`
	Fault       hdl.Stream[link.QPFault]                  `hdl:"out"`
	Fence       hdl.Stream[link.Fence]                    `hdl:"out"`
	Marked      hdl.Stream[link.QPRef]                    `hdl:"out"`
	ResendFault hdl.Stream[link.ResendFault]              `hdl:"out"`
	Given       hdl.Bits                                  `hdl:"in" w:"1"` // pulse: an answer has been given away, towards Job
	Served      hdl.Stream[link.Served]                   `hdl:"in"`
	Left        hdl.Stream[link.Served]                   `hdl:"out"`
	Sent        hdl.Bits                                  `hdl:"out" w:"1"` // pulse: a packet leaves
	SentNAK     hdl.Bits                                  `hdl:"out" w:"1"` // pulse: it is a NAK
	Resent      hdl.Bits                                  `hdl:"out" w:"1"` // pulse: it was sent before
	SentCNP     hdl.Bits                                  `hdl:"out" w:"1"` // pulse: it is a CNP

	Credits []link.CreditPort `hdl:"out"` // one, with Params.Credits
}

// Def is the block. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	s := p.Sizes
	frame := stream.FrameOf(s.DataWidth)
	name := fmt.Sprintf("transmit_%d_qp%d_cq%d", s.DataWidth, s.QPBits, s.CQBits)
	var credits []link.CreditPort
	if p.Credits {
		name, credits = name+"_credits", []link.CreditPort{s.CreditPort()}
	}
	return hdl.Def[IO]{
		Name: name,
		Doc:  "Gives packets to the builder: acknowledgements first; requests and answers when their payload is whole.",
		IO: IO{
			Ack: hdl.StreamOf(s.Ack()), CNP: hdl.StreamOf(s.QPRef()), Job: hdl.StreamOf(s.TxJob()), Gathered: hdl.StreamOf(link.Gathered{}),
			Payload: frame, Inline: frame, Context: s.ContextPort(), Control: hdl.StreamOf(s.QPControl()),
			Desc: hdl.StreamOf(format.TxDescriptor[hdl.Bits]{}), Out: frame,
			Record: hdl.StreamOf(s.Record()), Fault: hdl.StreamOf(s.QPFault()), Fence: hdl.StreamOf(link.Fence{}),
			Marked: hdl.StreamOf(s.QPRef()), ResendFault: hdl.StreamOf(s.ResendFault()),
			Served: hdl.StreamOf(s.Served()), Left: hdl.StreamOf(s.Served()), Credits: credits,
		},
		Body: func(m *hdl.Module, io *IO) {
			if err := p.Validate(); err != nil {
				m.Reject("%v", err)
			}
			b := newBlock(m, p, io)
			b.choose()
			b.leave()
			b.payload()
			b.properties()
		},
	}
}

// step is where the block is with a packet.
type step int

const (
	stChoose step = iota // an acknowledgement or a job is taken
	stLook               // its queue pair is looked up
	stWait               // the answer, and the payload of a job, are waited for
	stLeave              // what the packet consists of leaves
)

func (s step) String() string { return [...]string{"choose", "look", "wait", "leave"}[s] }

// block is the module while it is built.
type block struct {
	m  *hdl.Module
	p  Params
	io *IO

	st       *hdl.FSM[step]
	isAck    hdl.Bits    // an acknowledgement, not a job; or the NAK in place of an answer
	isAnswer hdl.Bits    // a job of responder resources
	isCNP    hdl.Bits    // with isAck: the acknowledgement is a CNP
	ack      link.Ack    // the acknowledgement,
	job      link.TxJob  // or the job, that is worked on
	to       link.Lookup // its queue pair
	fault    hdl.Bits    // of its payload
	failed   *hdl.Memory // a bit of each queue pair: its requests are flushed
	silent   *hdl.Memory // and one: it answers no more

	status  hdl.Bits // of the entry that is recorded
	sends   hdl.Bits // a packet leaves
	refuses hdl.Bits // it is the NAK that takes the place of an answer
	owes    owed     // what has not left yet
	routes  hdl.Stream[route]

	inlines     hdl.Bits // jobs with inline data whose data has not left yet
	inlineTaken hdl.Bits // one more
	inlineGone  hdl.Bits // one less

	marks hdl.Bits // a mark has not been told of
	told  hdl.Bits // what Served said of the answers before a fence, which is the next job, has been passed on
	drops hdl.Bits // a payload is being dropped, or will be: those behind it are not there yet
}

// owed is what of a packet has still to be taken.
type owed struct{ desc, record, route, fault, resend hdl.Bits }

// route says where the payload of a job is, and where it goes.
type route struct {
	Inline hdl.Bits `w:"1"`
	Drop   hdl.Bits `w:"1"`
	Zero   hdl.Bits `w:"1"` // it is nowhere: the zeros of a CNP
}

func newBlock(m *hdl.Module, p Params, io *IO) *block {
	return &block{
		m: m, p: p, io: io,
		st:    hdl.NewFSM(m, "step", stChoose, stLook, stWait, stLeave),
		isAck: m.RegN("is_ack", 1), isAnswer: m.Reg("is_answer", 1, 0), isCNP: m.Reg("is_cnp", 1, 0), ack: hdl.NewReg(m, "ack_now", p.Sizes.Ack()), job: hdl.NewReg(m, "job_now", p.Sizes.TxJob()),
		to:    hdl.NewReg(m, "to", link.Lookup{Context: p.Sizes.Context()}),
		fault: m.RegN("payload_fault", link.FaultBits), failed: m.LUTRAM("failed", 1<<p.Sizes.QPBits, 1), silent: m.LUTRAM("silent", 1<<p.Sizes.QPBits, 1),
		status: m.RegN("record_status", 8), sends: m.RegN("sends", 1), refuses: m.Reg("refuses", 1, 0),
		owes:   owed{desc: m.Reg("owes_desc", 1, 0), record: m.Reg("owes_record", 1, 0), route: m.Reg("owes_route", 1, 0), fault: m.Reg("owes_fault", 1, 0), resend: m.Reg("owes_resend_fault", 1, 0)},
		routes: hdl.NewWire(m, "route", hdl.StreamOf(route{})),

		inlines: m.Reg("inline_jobs", 1, 0), inlineTaken: m.Wire("inline_taken", 1), inlineGone: m.Wire("inline_gone", 1),
		marks: m.Reg("marks", 1, 0), told: m.Wire("told", 1), drops: m.Reg("drops", 1, 0),
	}
}

// hasInline returns one bit: the job is a packet with payload from its WQE.
func hasInline(j link.TxJob) hdl.Bits {
	return hdl.AndAll(j.Kind.Is(link.JobPacket), j.PayloadLen.Any(), j.Inline)
}

// isResend returns one bit: the job is a packet that is sent again.
func (b *block) isResend() hdl.Bits { return b.job.Kind.Is(link.JobResend) }

// choose takes an acknowledgement before a job, and a job when its payload is
// here whole, or known not to come. What is at Inline is a whole frame, of the oldest
// job whose inline data has not left: so one such job is under way at a time. While
// a payload is being dropped no job is taken, nor a CNP, as its own payload stands behind that.
func (b *block) choose() {
	m, io := b.m, b.io
	free := b.st.Is(stChoose)
	inline, gathers := hasInline(io.Job.Data), io.Job.Data.HasSegments()
	m.If(b.inlineGone, func() { b.inlines.SetK(0) })
	m.If(b.inlineTaken, func() { b.inlines.SetK(1) })
	b.inlineTaken.Set(io.Job.Fire().And(inline))
	ready := hdl.Mux(inline, io.Inline.Valid.And(b.inlines.Not()), gathers.Not().Or(io.Gathered.Valid))
	ready = ready.And(b.drops.Not())
	alone := io.Ack.Valid.Or(io.CNP.Valid).Not()
	takesJob := hdl.AndAll(free, alone, io.Job.Valid, ready)
	isFence, isMark := io.Job.Data.Kind.Is(link.JobFence), io.Job.Data.Kind.Is(link.JobMark)
	io.Ack.Ready.Set(free)
	io.CNP.Ready.Set(hdl.AndAll(free, io.Ack.Valid.Not(), b.drops.Not()))
	behind := b.told.And(b.marks.Not()) // what is told of the answers before a fence is ahead of it, and marks are
	passes := io.Fence.Ready.And(behind)
	io.Fence.Valid.Set(hdl.AndAll(takesJob, isFence, behind))
	io.Fence.Data.Token.Set(io.Job.Data.Entry.PSN.Slice(1, 0))
	io.Job.Ready.Set(hdl.AndAll(free, alone, ready, isFence.Not().Or(passes), isMark.Not().Or(b.marks.Not())))
	b.mark(io.Job.Fire().And(isMark))
	io.Gathered.Ready.Set(takesJob.And(gathers))
	m.If(io.Ack.Fire(), func() {
		b.isAck.SetK(1)
		b.isAnswer.SetK(0)
		b.isCNP.SetK(0)
		hdl.Set(b.ack, io.Ack.Data)
		b.st.Goto(stLook)
	}).ElseIf(io.CNP.Fire(), func() {
		b.isAck.SetK(1)
		b.isAnswer.SetK(0)
		b.isCNP.SetK(1)
		zero := hdl.K(24, 0)
		hdl.Set(b.ack, link.Ack{QP: io.CNP.Data.QP, Syndrome: zero.Trunc(8), PSN: zero, MSN: zero})
		b.st.Goto(stLook)
	}).ElseIf(hdl.AndAll(io.Job.Fire(), isFence.Not(), isMark.Not()), func() {
		b.isAck.SetK(0)
		b.isCNP.SetK(0)
		b.isAnswer.Set(io.Job.Data.Kind.Is(link.JobAnswer))
		hdl.Set(b.job, io.Job.Data)
		b.fault.Set(hdl.Mux(gathers, io.Gathered.Data.Fault, b.fault.K(0)))
		b.st.Goto(stLook)
	})

	io.Context.Request.Valid.Set(b.st.Is(stLook))
	io.Context.Request.Data.QP.Set(b.qp())
	m.If(io.Context.Request.Fire(), func() { b.st.Goto(stWait) })
	io.Context.Reply.Ready.Set(b.st.Is(stWait))
	m.If(io.Context.Reply.Fire(), func() {
		hdl.Set(b.to, io.Context.Reply.Data)
		b.st.Goto(stLeave)
		b.judge(io.Context.Reply.Data.Context)
	})
}

// mark keeps whose mark has come by until that is told. The jobs before it have left, as this block is free.
func (b *block) mark(comes hdl.Bits) {
	m, out := b.m, b.io.Marked
	who := m.RegN("marks_qp", b.p.Sizes.QPBits)
	out.Valid.Set(b.marks)
	out.Data.QP.Set(who)
	m.If(out.Ready, func() { b.marks.SetK(0) })
	m.If(comes, func() {
		b.marks.SetK(1)
		who.Set(b.io.Job.Data.QP)
	})
}

func (b *block) qp() hdl.Bits { return hdl.Mux(b.isAck, b.ack.QP, b.job.QP) }

// judge decides, with the queue pair at hand, whether a packet leaves, and with
// what status its entry is recorded.
func (b *block) judge(c link.Context) {
	isPacket, isResend := b.job.Kind.Is(link.JobPacket), b.isResend()
	in := func(s format.QPState) hdl.Bits { return c.State.Is(uint64(s)) }
	dead := hdl.OrAll(b.failed.At(b.job.QP), in(format.QPError), c.Exists.Not())
	broken := b.fault.Any()
	code := func(s format.Status) hdl.Bits { return hdl.K(8, uint64(s)) }
	own := hdl.Mux(isPacket, hdl.Mux(broken, code(format.StatusLocProt), code(format.StatusSuccess)), b.job.Entry.Status)
	b.status.Set(hdl.Mux(b.isAnswer.Or(isResend), code(format.StatusSuccess), hdl.Mux(dead, code(format.StatusFlush), own)))

	speaks := c.Exists.And(b.silent.At(b.qp()).Not())
	answers := hdl.AndAll(speaks, in(format.QPReset).Not(), in(format.QPInit).Not()) // in ERR, too: what was accepted before it
	again := hdl.AndAll(isResend, speaks, in(format.QPRTS).Or(in(format.QPSQD)))
	request := hdl.AndAll(isPacket.And(dead.Not()).Or(again), broken.Not())
	notifies := c.Exists.And(hdl.OrAll(in(format.QPRTR), in(format.QPRTS), in(format.QPSQD)))
	sends := hdl.Mux(b.isAck, hdl.Mux(b.isCNP, notifies, speaks), hdl.Mux(b.isAnswer, answers, request))
	b.sends.Set(sends)
	b.owes.desc.Set(sends)
	b.owes.record.Set(hdl.OrAll(b.isAck, b.isAnswer, isResend).Not())
	b.owes.resend.Set(hdl.AndAll(b.isAck.Not(), again, broken))
	payload := hdl.AndAll(hdl.OrAll(isPacket, b.isAnswer, isResend), b.job.PayloadLen.Any(), b.job.Inline.Or(broken.Not()))
	b.owes.route.Set(hdl.Mux(b.isAck, b.isCNP.And(notifies), payload))
	b.refuse(hdl.AndAll(b.isAnswer, answers, broken.Or(b.job.Failed)))
}

// leave offers what the packet consists of until all of it has been taken.
func (b *block) leave() {
	m, io := b.m, b.io
	m.Unused(b.job.Probes) // looked at when the job was taken
	entry := b.job.Entry
	entry.Status = b.status
	isPacket := b.job.Kind.Is(link.JobPacket)
	entry.Vendor = hdl.Mux(isPacket, hdl.Mux(b.status.Is(uint64(format.StatusLocProt)), b.fault, b.fault.K(0)), b.job.Entry.Vendor)
	waits := hdl.OrAll(
		stream.Offer(m, io.Desc, b.owes.desc, b.descriptor()),
		stream.Offer(m, io.Record, b.owes.record, link.Record{QP: b.job.QP, Entry: entry}),
		stream.Offer(m, b.routes, b.owes.route, route{Inline: b.job.Inline, Drop: b.sends.Not(), Zero: b.isCNP}),
		stream.Offer(m, io.Fault, b.owes.fault, b.refusal()),
		stream.Offer(m, io.ResendFault, b.owes.resend, link.ResendFault{QP: b.job.QP, PSN: b.job.Entry.PSN, Vendor: b.fault}))
	at := b.st.Is(stLeave)
	done := at.And(waits.Not())
	m.If(done, func() { b.st.Goto(stChoose) })
	d := io.Desc.Data
	m.Event("packet_leaves", io.Desc.Fire(),
		hdl.Field("qp", b.qp()), hdl.Field("opcode", d.Opcode), hdl.Field("psn", d.PSN), hdl.Field("bytes", d.PayloadLen))
	io.Sent.Set(io.Desc.Fire())
	io.SentCNP.Set(io.Desc.Fire().And(b.isCNP))
	io.Resent.Set(io.Desc.Fire().And(b.isAck.Not()).And(b.isResend()))
	io.SentNAK.Set(io.Desc.Fire().And(b.isAck).And(b.ack.Syndrome.GeK(format.SyndromeRNR)))
	b.remember(at, done)
	b.served(done.And(b.isAnswer))
}

// remember keeps what becomes of a queue pair: its requests fail with the first entry that is not a
// success, its answers with the first one that cannot be had. It begins anew by Control.
func (b *block) remember(at, done hdl.Bits) {
	control := b.io.Control
	control.Ready.Set(at.Not())
	clears := control.Fire().And(control.Data.Kind.Is(link.ControlClear))
	b.m.Unused(control.Data.PSN)
	qp := hdl.Mux(at, b.job.QP, control.Data.QP)
	fails := hdl.AndAll(done, b.isAck.Not(), b.status.Any())
	b.failed.Write(qp, fails.Or(clears), fails)
	b.silent.Write(qp, done.And(b.refuses).Or(clears), b.refuses.And(at))
}

// payload takes the payload of each job from where it is to where it goes, in
// the order of the jobs.
func (b *block) payload() {
	m, io := b.m, b.io
	next := stream.FIFO(m, "u_routes", b.routes, 4)
	from := func(in stream.Frame, mine hdl.Bits) hdl.Bits {
		moves := hdl.AndAll(next.Valid, mine)
		in.Ready.Set(moves.And(next.Data.Drop.Or(io.Out.Ready)))
		return in.Fire().And(in.Data.Last)
	}
	zero := next.Data.Zero
	inline, whole := next.Data.Inline.And(zero.Not()), next.Data.Inline.Or(zero).Not()
	b.inlineGone.Set(from(io.Inline, inline))
	zeros := b.zeros(hdl.AndAll(next.Valid, zero, io.Out.Ready))
	ends := hdl.OrAll(b.inlineGone, from(io.Payload, whole), hdl.AndAll(next.Valid, zero, io.Out.Ready, zeros.Last))
	valid := zero.Or(hdl.Mux(inline, io.Inline.Valid, io.Payload.Valid))
	io.Out.Valid.Set(hdl.AndAll(next.Valid, valid, next.Data.Drop.Not()))
	hdl.Set(io.Out.Data, hdl.MuxOf(zero, zeros, hdl.MuxOf(inline, io.Inline.Data, io.Payload.Data)))
	next.Ready.Set(ends)
	m.If(ends.And(next.Data.Drop), func() { b.drops.SetK(0) })
	m.If(b.routes.Fire().And(b.routes.Data.Drop), func() { b.drops.SetK(1) })
}
