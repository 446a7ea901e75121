package requester

import (
	"gornic/blocks/link"
	"gornic/blocks/wqe"
	"gornic/format"
	"gornic/hdl"
)

// judge decides what becomes of the turn: nothing, a record, a packet.
func (s *sender) judge() {
	m, t := s.m, s.turn
	m.If(s.block.turn.Valid.And(t.Verdict.Stops.Not()), func() {
		hdl.Set(s.msg, t.Message)
		s.psn.Set(t.PSN)
		s.lastPSN.Set(t.PSN)
		s.span.SetK(0)
		hdl.Set(s.sge, t.sge())
		s.over.SetK(0)
		s.records.SetK(0)
		s.status.SetK(0)
		s.vendor.SetK(0)
		s.ackReq.Set(t.Verdict.AckReq)
		m.If(t.Verdict.Flush, func() {
			s.record(format.StatusFlush, format.VendorNone)
		}).ElseIf(t.Message.Parked, func() {
			s.settle()
		}).ElseIf(t.Message.Active, func() {
			s.st.Goto(stPlan)
		}).ElseIf(t.Refusal.Any(), func() {
			s.recordAs(hdl.K(8, uint64(format.StatusLocQPOp)), t.Refusal)
		}).Else(func() {
			s.begin()
		})
	})
	s.mayInvite(s.block.turn.Valid.Not(), s.io.Fence.Valid.Not(), s.marks.Not())
}

// record makes the turn the record of a failure: of the whole WQE, even if it has been
// sent in part.
func (s *sender) record(status format.Status, vendor format.VendorCode) {
	s.recordAs(hdl.K(8, uint64(status)), hdl.K(link.FaultBits, uint64(vendor)))
}

// recordAs makes the turn a record of any status.
func (s *sender) recordAs(status, vendor hdl.Bits) {
	s.records.SetK(1)
	s.status.Set(status)
	s.vendor.Set(vendor)
	s.last.SetK(1)
	s.length.SetK(0)
	s.walks.SetK(0)
	s.msg.Broken.Set(status.Any())
	s.msg.Parked.SetK(0)
	s.st.Goto(stJob)
}

// begin begins a message: where its length is known, with its packet.
func (s *sender) begin() {
	m, t := s.m, s.turn
	own := t.Task.Atomic.Or(t.Task.Local) // the first granule is no SGE
	none := t.Control.NumSGE.None()
	s.msg.Offset.SetK(0)
	s.msg.SGE.Set(own.ZExt(3))
	s.msg.SGEAt.SetK(0)
	s.msg.Total.Set(hdl.Mux(s.isInline, t.Control.InlineLen.ZExt(32), hdl.Mux(none, hdl.K(32, 0), t.sge().Length)))
	s.probes.Set(none.Not().And(t.sge().Length.Any()).ZExt(3))
	s.plans()
	m.If(s.isInline.Not().And(t.Control.NumSGE.GtK(1)), func() { s.st.Goto(stSum) })
	m.If(own, func() { s.st.Goto(stMore) })
}

// plans goes on where the length of the message is known.
func (s *sender) plans() {
	s.st.Goto(stPlan)
	s.m.If(s.turn.Task.Read, func() { s.st.Goto(stRead) })
}

// sum adds up the SGEs from the second on, as they come.
func (s *sender) sum() {
	m := s.m
	m.If(s.extra.Comes, func() {
		next := hdl.UnpackLow(format.SGE[hdl.Bits]{}, s.io.Queue.Granule.Data.Data)
		m.Unused(next.Addr, next.LKey)
		total := s.msg.Total.AddC(next.Length)
		s.msg.Total.Set(total.Trunc(32))
		s.over.Set(s.over.Or(total.MSB()))
		s.probes.Set(s.probes.Add(next.Length.Any().ZExt(3)))
		s.msg.SGE.Set(s.msg.SGE.AddK(1))
		m.If(s.msg.SGE.AddK(2).ZExt(8).Eq(s.turn.Control.NumSGE), func() {
			s.msg.SGE.SetK(0)
			s.plans()
		})
	})
}

// plan says how long the packet is, or that the message is too long.
func (s *sender) plan() {
	m := s.m
	left := s.msg.Total.Sub(s.msg.Offset)
	fits := left.Le(s.mtu.ZExt(32))
	length := hdl.Mux(fits, left.Trunc(link.LengthBits), s.mtu)
	s.length.Set(length)
	s.need.Set(length)
	s.left.Set(s.sge.Length.Sub(s.msg.SGEAt))
	s.walks.Set(s.isInline.Not().And(left.Any()))
	s.last.Set(fits)
	s.ackReq.Set(s.ackReq.Or(fits))
	s.st.Goto(stJob)
	m.If(s.msg.Active.Not().And(s.tooLong()), func() { s.record(format.StatusLocLen, format.VendorTooLong) })
}

// tooLong returns one bit: the message is longer than 2^31 bytes, or takes 2^23 PSNs or more.
func (s *sender) tooLong() hdl.Bits {
	total := s.msg.Total
	small := s.turn.Context.PathMTU.LeK(format.MTU256)
	return hdl.OrAll(s.over, total.GtK(format.MessageMax), small.And(total.GtK(windowPSNs<<wqe.MTUShift(format.MTU256))))
}

// more takes what stands behind the first granule of the operation's own.
func (s *sender) more() {
	s.m.If(s.extra.Comes, func() {
		sge := hdl.UnpackLow(format.SGE[hdl.Bits]{}, s.io.Queue.Granule.Data.Data)
		hdl.Set(s.sge, sge)
		if !s.keyRequests() {
			s.atomic(sge)
			return
		}
		s.m.If(s.turn.Task.Local, func() {
			s.st.Goto(stKeyOp)
		}).Else(func() {
			s.atomic(sge)
		})
	})
}
