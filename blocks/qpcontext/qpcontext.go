package qpcontext

import (
	"fmt"

	"gornic/blocks/link"
	"gornic/blocks/scheduler"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/ir"
	"gornic/hdl/stream"
)

// Params are the parameters of the block.
type Params struct {
	Sizes   link.Sizes
	Clients int // that look up, at least 1
	Faults  int // blocks that report faults, at least 1
}

// Validate returns an error for parameters that the block cannot have.
func (p Params) Validate() error {
	if p.Sizes.QPBits < 1 || p.Sizes.QPBits > 16 {
		return fmt.Errorf("qpcontext: 2^%d queue pairs: not 2^1 to 2^16", p.Sizes.QPBits)
	}
	if p.Clients < 1 || p.Faults < 1 {
		return fmt.Errorf("qpcontext: %d clients and %d blocks with faults: not at least 1 each", p.Clients, p.Faults)
	}
	return nil
}

// IO is the ports of the block.
type IO struct {
	Clients []link.ContextPort            `hdl:"in"`
	Write   hdl.Stream[link.ContextWrite] `hdl:"in"`
	Faults  []hdl.Stream[link.QPFault]    `hdl:"in"`
	Dead    hdl.Stream[link.QPRef]        `hdl:"out"`
	Async   hdl.Stream[link.Async]        `hdl:"out"`
}

// Def is the block. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	s := p.Sizes
	io := IO{Write: hdl.StreamOf(s.ContextWrite()), Dead: hdl.StreamOf(s.QPRef()), Async: hdl.StreamOf(link.Async{})}
	for range p.Clients {
		io.Clients = append(io.Clients, s.ContextPort())
	}
	for range p.Faults {
		io.Faults = append(io.Faults, hdl.StreamOf(s.QPFault()))
	}
	return hdl.Def[IO]{
		Name: fmt.Sprintf("qpcontext_qp%d_cq%d_c%d_f%d", s.QPBits, s.CQBits, p.Clients, p.Faults),
		Doc:  "The table of queue pairs: context, address and state of each; lookups, faults, who has died.",
		IO:   io,
		Body: func(m *hdl.Module, io *IO) {
			if err := p.Validate(); err != nil {
				m.Reject("%v", err)
			}
			b := newBlock(m, p, io)
			b.lookups()
			b.faults()
			b.write()
			b.properties()
		},
	}
}

// life is whether a queue pair exists, and its state.
type life struct {
	Exists hdl.Bits `w:"1"`
	State  hdl.Bits `w:"3"`
}

// block is the module while it is built.
type block struct {
	m  *hdl.Module
	p  Params
	io *IO

	table *hdl.Memory // link.Lookup, of which Exists and State mean nothing
	lives *hdl.Memory
	swept hdl.Bits
	sweep hdl.Bits
	inner link.ContextPort // the lookups of faults
	dying *scheduler.IO    // queue pairs that died, each once

	kills hdl.Bits // a fault moves this queue pair to ERR:
	kill  hdl.Bits
	quiet hdl.Bits // no fault is being looked at
	looks hdl.Bits // a lookup goes to the memory
}

func newBlock(m *hdl.Module, p Params, io *IO) *block {
	bits := p.Sizes.QPBits
	b := &block{
		m: m, p: p, io: io,
		table: m.RAM("table_of_qps", 1<<bits, hdl.WidthOf(link.Lookup{Context: p.Sizes.Context()}), hdl.Undefined),
		lives: m.LUTRAM("lives", 1<<bits, hdl.WidthOf(life{})),
		inner: hdl.NewWire(m, "own", p.Sizes.ContextPort()),
		dying: hdl.Instance(m, "u_dying", scheduler.Def(scheduler.Params{Sizes: p.Sizes, Wakes: 2})),
		kills: m.Wire("kills", 1), kill: m.Wire("kill", bits), quiet: m.Wire("quiet", 1),
	}
	count := m.Reg("sweep", bits+1, 0)
	b.swept, b.sweep = count.MSB(), count.Trunc(bits)
	m.If(b.swept.Not(), func() { count.Set(count.AddK(1)) })
	hdl.Connect(io.Dead, b.dying.Grant)
	return b
}

// asked is a lookup on its way through the table.
type asked struct {
	QP     hdl.Bits
	Client hdl.Bits
}

// lookups serves the clients round robin: the memory, then a register for each
// client, which has room because a client has one lookup under way at most.
func (b *block) lookups() {
	m := b.m
	clients := append(append([]link.ContextPort{}, b.io.Clients...), b.inner)
	n := len(clients)
	var asks []hdl.Stream[link.QPRef]
	under := make([]hdl.Bits, n)
	for i := range clients {
		c := &clients[i]
		c.Request = link.Cut(m, b.p.Sizes, fmt.Sprintf("u_client_%d", i), c.Request)
		under[i] = m.Reg(fmt.Sprintf("client_%d_under_way", i), 1, 0)
		asks = append(asks, stream.Gate(m, fmt.Sprintf("client_%d_open", i), c.Request, under[i].Not().And(b.swept)))
	}
	one, from := stream.RoundRobin(m, "u_clients", asks...)
	// A lookup does not meet a write in the memory. A write that waits for a fault keeps nobody waiting: the fault has a lookup, too.
	one.Ready.Set(b.io.Write.Valid.And(b.quiet).Not())
	looks := one.Fire()
	b.looks = looks

	reading := m.Reg("reading", 1, 0)
	what := hdl.NewReg(m, "reads", asked{QP: hdl.W(b.p.Sizes.QPBits), Client: hdl.W(ir.AddrWidth(n))})
	word := b.table.Read("looked_up", one.Data.QP, looks)
	reading.Set(looks)
	hdl.Set(what, asked{QP: one.Data.QP, Client: from})
	found := hdl.Unpack(link.Lookup{Context: b.p.Sizes.Context()}, word)
	m.Unused(found.Context.Exists, found.Context.State)
	alive := hdl.Unpack(life{}, b.lives.At(what.QP))
	found.Context.Exists, found.Context.State = alive.Exists, alive.State
	m.Event("looked_up", reading,
		hdl.Field("client", what.Client), hdl.Field("qp", what.QP), hdl.Field("qpn", found.Context.QPN), hdl.Field("state", alive.State))

	for i, c := range clients {
		valid := m.Reg(fmt.Sprintf("client_%d_answered", i), 1, 0)
		answer := hdl.NewReg(m, fmt.Sprintf("client_%d_answer", i), hdl.Proto(found))
		mine := reading.And(what.Client.Is(uint64(i)))
		m.If(c.Reply.Fire(), func() {
			valid.SetK(0)
			under[i].SetK(0)
		})
		m.If(c.Request.Fire(), func() { under[i].SetK(1) })
		m.If(mine, func() {
			valid.SetK(1)
			hdl.Set(answer, found)
		})
		c.Reply.Valid.Set(valid)
		hdl.Set(c.Reply.Data, answer)
	}
}

// faultStep is where a fault is.
type faultStep int

const (
	stNone faultStep = iota
	stLook           // its queue pair is looked up
	stFind           // the answer is waited for
	stKill           // the state is set
	stTell           // the event is raised
)

func (s faultStep) String() string { return [...]string{"none", "look", "find", "kill", "tell"}[s] }

// pending is the faults that have come.
func (b *block) pending() []hdl.Stream[link.QPFault] {
	var all []hdl.Stream[link.QPFault]
	for i, f := range b.io.Faults {
		all = append(all, link.Cut(b.m, b.p.Sizes, fmt.Sprintf("u_fault_%d", i), f))
	}
	return all
}

// faults takes one fault after the other.
func (b *block) faults() {
	m, io := b.m, b.io
	in, from := stream.RoundRobin(m, "u_faults", b.pending()...)
	m.Unused(from)
	st := hdl.NewFSM(m, "fault", stNone, stLook, stFind, stKill, stTell)
	now := hdl.NewReg(m, "fault_now", b.p.Sizes.QPFault())
	number := m.RegN("fault_qpn", 24)
	reply := b.inner.Reply.Data
	state := reply.Context.State
	living := hdl.AndAll(reply.Context.Exists, state.IsNot(uint64(format.QPReset)), state.IsNot(uint64(format.QPError)))
	died := b.dying.Wakes[0]
	st.Switch(
		hdl.On(stNone, func() {
			hdl.Set(now, in.Data)
			m.If(in.Valid, func() { st.Goto(stLook) })
		}),
		hdl.On(stLook, func() { m.If(b.inner.Request.Ready, func() { st.Goto(stFind) }) }),
		hdl.On(stFind, func() {
			m.If(b.inner.Reply.Valid, func() {
				number.Set(reply.Context.QPN)
				st.Goto(stNone)
				m.If(living, func() { st.Goto(stKill) })
			})
		}),
		hdl.On(stKill, func() {
			m.If(died.Ready, func() {
				st.Goto(stNone)
				m.If(now.HasEvent, func() { st.Goto(stTell) })
			})
		}),
		hdl.On(stTell, func() { m.If(io.Async.Ready, func() { st.Goto(stNone) }) }),
	)
	in.Ready.Set(st.Is(stNone))
	b.inner.Request.Valid.Set(st.Is(stLook))
	b.inner.Request.Data.QP.Set(now.QP)
	b.inner.Reply.Ready.Set(st.Is(stFind))
	m.Unused(hdl.Pack(reply))
	died.Valid.Set(st.Is(stKill))
	died.Data.QP.Set(now.QP)
	b.kills.Set(died.Fire())
	b.kill.Set(now.QP)
	m.Event("went_to_error", died.Fire(), hdl.Field("qp", now.QP), hdl.Field("qpn", number))
	io.Async.Valid.Set(st.Is(stTell))
	hdl.Set(io.Async.Data, link.Async{Code: now.Event, Vendor: now.Vendor, Number: number})
	b.quiet.Set(st.Is(stNone).And(in.Valid.Not()))
}

// write takes what command wrote, between faults.
func (b *block) write() {
	in := b.io.Write
	to := in.Data.Lookup.Context
	was := hdl.Unpack(life{}, b.lives.At(in.Data.QP))
	bad := hdl.K(3, uint64(format.QPError))
	stays := hdl.AndAll(was.Exists, was.State.Eq(bad), to.State.IsNot(uint64(format.QPReset)))
	dies := hdl.AndAll(to.Exists, to.State.Is(uint64(format.QPError)), was.State.Eq(bad).Not())

	died := b.dying.Wakes[1]
	open := b.swept.And(b.quiet)
	died.Valid.Set(hdl.AndAll(in.Valid, open, dies))
	died.Data.QP.Set(in.Data.QP)
	in.Ready.Set(open.And(dies.Not().Or(died.Ready)))
	b.table.Write(in.Data.QP, in.Fire(), hdl.Pack(in.Data.Lookup))

	next := life{Exists: to.Exists, State: hdl.Mux(stays, bad, to.State)}
	killed := life{Exists: hdl.K(1, 1), State: bad}
	nobody := hdl.K(hdl.WidthOf(life{}), 0)
	at := hdl.Mux(b.swept, hdl.Mux(b.kills, b.kill, in.Data.QP), b.sweep)
	b.lives.Write(at, hdl.OrAll(b.swept.Not(), b.kills, in.Fire()),
		hdl.Mux(b.swept, hdl.Mux(b.kills, hdl.Pack(killed), hdl.Pack(next)), nobody))
}
