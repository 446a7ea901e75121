package hostnet

import (
	"gornic/format"
	"gornic/fpga/blocks/port"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// turn is where an access of the PC is.
type turn int

const (
	tnIdle   turn = iota
	tnCheck       // its session and number are compared
	tnJudge       // what it is
	tnEnd         // a hello waits until the session before has ended
	tnAsk         // a register is asked for
	tnWait        // it answers
	tnAnswer      // so does the board
)

func (t turn) String() string {
	return [...]string{"idle", "check", "judge", "end", "ask", "wait", "answer"}[t]
}

// access does what the PC asks for, one thing at a time; what comes meanwhile it does not hear.
func (b *block) access() {
	m := b.m
	st := hdl.NewFSM(m, "access", tnIdle, tnCheck, tnJudge, tnEnd, tnAsk, tnWait, tnAnswer)
	a := hdl.NewReg(m, "access_now", asked{})
	done, next := m.RegN("access_done", 32), m.RegN("access_next", 32) // number of the access that was done last, and the one behind it
	value, status := m.RegN("access_value", 32), m.RegN("access_status", 3)
	kept := m.RegN("kept_value", 32)  // of the access that was done last,
	fault := m.RegN("kept_fault", 1)  // which there was nothing for
	used := m.RegN("session_used", 1) // something was answered in the session, one way or the other

	same, newer := m.RegN("session_same", 1), m.RegN("session_newer", 1)
	repeats, follows := m.RegN("access_repeats", 1), m.RegN("access_follows", 1)
	is := func(o format.HostnetOp) hdl.Bits { return a.Op.Is(uint64(o)) }
	hello, register := is(format.HostnetHello), is(format.HostnetReadRegister).Or(is(format.HostnetWriteRegister))
	code := func(s format.HostnetStatus) hdl.Bits { return hdl.K(3, uint64(s)) }
	answers := func(s, v hdl.Bits) {
		status.Set(s)
		value.Set(v)
		st.Goto(tnAnswer)
	}
	outcome := func(fault hdl.Bits) hdl.Bits {
		return hdl.Mux(fault, code(format.HostnetFault), code(format.HostnetOK))
	}

	m.If(b.accept, func() { used.SetK(1) })
	b.asked.Ready.Set(st.Is(tnIdle))
	m.Unused(b.asked.Ready) // what finds no ear is gone
	access, reply := b.io.Host.Access, b.io.Host.Reply
	none := hdl.K(32, 0)
	st.Switch(
		hdl.On(tnIdle, func() {
			hdl.Set(a, b.asked.Data)
			m.If(b.asked.Valid, func() { st.Goto(tnCheck) })
		}),
		hdl.On(tnCheck, func() {
			ahead := a.Session.Sub(b.session)
			same.Set(b.open.And(ahead.None()))
			newer.Set(b.known.Not().Or(ahead.Any().And(ahead.MSB().Not())))
			repeats.Set(a.Seq.Eq(done))
			follows.Set(a.Seq.Eq(next))
			st.Goto(tnJudge)
		}),
		hdl.On(tnJudge, func() {
			st.Goto(tnIdle)
			m.If(hello, func() {
				m.If(same.And(used.Not()), func() { answers(code(format.HostnetOK), b.session) }).
					ElseIf(newer.And(a.Session.Any()), func() { st.Goto(tnEnd) }).
					ElseIf(a.Session.Any(), func() { answers(code(format.HostnetStale), b.session) })
			}).ElseIf(register.And(same.And(b.open).Not()), func() {
				answers(code(format.HostnetNoSession), none)
			}).ElseIf(register.And(follows), func() {
				st.Goto(tnAsk)
			}).ElseIf(register.And(repeats), func() {
				answers(outcome(fault), kept)
			})
		}),
		hdl.On(tnEnd, func() {
			b.open.SetK(0)
			m.If(b.begin, func() {
				b.open.SetK(1)
				b.known.SetK(1)
				b.session.Set(a.Session)
				hdl.Set(b.peer, a.From)
				done.SetK(0)
				next.SetK(1)
				kept.SetK(0)
				fault.SetK(1)
				used.SetK(0)
				answers(code(format.HostnetOK), a.Session)
			})
		}),
		hdl.On(tnAsk, func() {
			used.SetK(1)
			m.If(access.Ready, func() { st.Goto(tnWait) })
		}),
		hdl.On(tnWait, func() {
			m.If(reply.Valid, func() {
				read := reply.Data.Data.Trunc(32).And(is(format.HostnetReadRegister).Rep(32))
				answers(outcome(reply.Data.Fault), read)
				kept.Set(read)
				fault.Set(reply.Data.Fault)
				done.Set(next)
				next.Set(next.AddK(1))
			})
		}),
		hdl.On(tnAnswer, func() { m.If(b.answer.Ready, func() { st.Goto(tnIdle) }) }),
	)
	b.ending.Set(st.Is(tnEnd))
	b.begin.Set(hdl.AndAll(st.Is(tnEnd), b.open.Not(), b.win.Held.None(), b.sending.Not()))
	m.Event("session", b.begin, hdl.Field("session", a.Session))

	access.Valid.Set(st.Is(tnAsk))
	hdl.Set(access.Data, port.Access{
		Write: is(format.HostnetWriteRegister), Memory: hdl.K(1, 0), Addr: a.Offset.ZExt(64), Data: a.Value.ZExt(64), Strobe: hdl.K(8, 0),
	})
	reply.Ready.Set(st.Is(tnWait))
	m.Unused(reply.Data.Data.Slice(63, 32))
	b.answer.Valid.Set(st.Is(tnAnswer))
	hdl.Set(b.answer.Data, answer{
		To: a.From, Session: a.Session, Seq: a.Seq, Op: a.Op, Status: status,
		Addr: hdl.Cat(a.Offset, value),
	})
	stream.AssertSource(m, "access", access)
}
