package retry

import (
	"fmt"

	"gornic/blocks/link"
	"gornic/hdl"
)

// Params are the parameters of the block.
type Params struct {
	Sizes link.Sizes
	Tick  int // cycles of 4.096 us, or a few more: 2 to 65535
	Slots int // of the timer wheel: a power of two, 2 to 65536
}

// Validate returns an error for parameters that the block cannot have.
func (p Params) Validate() error {
	if p.Sizes.QPBits < 1 || p.Sizes.QPBits > 16 {
		return fmt.Errorf("retry: 2^%d queue pairs: not 2^1 to 2^16", p.Sizes.QPBits)
	}
	if p.Tick < 2 || p.Tick > 65535 {
		return fmt.Errorf("retry: a tick of %d cycles: not 2 to 65535", p.Tick)
	}
	if p.Slots < 2 || p.Slots > 65536 || p.Slots&(p.Slots-1) != 0 {
		return fmt.Errorf("retry: a wheel of %d slots: not a power of two from 2 to 65536", p.Slots)
	}
	return nil
}

// slotBits is the width of the number of a slot.
func (p Params) slotBits() int { return hdl.Log2(p.Slots) }

// IO is the ports of the block.
type IO struct {
	Heard       hdl.Stream[link.Heard]       `hdl:"in"`
	Started     hdl.Stream[link.QPRef]       `hdl:"in"`
	Marked      hdl.Stream[link.QPRef]       `hdl:"in"`
	Resent      hdl.Stream[link.Resent]      `hdl:"in"`
	ResendFault hdl.Stream[link.ResendFault] `hdl:"in"`
	Control     hdl.Stream[link.QPControl]   `hdl:"in"`
	Mark        hdl.Stream[link.QPRef]       `hdl:"out"`
	Resend      hdl.Stream[link.Resend]      `hdl:"out"`
	Failure     hdl.Stream[link.SendFailure] `hdl:"out"`
	Wake        hdl.Stream[link.QPRef]       `hdl:"out"`
	Held        link.HeldPort                `hdl:"in"`
	Waits       link.WaitsPort               `hdl:"out"`
	Timeout     hdl.Bits                     `hdl:"out" w:"1"` // pulse: an ACK timeout
}

// Def is the block. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	s := p.Sizes
	ref := func() hdl.Stream[link.QPRef] { return hdl.StreamOf(s.QPRef()) }
	return hdl.Def[IO]{
		Name: fmt.Sprintf("retry_qp%d_t%d_s%d", s.QPBits, p.Tick, p.Slots),
		Doc:  "Retry: ACK timers, RNR waits and retry counters of queue pairs, and when their packets are sent again.",
		IO: IO{
			Heard: hdl.StreamOf(s.Heard()), Started: ref(), Marked: ref(),
			Resent: hdl.StreamOf(s.Resent()), ResendFault: hdl.StreamOf(s.ResendFault()), Control: hdl.StreamOf(s.QPControl()),
			Mark: ref(), Resend: hdl.StreamOf(s.Resend()), Failure: hdl.StreamOf(s.SendFailure()), Wake: ref(),
			Held: s.HeldPort(), Waits: s.WaitsPort(),
		},
		Body: func(m *hdl.Module, io *IO) {
			if err := p.Validate(); err != nil {
				m.Reject("%v", err)
			}
			b := newBlock(m, p, io)
			b.time()
			b.take()
			b.read()
			b.decide()
			b.write()
			b.turn()
			b.pay()
			b.steps()
			b.properties()
		},
	}
}

// step is what the block does.
type step int

const (
	stSweep  step = iota // after reset the memories are cleared
	stTake               // an operation is waited for, and the state of its queue pair read
	stDecide             // what becomes of it
	stWrite              // it is written; that of the next operation may be read
	stUnlink             // the queue pair leaves the list of its slot
	stEnter              // and enters that of another
	stTurn               // the wheel turns by a slot
)

func (s step) String() string {
	return [...]string{"sweep", "take", "decide", "write", "unlink", "enter", "turn"}[s]
}

// Phases of a queue pair.
const (
	phaseIdle     = 0 // it sends what is new
	phaseMarking  = 1 // it is to send again, once its mark has come back
	phaseUnmarked = 2 // it waits after an RNR NAK, and for its mark
	phaseWaiting  = 3 // it waits after an RNR NAK, and the mark has come
	phaseSending  = 4 // resend sends its packets again
	phaseDead     = 5 // it has failed, unless an answer has been faster
)

// held returns one bit: a queue pair in this phase begins nothing new.
func held(phase hdl.Bits) hdl.Bits { return hdl.AndAll(phase.IsNot(phaseIdle), phase.IsNot(phaseDead)) }

// state is what is kept of a queue pair.
type state struct {
	Timers   link.Timers
	PSN      hdl.Bits `w:"24"` // the first one that is owed
	Used     hdl.Bits `w:"3"`  // restarts since there was progress
	RNRUsed  hdl.Bits `w:"3"`  // RNR NAKs since then
	Once     hdl.Bits `w:"1"`  // a restart has been counted since then
	Phase    hdl.Bits `w:"3"`
	Number   hdl.Bits `w:"2"`  // of the last Resend,
	Untold   hdl.Bits `w:"1"`  // of which resend has not been told yet
	Runs     hdl.Bits `w:"1"`  // the timer, of ACKs in phaseIdle, of an RNR wait in two others; else it means nothing
	Deadline hdl.Bits `w:"33"` // of the timer: the tick in which it expires
	Status   hdl.Bits `w:"4"`  // in phaseDead: why
	Vendor   hdl.Bits `w:"5"`
	Owes     owed
	Queued   hdl.Bits `w:"1"` // it stands in the queue of those that owe
	MarkOut  hdl.Bits `w:"1"` // a mark has been given, and has not come back
	Listed   hdl.Bits `w:"1"` // it stands in the list of a slot of the wheel,
	Slot     hdl.Bits // this one
}

// owed is what a queue pair has to tell others: one bit each.
type owed struct {
	Mark    hdl.Bits `w:"1"`
	Resend  hdl.Bits `w:"1"`
	Failure hdl.Bits `w:"1"`
	Wake    hdl.Bits `w:"1"`
}

// block is the module while it is built.
type block struct {
	m  *hdl.Module
	p  Params
	io *IO

	st    *hdl.FSM[step]
	sweep hdl.Bits // the place that is cleared, or past all

	states *hdl.Memory
	held   *hdl.Memory // a bit of each queue pair, for HeldPort
	wheel  *wheel
	ticks  hdl.Bits // a tick begins
	tick   hdl.Bits // its number

	waiting hdl.Bits  // an operation has been taken,
	next    operation // this one,
	waits   hdl.Bits  // and, if it is a visit, packets of the queue pair were in the replay ring then
	reads   hdl.Bits  // its turn comes
	turns   hdl.Bits  // the wheel turns: there is nothing else
	now     operation // that is at hand
	present hdl.Bits  // its waits
	is      state     // of its queue pair, in stDecide
	to      state     // what becomes of it, in stWrite

	queue  hdl.Stream[link.QPRef] // queue pairs that owe something
	enters hdl.Stream[link.QPRef]
	pays   hdl.Bits // the first of them can be told of
	out    payment
}

func newBlock(m *hdl.Module, p Params, io *IO) *block {
	s := p.Sizes
	qps := 1 << s.QPBits
	proto := state{Slot: hdl.W(p.slotBits())}
	b := &block{
		m: m, p: p, io: io,
		st:     hdl.NewFSM(m, "step", stSweep, stTake, stDecide, stWrite, stUnlink, stEnter, stTurn),
		sweep:  m.Reg("sweep", max(s.QPBits, p.slotBits())+1, 0),
		states: m.RAM("states", qps, hdl.WidthOf(proto), hdl.Undefined), held: m.LUTRAM("held_qps", qps, 1),
		wheel: newWheel(m, p), ticks: m.Wire("ticks", 1), tick: m.Reg("tick", tickBits, 0),
		waiting: m.Reg("waiting", 1, 0), next: hdl.NewReg(m, "next", operation{QP: hdl.W(s.QPBits)}), waits: m.RegN("next_waits", 1),
		reads: m.Wire("reads", 1), turns: m.Wire("turns", 1),
		now: hdl.NewReg(m, "now", operation{QP: hdl.W(s.QPBits)}), present: m.RegN("present", 1), to: hdl.NewReg(m, "to", proto),
		pays: m.Reg("pays", 1, 0), out: newPayment(m, s),
	}
	b.enters = hdl.NewWire(m, "enters", hdl.StreamOf(s.QPRef()))
	b.queue = newQueue(m, s, b.enters)
	return b
}

// steps goes from step to step.
func (b *block) steps() {
	m := b.m
	next := func(s step) func() { return func() { b.st.Goto(s) } }
	b.st.Switch(
		hdl.On(stSweep, func() {
			b.sweep.Set(b.sweep.AddK(1))
			m.If(b.sweep.MSB(), next(stTake))
		}),
		hdl.On(stTake, func() {
			m.If(b.reads, next(stDecide)).ElseIf(b.turns, next(stTurn))
		}),
		hdl.On(stDecide, next(stWrite)),
		hdl.On(stWrite, func() {
			m.If(b.reads, next(stDecide)).Else(next(stTake))
			m.If(b.wheel.relinks, next(stEnter))
			m.If(b.wheel.relinks.And(b.to.Listed), next(stUnlink))
		}),
		hdl.On(stUnlink, next(stEnter)),
		hdl.On(stEnter, next(stTake)),
		hdl.On(stTurn, next(stTake)),
	)
}
