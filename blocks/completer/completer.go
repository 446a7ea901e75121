package completer

import (
	"fmt"

	"gornic/blocks/link"
	"gornic/format"
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
	Response   hdl.Stream[link.RxResponse] `hdl:"in"`
	Dead       hdl.Stream[link.QPRef]      `hdl:"in"`
	Replay     link.ReplayPort             `hdl:"out"`
	Context    link.ContextPort            `hdl:"out"`
	Completion hdl.Stream[link.Completion] `hdl:"out"`
	Fault      hdl.Stream[link.QPFault]    `hdl:"out"`
	Control    hdl.Stream[link.QPControl]  `hdl:"in"`
	Ignored    hdl.Bits                    `hdl:"out" w:"1"` // pulse: a response answered nothing
}

// Def is the block. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	s := p.Sizes
	return hdl.Def[IO]{
		Name: fmt.Sprintf("completer_qp%d_cq%d", s.QPBits, s.CQBits),
		Doc:  "Acknowledgements retire packets, and send WQEs complete, in order and once each.",
		IO: IO{
			Response: hdl.StreamOf(s.RxResponse()), Dead: hdl.StreamOf(s.QPRef()), Replay: s.ReplayPort(), Context: s.ContextPort(),
			Completion: hdl.StreamOf(s.Completion()), Fault: hdl.StreamOf(s.QPFault()), Control: hdl.StreamOf(s.QPControl()),
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
	stIdle step = iota // an event is taken
	stLook             // its queue pair is looked up
	stFind             // the answer is waited for
	stPeek             // the oldest entry is asked for
	stWait             // and waited for
	stAct              // it leaves, with its completion
	stFail             // the ring is told that the queue pair has failed
)

func (s step) String() string {
	return [...]string{"idle", "look", "find", "peek", "wait", "act", "fail"}[s]
}

// Kinds of event.
const (
	eventSweep = 0 // entries that failed, or of a queue pair that has
	eventACK   = 1 // acknowledges PSN and what is before
	eventUpTo  = 2 // acknowledges what is before PSN
	eventFatal = 3 // and fails the WQE of PSN
)

// state is what is kept of a queue pair.
type state struct {
	Failed hdl.Bits `w:"1"`
	Ended  hdl.Bits `w:"1"`  // a WQE has the CQE with the cause,
	Index  hdl.Bits `w:"16"` // this one
}

// event is what is worked on.
type event struct {
	QP     hdl.Bits
	Kind   hdl.Bits `w:"2"`
	PSN    hdl.Bits `w:"24"`
	Status hdl.Bits `w:"8"` // of eventFatal
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
	first  hdl.Bits    // no entry has been looked at
	states *hdl.Memory // of queue pairs
	was    state       // that of the queue pair at hand, as it is
	dies   hdl.Bits    // the event says that it is dead

	entry  link.ReplayEntry // that leaves
	status hdl.Bits         // of its WQE
	vendor hdl.Bits
	more   hdl.Bits // the next one is looked at, too
	owes   pending
	waits  hdl.Bits // some of them still wait
	fails  hdl.Bits // the queue pair fails with this entry
}

// pending is what of an entry's effects has not been taken: one bit each.
type pending struct{ pop, completion, fault hdl.Bits }

func newBlock(m *hdl.Module, p Params, io *IO) *block {
	s := p.Sizes
	return &block{
		m: m, p: p, io: io,
		st:    hdl.NewFSM(m, "step", stIdle, stLook, stFind, stPeek, stWait, stAct, stFail),
		now:   hdl.NewReg(m, "now", event{QP: hdl.W(s.QPBits), CQ: hdl.W(s.CQBits)}),
		first: m.RegN("first", 1), states: m.LUTRAM("states", 1<<s.QPBits, hdl.WidthOf(state{})), dies: m.Reg("dies", 1, 0),
		entry: hdl.NewReg(m, "entry", link.ReplayEntry{}), status: m.RegN("status", 8), vendor: m.RegN("vendor", link.FaultBits),
		more: m.RegN("more", 1), fails: m.RegN("fails", 1),
		owes: pending{pop: m.Reg("owes_pop", 1, 0), completion: m.Reg("owes_completion", 1, 0), fault: m.Reg("owes_fault", 1, 0)},
	}
}

func (b *block) run() {
	b.was = hdl.Unpack(state{}, b.states.At(b.now.QP))
	b.waits = b.effects()
	b.st.Switch(
		hdl.On(stIdle, b.idle),
		hdl.On(stLook, func() {
			b.m.If(b.io.Context.Request.Ready, func() { b.st.Goto(stFind) })
		}),
		hdl.On(stFind, b.find),
		hdl.On(stPeek, func() {
			b.m.If(b.io.Replay.Request.Ready, func() { b.st.Goto(stWait) })
		}),
		hdl.On(stWait, b.judge),
		hdl.On(stAct, b.act),
		hdl.On(stFail, func() {
			b.m.If(b.io.Replay.Request.Ready, func() { b.st.Goto(stPeek) })
		}),
	)
}

// idle takes an event: entries that failed first, then queue pairs that died,
// then responses.
func (b *block) idle() {
	m, io := b.m, b.io
	sweep := func(qp hdl.Bits) {
		b.now.QP.Set(qp)
		b.now.Kind.SetK(eventSweep)
		b.st.Goto(stLook)
	}
	b.first.SetK(1)
	b.dies.SetK(0)
	m.If(io.Replay.Recorded.Valid, func() {
		sweep(io.Replay.Recorded.Data.QP)
	}).ElseIf(io.Dead.Valid, func() {
		b.dies.SetK(1)
		sweep(io.Dead.Data.QP)
	}).ElseIf(io.Response.Valid, func() {
		r := io.Response.Data
		kind, status := classify(r)
		hdl.Set(b.now, event{QP: r.QP, Kind: kind, PSN: r.PSN, Status: status, QPN: r.Context.QPN, CQ: r.Context.SendCQ})
		m.If(kind.IsNot(eventSweep), func() { b.st.Goto(stPeek) })
	})
}

// classify says what a response does (protocol section 1.6); eventSweep stands
// for nothing.
func classify(r link.RxResponse) (kind, status hdl.Bits) {
	k := func(v uint64) hdl.Bits { return hdl.K(2, v) }
	code := func(s format.Status) hdl.Bits { return hdl.K(8, uint64(s)) }
	class, low := r.Syndrome.Slice(7, 5), r.Syndrome.Slice(4, 0)
	nak := hdl.Mux(low.None(), k(eventUpTo), hdl.Mux(low.LeK(3), k(eventFatal), k(eventSweep)))
	kind = hdl.Mux(class.None(), k(eventACK), hdl.Mux(class.Is(1), k(eventUpTo), hdl.Mux(class.Is(3), nak, k(eventSweep))))
	kind = hdl.Mux(r.Opcode.Is(uint64(format.OpAcknowledge)), kind, k(eventSweep))
	status = hdl.Mux(low.Is(1), code(format.StatusRemInvReq), hdl.Mux(low.Is(2), code(format.StatusRemAccess), code(format.StatusRemOp)))
	return kind, status
}

// find takes the context of a queue pair that no response came with.
func (b *block) find() {
	reply := b.io.Context.Reply
	b.m.If(reply.Valid, func() {
		b.now.QPN.Set(reply.Data.Context.QPN)
		b.now.CQ.Set(reply.Data.Context.SendCQ)
		b.st.Goto(stPeek)
		b.m.If(b.dies, func() { b.st.Goto(stFail) })
	})
}

// judge decides what becomes of the oldest entry.
func (b *block) judge() {
	m, oldest := b.m, b.io.Replay.Oldest
	o := oldest.Data
	m.If(oldest.Valid, func() {
		hdl.Set(b.entry, o.Entry)
		b.vendor.Set(o.Entry.Vendor)
		b.first.SetK(0)
		b.more.SetK(1)
		b.fails.SetK(0)
		ahead := o.Newest.Sub(b.now.PSN).MSB() // of everything that was sent
		d := b.now.PSN.Sub(o.Entry.PSN)
		behind := d.MSB()
		is := func(kind uint64) hdl.Bits { return b.now.Kind.Is(kind) }
		m.If(o.Any.Not(), func() {
			b.st.Goto(stIdle)
		}).ElseIf(b.was.Failed, func() {
			b.vendor.SetK(uint64(format.VendorNone)) // whatever it would have failed with
			b.leaves(code(format.StatusFlush))
		}).ElseIf(o.Entry.Status.Any(), func() {
			b.fails.SetK(1)
			b.leaves(o.Entry.Status)
		}).ElseIf(o.Failed.And(o.Entry.WQEIndex.Eq(o.Cause)), func() {
			// Part of a WQE that has failed since: nobody may ever acknowledge it.
			b.leaves(code(format.StatusSuccess))
		}).ElseIf(is(eventSweep).Or(b.first.And(ahead)).Or(behind), func() {
			b.st.Goto(stIdle)
		}).ElseIf(d.Any(), func() {
			b.leaves(code(format.StatusSuccess))
		}).ElseIf(is(eventACK), func() {
			b.more.Set(o.Failed)
			b.now.Kind.SetK(eventSweep) // what is behind is not acknowledged, but may have failed
			b.leaves(code(format.StatusSuccess))
		}).ElseIf(is(eventFatal), func() {
			b.fails.SetK(1)
			b.vendor.SetK(uint64(format.VendorNAK))
			b.leaves(b.now.Status)
		}).Else(func() {
			b.st.Goto(stIdle)
		})
	})
}

func code(s format.Status) hdl.Bits { return hdl.K(8, uint64(s)) }

// leaves lets the oldest entry go, with the status of its WQE.
func (b *block) leaves(status hdl.Bits) {
	e := b.io.Replay.Oldest.Data.Entry
	b.status.Set(status)
	b.owes.pop.SetK(1)
	had := hdl.AndAll(b.was.Failed, b.was.Ended, e.WQEIndex.Eq(b.was.Index))
	failed := status.Any()
	cause := failed.And(b.was.Failed.Not())
	b.owes.completion.Set(cause.Or(e.Last.And(e.Signaled.Or(failed)).And(had.Not())))
	b.owes.fault.Set(cause)
	b.st.Goto(stAct)
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
