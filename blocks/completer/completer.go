package completer

import (
	"fmt"

	"gornic/blocks/link"
	"gornic/hdl"
)

// Params are the parameters of the block.
type Params struct{ Sizes link.Sizes }

// Validate returns an error for parameters that the block cannot have.
func (p Params) Validate() error {
	if p.Sizes.QPBits < 1 || p.Sizes.QPBits > 16 {
		return fmt.Errorf("completer: 2^%d queue pairs: not 2^1 to 2^16", p.Sizes.QPBits)
	}
	return nil
}

// IO is the ports of the block.
type IO struct {
	Response   hdl.Stream[link.RxResponse]  `hdl:"in"`
	Replay     link.ReplayPort              `hdl:"out"`
	Context    link.ContextPort             `hdl:"out"`
	Completion hdl.Stream[link.Completion]  `hdl:"out"`
	Fault      hdl.Stream[link.QPFault]     `hdl:"out"`
	Control    hdl.Stream[link.QPControl]   `hdl:"in"`
	Heard      hdl.Stream[link.Heard]       `hdl:"out"`
	Failure    hdl.Stream[link.SendFailure] `hdl:"in"`
	Counts     Counts                       `hdl:"out"`
}

// Counts are pulses, for counters.
type Counts struct {
	Ignored         hdl.Bits `w:"1"` // a response answered nothing
	SequenceNAK     hdl.Bits `w:"1"` // NAK 0x60 for the oldest packet
	ImpliedNAK      hdl.Bits `w:"1"` // a response to what is behind one that is lost
	RNRNAK          hdl.Bits `w:"1"` // an RNR NAK for the oldest packet
	Invalid         hdl.Bits `w:"1"` // a WQE fails with NAK 0x61,
	Access          hdl.Bits `w:"1"` // 0x62
	Operation       hdl.Bits `w:"1"` // or 0x63
	RetriesExceeded hdl.Bits `w:"1"` // a WQE fails for want of retries,
	RNRExceeded     hdl.Bits `w:"1"` // or of RNR retries
	CQEError        hdl.Bits `w:"1"` // a WQE completes with an error,
	CQEFlush        hdl.Bits `w:"1"` // or as flushed
}

// Def is the block. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	s := p.Sizes
	return hdl.Def[IO]{
		Name: fmt.Sprintf("completer_qp%d_cq%d", s.QPBits, s.CQBits),
		Doc:  "Responses retire packets, and send WQEs complete, in order and once each.",
		IO: IO{
			Response: hdl.StreamOf(s.RxResponse()), Replay: s.ReplayPort(), Context: s.ContextPort(),
			Completion: hdl.StreamOf(s.Completion()), Fault: hdl.StreamOf(s.QPFault()), Control: hdl.StreamOf(s.QPControl()),
			Heard: hdl.StreamOf(s.Heard()), Failure: hdl.StreamOf(s.SendFailure()),
		},
		Body: func(m *hdl.Module, io *IO) {
			if err := p.Validate(); err != nil {
				m.Reject("%v", err)
			}
			b := newBlock(m, p, io)
			b.run()
			b.ports()
			b.properties()
		},
	}
}

// step is what the block does.
type step int

const (
	stIdle  step = iota // an event is taken
	stLook              // its queue pair is looked up
	stFind              // the answer is waited for
	stPeek              // the oldest entry is asked for
	stWait              // and waited for
	stAct               // it leaves, with its completion, or what a response says of it is told
	stDie               // the queue pair goes to ERR, for a cause that is kept
	stFail              // it has failed: the ring is told
	stClear             // it begins anew
)

func (s step) String() string {
	return [...]string{"idle", "look", "find", "peek", "wait", "act", "die", "fail", "clear"}[s]
}

// state is what is kept of a queue pair.
type state struct {
	Standing standing
	Status   hdl.Bits `w:"8"` // where it is dying: how the WQE of the oldest entry will complete
	Vendor   hdl.Bits `w:"5"`
}

// standing is what decides on entries.
type standing struct {
	Dying  hdl.Bits `w:"1"`  // a response told of a failure, of the oldest entry
	Failed hdl.Bits `w:"1"`  // all entries are flushed
	Ended  hdl.Bits `w:"1"`  // a WQE has the CQE with the cause,
	Index  hdl.Bits `w:"16"` // this one
	Part   hdl.Bits `w:"1"`  // data of the oldest entry, a READ, has come
	Due    hdl.Bits `w:"24"` // up to this PSN, which is owed
}

// due is where the PSN of an event stands against what is owed of a READ of which some has come.
type due struct {
	before hdl.Bits
	first  hdl.Bits // it is that
}

// event is what is worked on.
type event struct {
	QP     hdl.Bits
	Kind   hdl.Bits `w:"4"` // eventSweep and others
	PSN    hdl.Bits `w:"24"`
	Status hdl.Bits `w:"8"` // of eventFatal, eventStray and eventFailure
	Vendor hdl.Bits `w:"5"`
	Code   hdl.Bits `w:"5"` // of eventRNR
	QPN    hdl.Bits `w:"24"`
	CQ     hdl.Bits
}

// block is the module while it is built.
type block struct {
	m  *hdl.Module
	p  Params
	io *IO

	st     *hdl.FSM[step]
	now    event
	first  hdl.Bits    // no entry has been looked at that a response could be for
	states *hdl.Memory // of queue pairs
	is     state       // that of the queue pair at hand,
	was    standing    // and what it was a cycle ago,
	due    due         // and the cycle before that
	clears hdl.Bits    // Control is next
	passed hdl.Bits    // responses that were taken since it came

	entry  link.ReplayEntry // that leaves
	status hdl.Bits         // of its WQE
	vendor hdl.Bits
	more   hdl.Bits // the next one is looked at, too
	left   hdl.Bits // an entry that is no packet has left, and nothing was told since
	heard  said
	part   hdl.Bits // state.Standing.Part from now on
	owes   pending
	waits  hdl.Bits // some of them still wait
	fails  hdl.Bits // the queue pair fails with this entry
}

// said is what is told of an event: the fields of link.Heard.
type said struct {
	Kind  hdl.Bits `w:"2"`
	Cause hdl.Bits `w:"2"`
	Owed  hdl.Bits `w:"24"` // the PSN that was owed of the entry,
	After hdl.Bits `w:"24"` // and that which is now, if this is progress
}

// psn is the first one that is owed behind it.
func (s said) psn() hdl.Bits { return hdl.Mux(s.Kind.Is(link.HeardProgress), s.After, s.Owed) }

// pending is what of an entry's effects has not been taken: one bit each.
type pending struct{ pop, completion, fault, heard hdl.Bits }

// responsesAhead is how many responses, at most, stand before this block when a
// fence behind them has passed: what Control lets by.
const responsesAhead = 8

func newBlock(m *hdl.Module, p Params, io *IO) *block {
	s := p.Sizes
	return &block{
		m: m, p: p, io: io,
		st:    hdl.NewFSM(m, "step", stIdle, stLook, stFind, stPeek, stWait, stAct, stDie, stFail, stClear),
		now:   hdl.NewReg(m, "now", event{QP: hdl.W(s.QPBits), CQ: hdl.W(s.CQBits)}),
		first: m.RegN("first", 1), states: m.LUTRAM("states", 1<<s.QPBits, hdl.WidthOf(state{})), was: hdl.NewReg(m, "was", standing{}),
		due:    due{before: m.RegN("before_due", 1), first: m.RegN("is_due", 1)},
		clears: m.Wire("clears", 1), passed: m.Reg("passed", 4, 0),
		entry: hdl.NewReg(m, "entry", link.ReplayEntry{}), status: m.RegN("status", 8), vendor: m.RegN("vendor", link.FaultBits),
		more: m.RegN("more", 1), fails: m.RegN("fails", 1), left: m.RegN("left", 1), part: m.RegN("part", 1),
		heard: hdl.NewReg(m, "hears", said{}),
		owes: pending{
			pop: m.Reg("owes_pop", 1, 0), completion: m.Reg("owes_completion", 1, 0), fault: m.Reg("owes_fault", 1, 0), heard: m.Reg("owes_heard", 1, 0),
		},
	}
}

func (b *block) run() {
	b.is = hdl.Unpack(state{}, b.states.At(b.now.QP))
	hdl.Set(b.was, b.is.Standing)
	b.due.before.Set(b.now.PSN.Sub(b.was.Due).MSB())
	b.due.first.Set(b.now.PSN.Eq(b.was.Due))
	b.waits = b.effects()
	then := func(ready hdl.Bits, next step) func() {
		return func() { b.m.If(ready, func() { b.st.Goto(next) }) }
	}
	asked := b.io.Replay.Request.Ready
	b.st.Switch(
		hdl.On(stIdle, b.idle),
		hdl.On(stLook, then(b.io.Context.Request.Ready, stFind)),
		hdl.On(stFind, b.find),
		hdl.On(stPeek, then(asked, stWait)),
		hdl.On(stWait, b.judge),
		hdl.On(stAct, b.act),
		hdl.On(stDie, then(b.waits.Not(), stIdle)),
		hdl.On(stFail, then(asked, stPeek)),
		hdl.On(stClear, then(asked, stIdle)),
	)
}

// idle takes an event: Control when nothing of its queue pair waits here any more, then entries
// that were recorded, then failures, then responses. So an entry is known before the response to it.
func (b *block) idle() {
	m, io := b.m, b.io
	b.first.SetK(1)
	b.left.SetK(0)
	m.If(b.clears, func() {
		b.now.QP.Set(io.Control.Data.QP)
		b.st.Goto(stClear)
	}).ElseIf(io.Replay.Recorded.Valid, func() {
		b.now.QP.Set(io.Replay.Recorded.Data.QP)
		b.now.Kind.Set(kind(eventSweep))
		b.st.Goto(stLook)
	}).ElseIf(io.Failure.Valid, func() {
		f := io.Failure.Data
		b.now.QP.Set(f.QP)
		b.now.Kind.Set(kind(eventFailure))
		b.now.PSN.Set(f.PSN)
		b.now.Status.Set(f.Status)
		b.now.Vendor.Set(f.Vendor)
		b.st.Goto(stLook)
	}).ElseIf(io.Response.Valid, func() {
		r := io.Response.Data
		v := classify(r)
		hdl.Set(b.now, event{QP: r.QP, Kind: v.Kind, PSN: r.PSN, Status: v.Status, Vendor: v.Vendor, Code: r.Syndrome.Trunc(5), QPN: r.QPN, CQ: r.SendCQ})
		m.If(v.Kind.IsNot(eventSweep), func() { b.st.Goto(stPeek) })
	})
}

// find takes the context of a queue pair that no response came with.
func (b *block) find() {
	reply := b.io.Context.Reply
	b.m.If(reply.Valid, func() {
		b.now.QPN.Set(reply.Data.Context.QPN)
		b.now.CQ.Set(reply.Data.Context.SendCQ)
		b.st.Goto(stPeek)
	})
}

// act ends when all effects of an entry have been taken.
func (b *block) act() {
	m := b.m
	m.If(b.waits.Not(), func() {
		b.st.Goto(stIdle)
		m.If(b.more, func() { b.st.Goto(stPeek) })
		m.If(b.fails, func() { b.st.Goto(stFail) })
	})
}
