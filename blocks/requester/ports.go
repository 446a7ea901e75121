package requester

import (
	"gornic/blocks/link"
	"gornic/blocks/wqe"
	"gornic/format"
	"gornic/hdl"
)

// ports drives the ports of who sends.
func (s *sender) ports() {
	m, io, t := s.m, s.io, s.turn
	s.job()
	s.segment()
	s.inlinePort()
	s.issuePort()
	s.keyOpPort()
	s.waitPort()

	s.extra.Wants.Set(hdl.OrAll(s.st.Is(stSum), s.st.Is(stNext), s.st.Is(stMore), s.st.Is(stInline).And(s.inlineWants)))
	ahead := hdl.Mux(s.st.Is(stSum), hdl.K(3, 1), hdl.K(3, 0)) // the sum looks at the SGE behind
	s.extra.Granule.Set(s.msg.SGE.Add(ahead).AddK(format.ControlGranules))

	io.Queue.Take.Valid.Set(s.st.Is(stEnd).And(s.taken.Not()))
	io.Queue.Take.Data.QP.Set(t.QP)
	ends := s.ends()
	stopped := hdl.AndAll(s.st.Is(stJudge), s.block.turn.Valid, t.Verdict.Stops)
	reports := stopped.And(t.Verdict.Drained)
	io.Async.Valid.Set(reports)
	hdl.Set(io.Async.Data, link.Async{Code: hdl.K(8, uint64(format.EventSQDrained)), Vendor: hdl.K(link.FaultBits, 0), Number: t.Context.QPN})
	s.told.Set(reports.And(io.Async.Ready))
	dropped := stopped.And(reports.Not().Or(io.Async.Ready))
	s.block.turn.Ready.Set(ends.Or(dropped))
	s.saved.Now.Set(ends)
	s.saved.QP.Set(t.QP)
	next := s.msg // the next message begins at the first SGE
	next.SGE = hdl.Mux(s.last, s.msg.SGE.K(0), s.msg.SGE)
	hdl.Set(s.saved.Message, next)
	s.saved.PSN.Set(s.psn)
	m.Unused(t.Control.Reserved, t.Control.Flags, t.Head.Empty, t.Head.Here, t.Outcome.Known)
	c := t.Context
	hdl.UnusedBut(m, c, c.QPN, c.PD, c.PathMTU, c.SigAll, c.MaxRD)
}

// segment drives Segment: a piece of an SGE.
func (s *sender) segment() {
	m, t, out, piece := s.m, s.turn, s.io.Segment, s.piece()
	out.Valid.Set(s.gives())
	no := hdl.K(1, 0)
	data := link.Segment{
		Key: s.sge.LKey, PD: t.Context.PD, QPN: t.Context.QPN, Rights: hdl.K(8, 0),
		VA: s.sge.Addr.Add(s.msg.SGEAt.ZExt(64)), Range: piece.length.ZExt(32), Len: piece.length,
		Skip: no, Probe: no, Bus: no, Find: no, Last: piece.last, Probed: no,
	}
	hdl.Set(out.Data, hdl.MuxOf(t.Task.Asks(), s.probe(data), data))
	m.Event("segment", out.Fire(),
		hdl.Field("qp", t.QP), hdl.Field("lkey", out.Data.Key), hdl.Field("va", out.Data.VA), hdl.Field("bytes", out.Data.Len))
}

// job drives Job: a packet or a record, or where no turn is under way a mark, or a fence if no local operation is on its way: that is
// behind those as well.
func (s *sender) job() {
	io, t := s.io, s.turn
	job, c := io.Job, t.Control
	between := s.quiet.And(s.st.Is(stJudge))
	mark := s.mark(between)
	fence := hdl.AndAll(io.Fence.Valid, between, s.keyHeld.Not(), mark.Not())
	announces := s.st.Is(stJob)
	job.Valid.Set(hdl.OrAll(announces, fence, mark))
	io.Fence.Ready.Set(fence.And(job.Ready))

	kind := func(k uint64) hdl.Bits { return hdl.K(3, k) }
	operands := wqe.Operands(t.First, s.p.Sizes)
	hdl.Set(job.Data, link.TxJob{
		Kind:   hdl.Mux(announces, hdl.Mux(s.records, kind(link.JobRecord), kind(link.JobPacket)), hdl.Mux(mark, kind(link.JobMark), kind(link.JobFence))),
		QP:     hdl.Mux(mark, io.Mark.Data.QP, t.QP),
		Opcode: t.Task.Opcode(s.msg.Active.Not(), s.last),
		SE:     t.Task.Solicits(c, s.last),
		AckReq: s.ackReq, PayloadLen: s.length,
		VA: c.RemoteAddr, RKey: c.RKey, DMALen: s.msg.Total,
		Imm:    t.Task.Imm(c),
		Inline: s.isInline, Probes: t.Task.Asks().And(s.walks),
		Swap: operands.SwapOrAdd, Compare: operands.Compare,
		MSN: hdl.K(24, 0), Failed: hdl.K(1, 0),
		Entry: s.entry(announces),
	})
	s.m.Event("packet_made", job.Fire().And(announces),
		hdl.Field("qp", t.QP), hdl.Field("wqe", t.Head.Index), hdl.Field("opcode", job.Data.Opcode),
		hdl.Field("psn", s.psn), hdl.Field("last_psn", s.lastPSN),
		hdl.Field("offset", s.msg.Offset), hdl.Field("bytes", s.length), hdl.Field("status", s.status))
}

// entry is that of the job in the replay ring; of a fence it has the token.
func (s *sender) entry(announces hdl.Bits) link.ReplayEntry {
	t := s.turn
	kind := func(k uint64) hdl.Bits { return hdl.K(2, k) }
	sent := hdl.Mux(t.Task.Read, kind(link.EntryRead), hdl.Mux(t.Task.Atomic, kind(link.EntryAtomic), kind(link.EntryRequest)))
	recorded := hdl.Mux(t.settles(), kind(link.EntryLocal), kind(link.EntryRequest))
	return link.ReplayEntry{
		Kind: hdl.Mux(s.records, recorded, sent),
		PSN:  hdl.Mux(announces, s.psn, s.io.Fence.Data.Token.ZExt(24)), LastPSN: s.lastPSN, WQEIndex: t.Head.Index,
		Offset: s.msg.Offset, Length: s.length, First: s.msg.Active.Not(), Last: s.last,
		Signaled: wqe.Flag(t.Control, format.WRFlagSignaled).Or(t.Context.SigAll), WC: t.Task.WC,
		WRID: hdl.Mux(t.Head.Fault, t.Control.WRID.K(0), t.Control.WRID), Status: s.status, Vendor: s.vendor,
	}
}
