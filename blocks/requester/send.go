package requester

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// sending is the step of sending a packet.
type sending int

const (
	stJudge  sending = iota // a turn is looked at: what is to be done
	stSum                   // SGEs after the first are added up
	stPlan                  // the length of the packet
	stJob                   // the packet, or the record of a failure, is announced
	stWalk                  // its pieces of SGEs
	stNext                  // the next SGE is read
	stInline                // its payload is read from the WQE
	stEnd                   // the state is written back, the next one may come
)

func (s sending) String() string {
	return [...]string{"judge", "sum", "plan", "job", "walk", "next", "inline", "end"}[s]
}

// send sends what the turn says, a packet at most.
func (b *block) send() {
	m := b.m
	b.st = hdl.NewFSM(m, "sending", stJudge, stSum, stPlan, stJob, stWalk, stNext, stInline, stEnd)
	s := newSender(b)
	b.st.Switch(
		hdl.On(stJudge, s.judge),
		hdl.On(stSum, s.sum),
		hdl.On(stPlan, s.plan),
		hdl.On(stJob, s.announce),
		hdl.On(stWalk, s.walk),
		hdl.On(stNext, s.next),
		hdl.On(stInline, s.inline),
		hdl.On(stEnd, s.end),
	)
	s.ports()
}

// sender is the registers of who sends.
type sender struct {
	*block
	turn turn // valid while b.turn.Valid

	msg      message  // state as it will be written back
	psn      hdl.Bits // next PSN
	sge      format.SGE[hdl.Bits]
	length   hdl.Bits // bytes of payload of the packet
	need     hdl.Bits // of those, not yet found in SGEs
	left     hdl.Bits // bytes of the SGE from where the message is
	last     hdl.Bits // the packet ends the message
	over     hdl.Bits // the sum of lengths has passed 2^32
	fails    hdl.Bits // no packet, a record of status
	status   hdl.Bits
	vendor   hdl.Bits
	ackReq   hdl.Bits // the packet asks for an acknowledgement
	taken    hdl.Bits // the WQE has been taken off the queue
	again    hdl.Bits // the scheduler has been told
	mtu      hdl.Bits // bytes
	isInline hdl.Bits
	flush    hdl.Bits // the WQE is not done, but flushed
	stops    hdl.Bits // there is nothing to do in this turn
	drained  hdl.Bits // what had begun before SQD is done, and somebody wants to know

	inlineOut   stream.Frame // inline data, in granules
	inlineWants hdl.Bits     // the next granule has a place
}

func newSender(b *block) *sender {
	m := b.m
	s := &sender{
		block: b, turn: b.turn.Data,
		msg: hdl.NewReg(m, "now", message{}), psn: m.RegN("now_psn", 24),
		sge:    hdl.NewReg(m, "sge", format.SGE[hdl.Bits]{}),
		length: m.RegN("length", link.LengthBits), need: m.RegN("need", link.LengthBits), left: m.RegN("sge_left", 32),
		last: m.RegN("last", 1), over: m.RegN("over", 1),
		fails: m.RegN("fails", 1), status: m.RegN("status", 8), vendor: m.RegN("vendor", link.FaultBits),
		ackReq: m.RegN("ack_req", 1), taken: m.Reg("taken", 1, 0), again: m.Reg("told_again", 1, 0),
	}
	var sizes []hdl.Bits
	for code := range 8 {
		sizes = append(sizes, hdl.K(link.LengthBits, 128<<min(max(code, format.MTU256), format.MTU4096)))
	}
	s.mtu = hdl.Select(s.turn.Context.PathMTU, sizes...)
	s.isInline = s.flag(format.WRFlagInline)
	s.inlineOut = hdl.NewWire(m, "inline_granule", stream.FrameOf(8*inlineBytes))
	s.decide()
	return s
}

// decide says of the turn at hand whether anything is to be done. Whoever changes
// that wakes the queue pair.
func (s *sender) decide() {
	t := s.turn
	state := func(q format.QPState) hdl.Bits { return t.Context.State.Is(uint64(q)) }
	s.flush = state(format.QPError).Or(t.Message.Broken)
	mayBegin := state(format.QPRTS).Or(state(format.QPSQD).And(t.Message.Active))
	s.drained = hdl.AndAll(state(format.QPSQD), t.Message.Active.Not(), t.Message.Broken.Not(), t.Used.None(), s.notify.At(t.QP))
	full := t.Used.GeK(1 << s.p.Sizes.ReplayBits)
	s.stops = hdl.OrAll(t.Context.Exists.Not(), t.Head.Here.Not(), full, s.flush.Or(mayBegin).Not())
}

// endsHalf returns one bit: the packet takes the last entry of either half of the replay entries, of which
// some are free. The answer comes while the other half is sent.
func (s *sender) endsHalf() hdl.Bits {
	if s.p.Sizes.ReplayBits == 1 {
		return hdl.K(1, 1)
	}
	return s.turn.Used.Trunc(s.p.Sizes.ReplayBits - 1).All()
}

// flag is a flag of the WQE.
func (s *sender) flag(bit int) hdl.Bits { return s.turn.Control.Flags.Bit(hdl.Log2(bit)) }

// isOp returns one bit: the WQE's operation is one of ops.
func (s *sender) isOp(ops ...format.WROpcode) hdl.Bits {
	is := hdl.K(1, 0)
	for _, op := range ops {
		is = is.Or(s.turn.Control.Opcode.Is(uint64(op)))
	}
	return is
}

// judge decides what becomes of the turn: nothing, a record, a packet.
func (s *sender) judge() {
	m, t := s.m, s.turn
	m.If(s.block.turn.Valid.And(s.stops.Not()), func() {
		hdl.Set(s.msg, t.Message)
		s.psn.Set(t.PSN)
		hdl.Set(s.sge, t.SGE)
		s.over.SetK(0)
		s.fails.SetK(0)
		s.status.SetK(0)
		s.vendor.SetK(0)
		s.ackReq.Set(s.endsHalf())
		m.If(s.flush, func() {
			s.record(format.StatusFlush, format.VendorNone)
		}).ElseIf(t.Message.Active, func() {
			s.st.Goto(stPlan)
		}).ElseIf(t.Head.Fault, func() {
			s.record(format.StatusLocQPOp, format.VendorWQERead)
		}).ElseIf(s.badOpcode(), func() {
			s.record(format.StatusLocQPOp, format.VendorBadOpcode)
		}).ElseIf(s.tooMany(), func() {
			s.record(format.StatusLocQPOp, format.VendorBadSGECount)
		}).Else(func() {
			s.begin()
		})
	})
}

// record makes the turn the record of a failure: of the whole WQE, even if it has been
// sent in part.
func (s *sender) record(status format.Status, vendor format.VendorCode) {
	s.fails.SetK(1)
	s.status.SetK(uint64(status))
	s.vendor.SetK(uint64(vendor))
	s.last.SetK(1)
	s.length.SetK(0)
	s.msg.Broken.SetK(1)
	s.st.Goto(stJob)
}

// begin begins a message: where its length is known, with its packet.
func (s *sender) begin() {
	m, t := s.m, s.turn
	s.msg.Offset.SetK(0)
	s.msg.SGE.SetK(0)
	s.msg.SGEAt.SetK(0)
	none := t.Control.NumSGE.None()
	s.msg.Total.Set(hdl.Mux(s.isInline, t.Control.InlineLen.ZExt(32), hdl.Mux(none, hdl.K(32, 0), t.SGE.Length)))
	s.st.Goto(stPlan)
	m.If(s.isInline.Not().And(t.Control.NumSGE.GtK(1)), func() { s.st.Goto(stSum) })
}

func (s *sender) badOpcode() hdl.Bits {
	return s.isOp(format.WRSend, format.WRSendImm, format.WRWrite, format.WRWriteImm).Not()
}

// tooMany returns one bit: the WQE has more SGEs or inline data than its slot.
func (s *sender) tooMany() hdl.Bits {
	c, wide := s.turn.Control, s.turn.Context.SQStride
	sges := hdl.Mux(wide, hdl.K(8, uint64(format.SendSGEs(1))), hdl.K(8, uint64(format.SendSGEs(0))))
	bytes := hdl.Mux(wide, hdl.K(8, uint64(format.InlineMax(1))), hdl.K(8, uint64(format.InlineMax(0))))
	return hdl.Mux(s.isInline, c.InlineLen.Gt(bytes).Or(c.NumSGE.Any()), c.NumSGE.Gt(sges))
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
		s.msg.SGE.Set(s.msg.SGE.AddK(1))
		m.If(s.msg.SGE.AddK(2).ZExt(8).Eq(s.turn.Control.NumSGE), func() {
			s.msg.SGE.SetK(0)
			s.st.Goto(stPlan)
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
	s.last.Set(fits)
	s.ackReq.Set(s.ackReq.Or(fits))
	s.st.Goto(stJob)
	most := s.msg.Total.Eq(hdl.K(32, format.MessageMax))
	small := s.turn.Context.PathMTU.LeK(format.MTU256)
	tooLong := hdl.OrAll(s.over, s.msg.Total.GtK(format.MessageMax), most.And(small))
	m.If(s.msg.Active.Not().And(tooLong), func() { s.record(format.StatusLocLen, format.VendorTooLong) })
}

// announce gives the packet away, and goes to its payload.
func (s *sender) announce() {
	m := s.m
	m.If(s.io.Job.Ready, func() {
		s.msg.Issued.Set(s.msg.Issued.AddK(1))
		s.msg.Active.Set(s.last.Not())
		s.taken.Set(s.last.Not())
		s.again.SetK(0)
		s.st.Goto(stWalk)
		m.If(s.fails.Not(), func() {
			s.msg.Offset.Set(s.msg.Offset.Add(s.length.ZExt(32)))
			s.psn.Set(s.psn.AddK(1))
		})
		m.If(s.isInline, func() { s.st.Goto(stInline) })
		m.If(s.fails.Or(s.length.None()), func() { s.st.Goto(stEnd) })
	})
	s.give()
}

// walk gives a piece of an SGE away.
func (s *sender) walk() {
	s.m.If(s.piece().empty, func() {
		s.msg.SGE.Set(s.msg.SGE.AddK(1))
		s.msg.SGEAt.SetK(0)
		s.st.Goto(stNext)
	})
	s.give()
}

// give takes note of a piece that is taken. The first one may go with its packet.
func (s *sender) give() {
	m, piece := s.m, s.piece()
	m.If(s.io.Segment.Fire(), func() {
		s.msg.SGEAt.Set(s.msg.SGEAt.Add(piece.length.ZExt(32)))
		s.left.Set(s.left.Sub(piece.length.ZExt(32)))
		s.need.Set(s.need.Sub(piece.length))
		m.If(piece.last, func() { s.st.Goto(stEnd) })
	})
}

// gives returns one bit: a piece of an SGE is offered.
func (s *sender) gives() hdl.Bits {
	first := hdl.AndAll(s.st.Is(stJob), s.io.Job.Ready, hdl.OrAll(s.isInline, s.fails, s.length.None()).Not())
	return s.st.Is(stWalk).Or(first).And(s.piece().empty.Not())
}

// piece is what the packet takes of the present SGE.
type piece struct {
	empty  hdl.Bits // the SGE has been used up
	length hdl.Bits
	last   hdl.Bits // the packet has all its bytes
}

func (s *sender) piece() piece {
	enough := s.left.Ge(s.need.ZExt(32))
	return piece{empty: s.left.None(), length: hdl.Mux(enough, s.need, s.left.Trunc(link.LengthBits)), last: enough}
}

// next takes the SGE that was asked for.
func (s *sender) next() {
	s.m.If(s.extra.Comes, func() {
		next := hdl.UnpackLow(format.SGE[hdl.Bits]{}, s.io.Queue.Granule.Data.Data)
		hdl.Set(s.sge, next)
		s.left.Set(next.Length)
		s.st.Goto(stWalk)
	})
}

// end waits until the WQE is off the queue and the scheduler knows.
func (s *sender) end() {
	m := s.m
	m.If(s.io.Queue.Take.Fire(), func() { s.taken.SetK(1) })
	m.If(s.io.Again.Fire(), func() { s.again.SetK(1) })
	m.If(s.ends(), func() {
		s.again.SetK(0)
		s.st.Goto(stJudge)
	})
}

// ends returns one bit: all is done at the end.
func (s *sender) ends() hdl.Bits {
	taken := s.taken.Or(s.io.Queue.Take.Ready)
	told := s.again.Or(s.io.Again.Ready)
	return hdl.AndAll(s.st.Is(stEnd), taken, told)
}
