package requester

import (
	"gornic/blocks/link"
	"gornic/blocks/wqe"
	"gornic/format"
	"gornic/hdl"
)

// A READ and an atomic are one request packet without payload. Before it leaves, readmatch hears of
// it, and the keys of the SGEs that its data will go to are looked at: each of these that has a length is a probe.

// atomicBytes is what an atomic works on, and what comes back.
const atomicBytes = 8

// request makes the packet that of a READ or atomic of so many bytes, unless none may be outstanding
// (protocol section 4.7).
func (s *sender) request(bytes hdl.Bits) {
	s.length.SetK(0)
	s.last.SetK(1)
	s.ackReq.SetK(1)
	s.walks.Set(bytes.Any())
	s.msg.Offset.Set(bytes)
	s.st.Goto(stIssue)
	s.m.If(s.turn.Context.MaxRD.None(), func() { s.record(format.StatusLocQPOp, format.VendorResources) })
}

// read says how many PSNs a READ takes: as many as its data will have packets, and one at least (protocol
// section 4.1).
func (s *sender) read() {
	m, total := s.m, s.msg.Total
	before := total.SubK(1)
	var beyondFirst []hdl.Bits
	for code := range 8 {
		beyondFirst = append(beyondFirst, before.Slice(30, 0).ShrK(wqe.MTUShift(code)).Trunc(windowBits))
	}
	s.span.Set(hdl.Mux(total.None(), s.span.K(0), hdl.Select(s.turn.Context.PathMTU, beyondFirst...)))
	s.left.Set(s.sge.Length)
	s.request(total)
	m.If(s.tooLong(), func() { s.record(format.StatusLocLen, format.VendorTooLong) })
}

// atomic begins an atomic, whose SGE comes.
func (s *sender) atomic(sge format.SGE[hdl.Bits]) {
	bytes := hdl.K(32, atomicBytes)
	s.probes.SetK(1)
	s.msg.Total.Set(bytes)
	s.left.Set(bytes)
	s.request(bytes)
	s.m.If(sge.Length.Ne(bytes), func() { s.record(format.StatusLocLen, format.VendorLength) })
}

// issue tells readmatch, unless the PSNs are too many: then the turn ends, and the queue pair
// is woken when something outstanding has been acknowledged.
func (s *sender) issue() {
	m := s.m
	m.If(s.holdsBack(), s.leave).ElseIf(s.io.Issue.Ready, func() {
		s.lastPSN.Set(s.psn.Add(s.span.ZExt(24)))
		s.msg.Ahead.Set(s.msg.Ahead.Add(s.span))
		s.st.Goto(stJob)
	})
}

// holdsBack returns one bit: the request has to wait, since with its PSNs more than windowPSNs would be outstanding.
func (s *sender) holdsBack() hdl.Bits {
	room := s.msg.Ahead.Not() // windowPSNs less those ahead
	return s.span.Ge(room)
}

// issuePort drives Issue.
func (s *sender) issuePort() {
	io, t := s.io, s.turn
	io.Issue.Valid.Set(s.st.Is(stIssue).And(s.holdsBack().Not()))
	hdl.Set(io.Issue.Data, link.ReadIssue{
		QP: t.QP, Atomic: t.Task.Atomic, PSN: s.psn, Length: s.msg.Total, WQEIndex: t.Head.Index, NumSGE: t.Control.NumSGE.Trunc(3), SGE: s.sge,
	})
}

// probe makes a segment that of a request: the key is asked whether the data may go there.
func (s *sender) probe(seg link.Segment) link.Segment {
	seg.Rights, seg.Range, seg.Probe = hdl.K(8, format.AccessLocalWrite), s.sge.Length, hdl.K(1, 1)
	return seg
}
