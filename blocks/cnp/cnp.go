package cnp

import (
	"fmt"

	"gornic/blocks/link"
	"gornic/blocks/scheduler"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// gapBits is the width of Gap.
const gapBits = 12

// Params are the parameters of the block.
type Params struct {
	Sizes link.Sizes
	Tick  int // cycles of a tick, 1 to 65535
}

// Validate returns an error for parameters that the block cannot have.
func (p Params) Validate() error {
	if p.Sizes.QPBits < 1 || p.Sizes.QPBits > 16 {
		return fmt.Errorf("cnp: 2^%d queue pairs: not 2^1 to 2^16", p.Sizes.QPBits)
	}
	if p.Tick < 1 || p.Tick > 65535 {
		return fmt.Errorf("cnp: a tick of %d cycles: not 1 to 65535", p.Tick)
	}
	return nil
}

// timeBits is the width of a tick's number: that of the longest gap, and of the ticks in which all queue pairs are
// gone over, at 6 cycles each and a cycle a tick.
func (p Params) timeBits() int { return max(gapBits, p.Sizes.QPBits+3) + 1 }

// IO is the ports of the block.
type IO struct {
	Gap     hdl.Bits                   `hdl:"in"`
	Marked  hdl.Stream[link.QPRef]     `hdl:"in"`
	Control hdl.Stream[link.QPControl] `hdl:"in"`
	CNP     hdl.Stream[link.QPRef]     `hdl:"out"`
}

// Def is the block. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	s := p.Sizes
	return hdl.Def[IO]{
		Name: fmt.Sprintf("cnp_qp%d_t%d", s.QPBits, p.Tick),
		Doc:  "Decides when a congestion notification is sent.",
		IO: IO{
			Gap: hdl.W(gapBits), Marked: hdl.StreamOf(s.QPRef()), Control: hdl.StreamOf(s.QPControl()), CNP: hdl.StreamOf(s.QPRef()),
		},
		Body: func(m *hdl.Module, io *IO) {
			if err := p.Validate(); err != nil {
				m.Reject("%v", err)
			}
			b := newBlock(m, p, io)
			b.enter()
			b.judge()
			b.properties()
		},
	}
}

// step is where the block is with a queue pair.
type step int

const (
	stNext  step = iota // one is taken
	stRead              // its word is here
	stJudge             // its age is known
	stSend              // its CNP is offered
)

func (s step) String() string { return [...]string{"next", "read", "judge", "send"}[s] }

// word is what is kept of a queue pair.
type word struct {
	Recent hdl.Bits `w:"1"` // it has sent a CNP,
	At     hdl.Bits // in this tick
}

// block is the module while it is built.
type block struct {
	m  *hdl.Module
	p  Params
	io *IO

	st       *hdl.FSM[step]
	words    *hdl.Memory
	now      hdl.Bits               // the present tick
	turn     hdl.Stream[link.QPRef] // queue pairs with a mark, or that begin anew
	qp       hdl.Bits               // the queue pair at hand
	goesOver hdl.Bits               // it has no mark: what is old is forgotten
	begins   hdl.Bits               // it begins anew
}

func newBlock(m *hdl.Module, p Params, io *IO) *block {
	return &block{
		m: m, p: p, io: io,
		st:    hdl.NewFSM(m, "step", stNext, stRead, stJudge, stSend),
		words: m.RAM("words", 1<<p.Sizes.QPBits, 1+p.timeBits(), hdl.Undefined),
		now:   ticks(m, p), qp: m.RegN("qp", p.Sizes.QPBits), goesOver: m.Reg("goes_over", 1, 1),
	}
}

// ticks numbers the ticks.
func ticks(m *hdl.Module, p Params) hdl.Bits {
	now := m.Reg("now", p.timeBits(), 0)
	if p.Tick == 1 {
		now.Set(now.AddK(1))
		return now
	}
	cycle := m.Reg("cycle", hdl.Log2(p.Tick), 0)
	ends := cycle.Is(uint64(p.Tick - 1))
	cycle.Set(hdl.Mux(ends, cycle.K(0), cycle.AddK(1)))
	m.If(ends, func() { now.Set(now.AddK(1)) })
	return now
}

// enter queues marks, and the queue pair that begins anew. Other kinds of Control mean nothing here.
func (b *block) enter() {
	m, in := b.m, b.io.Control
	clears := in.Valid.And(in.Data.Kind.Is(link.ControlClear))
	control := hdl.NewStream(m, "control_turn", b.p.Sizes.QPRef())
	entered := m.Reg("control_entered", 1, 0)
	control.Valid.Set(clears.And(entered.Not()))
	control.Data.QP.Set(in.Data.QP)
	m.Unused(in.Data.PSN)

	turns, from := stream.RoundRobin(m, "u_turns", b.io.Marked, control)
	m.Unused(from)
	queue := hdl.Instance(m, "u_queue", scheduler.Def(scheduler.Params{Sizes: link.Sizes{QPBits: b.p.Sizes.QPBits}, Wakes: 1}))
	hdl.Connect(queue.Wakes[0], stream.Slice(m, "u_turn", turns))
	b.turn = queue.Grant

	b.begins = hdl.AndAll(b.st.Is(stRead), b.goesOver.Not(), entered, b.qp.Eq(in.Data.QP))
	in.Ready.Set(b.begins.Or(clears.Not()))
	m.If(control.Fire(), func() { entered.SetK(1) })
	m.If(b.begins, func() { entered.SetK(0) })
}

// judge takes one queue pair after the other: in turn one with a mark, and one that is gone over.
func (b *block) judge() {
	m, io, bits := b.m, b.io, b.p.timeBits()
	next := b.st.Is(stNext)
	over, swept := b.over(next)
	b.turn.Ready.Set(hdl.AndAll(next, swept, b.goesOver))
	takes := b.turn.Fire()
	at := hdl.Mux(takes, b.turn.Data.QP, over)
	was := hdl.Unpack(word{At: hdl.W(bits)}, b.words.Read("was", at, next.And(swept)))
	age, recent := m.RegN("age", bits), m.RegN("recent", 1)
	fresh := hdl.AndAll(recent, age.Le(io.Gap.ZExt(bits)), io.Gap.Any())

	m.If(next.And(swept), func() {
		b.qp.Set(at)
		b.goesOver.Set(takes.Not())
		b.st.Goto(stRead)
	})
	b.st.Switch(
		hdl.On(stRead, func() {
			recent.Set(was.Recent)
			age.Set(b.now.Sub(was.At))
			b.st.Goto(stJudge)
			m.If(b.begins, func() { b.st.Goto(stNext) })
		}),
		hdl.On(stJudge, func() {
			b.st.Goto(stSend)
			m.If(b.goesOver.Or(fresh), func() { b.st.Goto(stNext) })
		}),
		hdl.On(stSend, func() {
			m.If(io.CNP.Ready, func() { b.st.Goto(stNext) })
		}),
	)
	io.CNP.Valid.Set(b.st.Is(stSend))
	io.CNP.Data.QP.Set(b.qp)
	sends := io.CNP.Fire()
	forgets := hdl.AndAll(b.st.Is(stJudge), b.goesOver, fresh.Not())
	b.words.Write(hdl.Mux(next, over, b.qp), hdl.OrAll(next.And(swept.Not()), b.begins, forgets, sends),
		hdl.Pack(word{Recent: sends, At: b.now}))
	m.Event("cnp", sends, hdl.Field("qp", b.qp))
}

// over is the queue pair to be gone over in the next turn that is none of a mark. Once, after reset, words are
// written as it goes; then swept is one.
func (b *block) over(next hdl.Bits) (over, swept hdl.Bits) {
	over, swept = b.m.Reg("over", b.p.Sizes.QPBits, 0), b.m.Reg("swept", 1, 0)
	b.m.If(next.And(b.turn.Fire().Not()), func() {
		over.Set(over.AddK(1))
		swept.Set(swept.Or(over.All()))
	})
	return over, swept
}
