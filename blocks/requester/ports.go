package requester

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// ports drives the ports of who sends.
func (s *sender) ports() {
	m, io, t := s.m, s.io, s.turn
	s.job()
	s.inlinePort()

	piece := s.piece()
	io.Segment.Valid.Set(s.gives())
	hdl.Set(io.Segment.Data, link.Segment{
		Key: s.sge.LKey, PD: t.Context.PD, QPN: t.Context.QPN, Rights: hdl.K(8, 0),
		VA: s.sge.Addr.Add(s.msg.SGEAt.ZExt(64)), Range: piece.length.ZExt(32), Len: piece.length, Skip: hdl.K(1, 0), Last: piece.last,
	})
	seg := io.Segment.Data
	m.Event("segment", io.Segment.Fire(),
		hdl.Field("qp", t.QP), hdl.Field("lkey", seg.Key), hdl.Field("va", seg.VA), hdl.Field("bytes", seg.Len))
	s.extra.Wants.Set(hdl.OrAll(s.st.Is(stSum), s.st.Is(stNext), s.st.Is(stInline).And(s.inlineWants)))
	ahead := hdl.Mux(s.st.Is(stSum), hdl.K(3, 1), hdl.K(3, 0)) // the sum looks at the SGE behind
	s.extra.Granule.Set(s.msg.SGE.Add(ahead).AddK(format.ControlGranules))

	io.Queue.Take.Valid.Set(s.st.Is(stEnd).And(s.taken.Not()))
	io.Queue.Take.Data.QP.Set(t.QP)
	io.Again.Valid.Set(s.st.Is(stEnd).And(s.again.Not()))
	io.Again.Data.QP.Set(t.QP)
	ends := s.ends()
	stopped := hdl.AndAll(s.st.Is(stJudge), s.block.turn.Valid, s.stops)
	reports := stopped.And(s.drained)
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
	m.Unused(t.Control.Reserved, t.Control.Flags.Slice(7, 4), t.Control.Flags.Bit(0), t.Head.Empty)
	c := t.Context
	hdl.UnusedBut(m, c, c.Exists, c.QPN, c.State, c.PD, c.PathMTU, c.SigAll, c.SQStride)
}

// job drives Job: a packet or a record, or a fence where no turn is under way.
func (s *sender) job() {
	io, t := s.io, s.turn
	job, c := io.Job, t.Control
	fence := hdl.AndAll(io.Fence.Valid, s.quiet, s.st.Is(stJudge))
	announces := s.st.Is(stJob)
	job.Valid.Set(announces.Or(fence))
	io.Fence.Ready.Set(fence.And(job.Ready))

	first := s.msg.Active.Not()
	send, imm := s.isOp(format.WRSend, format.WRSendImm), s.isOp(format.WRSendImm, format.WRWriteImm)
	kind := func(k uint64) hdl.Bits { return hdl.K(2, k) }
	hdl.Set(job.Data, link.TxJob{
		Kind:   hdl.Mux(announces, hdl.Mux(s.fails, kind(link.JobRecord), kind(link.JobPacket)), kind(link.JobFence)),
		QP:     t.QP,
		Opcode: opcode(send, imm, first, s.last),
		SE:     hdl.AndAll(s.flag(format.WRFlagSolicited), s.last, send.Or(imm)),
		AckReq: s.ackReq, PayloadLen: s.length,
		VA: c.RemoteAddr, RKey: c.RKey, DMALen: s.msg.Total, Imm: hdl.SwapBytes(c.Imm), Inline: s.isInline,
		Entry: link.ReplayEntry{
			PSN: hdl.Mux(announces, s.psn, io.Fence.Data.Token.ZExt(24)), WQEIndex: t.Head.Index,
			Offset: s.msg.Offset, Length: s.length, First: first, Last: s.last,
			Signaled: s.flag(format.WRFlagSignaled).Or(t.Context.SigAll),
			WC:       hdl.Mux(send, hdl.K(3, uint64(format.WCSend)), hdl.K(3, uint64(format.WCWrite))),
			WRID:     hdl.Mux(t.Head.Fault, c.WRID.K(0), c.WRID), Status: s.status, Vendor: s.vendor,
		},
	})
	s.m.Event("packet_made", job.Fire().And(announces),
		hdl.Field("qp", t.QP), hdl.Field("wqe", t.Head.Index), hdl.Field("opcode", job.Data.Opcode), hdl.Field("psn", s.psn),
		hdl.Field("offset", s.msg.Offset), hdl.Field("bytes", s.length), hdl.Field("status", s.status))
}

// opcode is that of a SEND or WRITE packet (protocol section 1.5).
func opcode(send, imm, first, last hdl.Bits) hdl.Bits {
	at := func(op format.Opcode) hdl.Bits { return hdl.K(8, uint64(op-format.OpSendFirst)) }
	begins := hdl.Mux(last, at(format.OpSendOnly), at(format.OpSendFirst))
	goesOn := hdl.Mux(last, at(format.OpSendLast), at(format.OpSendMiddle))
	step := hdl.Mux(first, begins, goesOn).Add(last.And(imm).ZExt(8))
	return step.Add(hdl.Mux(send, at(format.OpSendFirst), at(format.OpWriteFirst)))
}

// inlineBytes is a granule of inline data.
const inlineBytes = format.GranuleBytes

// inline takes granules of the WQE and puts them on the stream, one by one.
func (s *sender) inline() {
	m := s.m
	m.If(s.inlineOut.Fire(), func() {
		s.msg.SGE.Set(s.msg.SGE.AddK(1))
		s.need.Set(s.need.SubK(inlineBytes))
		m.If(s.inlineOut.Data.Last, func() { s.st.Goto(stEnd) })
	})
}

// inlinePort makes beats of the granules that come.
func (s *sender) inlinePort() {
	m, out := s.m, s.inlineOut
	held := m.Reg("inline_here", 1, 0)
	word := m.RegN("inline_word", 8*inlineBytes)
	m.If(out.Fire(), func() { held.SetK(0) })
	m.If(s.extra.Comes.And(s.st.Is(stInline)), func() {
		held.SetK(1)
		word.Set(s.io.Queue.Granule.Data.Data)
	})
	last := s.need.LeK(inlineBytes)
	out.Valid.Set(held)
	out.Data.Data.Set(word)
	out.Data.Keep.Set(hdl.Mux(last, stream.KeepTo(s.need.Trunc(4).SubK(1), inlineBytes), hdl.Ones(inlineBytes)))
	out.Data.Last.Set(last)
	out.Data.Err.SetK(0)
	s.inlineWants = held.Not()
	hdl.Connect(s.io.Inline, stream.Resize(m, "u_inline", out, s.p.Sizes.DataWidth))
}
