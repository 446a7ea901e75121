package requester

import (
	"gornic/blocks/link"
	"gornic/blocks/wqe"
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
	stRead                  // the PSNs of a READ
	stMore                  // what stands behind the first granule of an atomic's or a local operation's own is read
	stIssue                 // a READ or atomic is told of
	stKeyOp                 // a local operation is given away
	stWait                  // the queue pair waits until it can be
	stInvite                // one that waits is told to the scheduler; there is no turn
	stJob                   // the packet, or the record of a failure, is announced
	stWalk                  // its pieces of SGEs
	stNext                  // the next SGE is read
	stInline                // its payload is read from the WQE
	stEnd                   // the state is written back, the next one may come
)

func (s sending) String() string {
	return [...]string{"judge", "sum", "plan", "read", "more", "issue", "key_op", "wait", "invite", "job", "walk", "next", "inline", "end"}[s]
}

// send sends what the turn says, a packet at most.
func (b *block) send() {
	m := b.m
	b.st = hdl.NewFSM(m, "sending", b.steps()...)
	s := newSender(b)
	steps := []hdl.Arm{
		hdl.On(stJudge, s.judge),
		hdl.On(stSum, s.sum),
		hdl.On(stPlan, s.plan),
		hdl.On(stRead, s.read),
		hdl.On(stMore, s.more),
		hdl.On(stIssue, s.issue),
		hdl.On(stJob, s.announce),
		hdl.On(stWalk, s.walk),
		hdl.On(stNext, s.next),
		hdl.On(stInline, s.inline),
		hdl.On(stEnd, s.end),
	}
	if b.keyRequests() {
		steps = append(steps, hdl.On(stKeyOp, s.keyOp), hdl.On(stWait, s.wait), hdl.On(stInvite, s.invite))
	}
	b.st.Switch(steps...)
	s.ports()
}

// steps are what a turn may do.
func (b *block) steps() []sending {
	steps := []sending{stJudge, stSum, stPlan, stRead, stMore, stIssue}
	if b.keyRequests() {
		steps = append(steps, stKeyOp, stWait, stInvite)
	}
	return append(steps, stJob, stWalk, stNext, stInline, stEnd)
}

// sender is the registers of who sends.
type sender struct {
	*block
	turn turn // valid while b.turn.Valid

	msg      message  // state as it will be written back
	psn      hdl.Bits // next PSN
	span     hdl.Bits // PSNs that the packet takes beyond that one
	lastPSN  hdl.Bits // the last one that it takes
	sge      format.SGE[hdl.Bits]
	length   hdl.Bits // bytes of payload of the packet
	need     hdl.Bits // of those, not yet found in SGEs
	left     hdl.Bits // bytes of the SGE from where the message is
	probes   hdl.Bits // SGEs of a READ or atomic that have a length, and have not been given away
	walks    hdl.Bits // segments go with the packet
	last     hdl.Bits // the packet ends the message
	over     hdl.Bits // the sum of lengths has passed 2^32
	records  hdl.Bits // no packet, a record of status
	status   hdl.Bits
	vendor   hdl.Bits
	ackReq   hdl.Bits // the packet asks for an acknowledgement
	taken    hdl.Bits // the WQE has been taken off the queue, or stays there
	again    hdl.Bits // the scheduler has been told, or need not be
	keyHeld  hdl.Bits // a local operation has not been taken yet
	waits    waiting  // who waits for that
	mtu      hdl.Bits // bytes
	isInline hdl.Bits

	inlineOut   stream.Frame // inline data, in granules
	inlineWants hdl.Bits     // the next granule has a place
}

func newSender(b *block) *sender {
	m := b.m
	s := &sender{
		block: b, turn: b.turn.Data,
		msg: hdl.NewReg(m, "now", message{}), psn: m.RegN("now_psn", 24), span: m.RegN("span", windowBits), lastPSN: m.RegN("last_psn", 24),
		sge:    hdl.NewReg(m, "sge", format.SGE[hdl.Bits]{}),
		length: m.RegN("length", link.LengthBits), need: m.RegN("need", link.LengthBits), left: m.RegN("sge_left", 32),
		probes: m.RegN("probes", 3), walks: m.RegN("walks", 1),
		last: m.RegN("last", 1), over: m.RegN("over", 1),
		records: m.RegN("records", 1), status: m.RegN("status", 8), vendor: m.RegN("vendor", link.FaultBits),
		ackReq: m.RegN("ack_req", 1), taken: m.Reg("taken", 1, 0), again: m.Reg("told_again", 1, 0), keyHeld: hdl.K(1, 0),
	}
	if b.keyRequests() {
		s.keyHeld = m.Reg("key_held", 1, 0)
		s.waits = b.newWaiting()
	}
	s.mtu = wqe.MTU(s.turn.Context.PathMTU)
	s.isInline = wqe.Flag(s.turn.Control, format.WRFlagInline)
	s.inlineOut = hdl.NewWire(m, "inline_granule", stream.FrameOf(8*inlineBytes))
	return s
}

// announce gives the packet away, and goes to its payload.
func (s *sender) announce() {
	m := s.m
	m.If(s.io.Job.Ready, func() {
		s.msg.Issued.Set(s.msg.Issued.AddK(1))
		s.msg.Active.Set(s.last.Not())
		s.taken.Set(s.last.Not())
		s.again.SetK(0)
		s.st.Goto(stEnd)
		m.If(s.records.Not(), func() {
			s.msg.Offset.Set(s.msg.Offset.Add(s.length.ZExt(32)))
			s.msg.Reads.Set(s.msg.Reads.Add(s.turn.Task.Asks().ZExt(8)))
			s.msg.Ahead.Set(s.msg.Ahead.AddK(1))
			s.psn.Set(s.lastPSN.AddK(1))
		})
		m.If(s.isInline.And(s.length.Any()), func() { s.st.Goto(stInline) })
		m.If(s.walks, func() { s.st.Goto(stWalk) })
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
		s.left.Set(hdl.Mux(s.turn.Task.Asks(), s.left.K(0), s.left.Sub(piece.length.ZExt(32))))
		s.need.Set(s.need.Sub(piece.length))
		s.probes.Set(s.probes.SubK(1))
		m.If(piece.last, func() { s.st.Goto(stEnd) })
	})
}

// gives returns one bit: a piece of an SGE is offered.
func (s *sender) gives() hdl.Bits {
	first := hdl.AndAll(s.st.Is(stJob), s.io.Job.Ready, s.walks)
	return s.st.Is(stWalk).Or(first).And(s.piece().empty.Not())
}

// piece is what the packet takes of the present SGE; of a READ or atomic, all of it.
type piece struct {
	empty  hdl.Bits // the SGE has been used up
	length hdl.Bits
	last   hdl.Bits // the packet has all its bytes
}

func (s *sender) piece() piece {
	enough := s.left.Ge(s.need.ZExt(32))
	return piece{
		empty: s.left.None(), length: hdl.Mux(enough, s.need, s.left.Trunc(link.LengthBits)),
		last: hdl.Mux(s.turn.Task.Asks(), s.probes.Is(1), enough),
	}
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
		s.mayInvite()
	})
}

// leave ends the turn, and the queue pair gets none until something wakes it.
func (s *sender) leave() {
	s.taken.SetK(1)
	s.again.SetK(1)
	s.st.Goto(stEnd)
}

// ends returns one bit: all is done at the end.
func (s *sender) ends() hdl.Bits {
	taken := s.taken.Or(s.io.Queue.Take.Ready)
	told := s.again.Or(s.io.Again.Ready)
	return hdl.AndAll(s.st.Is(stEnd), taken, told)
}
