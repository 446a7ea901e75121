package hostnet

import (
	"fmt"

	"gornic/hdl"
)

// windowIO is the ports of the numbers of a window of requests: the first has the number Acked, the next to be
// sent Next, and the place behind the last is Tail.
type windowIO struct {
	Push   hdl.Bits `hdl:"in" w:"1"` // a request comes
	Start  hdl.Bits `hdl:"in" w:"1"` // the next one is sent
	Accept hdl.Bits `hdl:"in" w:"1"` // the first one is answered; not with Back, nor with Start of that one
	Back   hdl.Bits `hdl:"in" w:"1"` // all are to be sent again; not with Start
	Renew  hdl.Bits `hdl:"in" w:"1"` // numbers begin at 0; nothing else, and nothing is held

	Held  hdl.Bits `hdl:"out"` // requests
	Ahead hdl.Bits `hdl:"out"` // those of them that have been sent
	Acked hdl.Bits `hdl:"out" w:"32"`
	Next  hdl.Bits `hdl:"out" w:"32"`
	Tail  hdl.Bits `hdl:"out"`
}

// windowDef counts the requests of a window of n. One that is answered when it is to be sent again is not sent again.
func windowDef(n int) hdl.Def[windowIO] {
	k := hdl.Log2(n)
	return hdl.Def[windowIO]{
		Name: fmt.Sprintf("hostnet_window_%d", n),
		Doc:  "Numbers of requests under way: go back N.",
		IO:   windowIO{Held: hdl.W(k + 1), Ahead: hdl.W(k + 1), Tail: hdl.W(k)},
		Body: func(m *hdl.Module, io *windowIO) {
			held, ahead := m.Reg("held_now", k+1, 0), m.Reg("ahead_now", k+1, 0)
			acked, next, tail := m.Reg("acked_now", 32, 0), m.Reg("next_now", 32, 0), m.Reg("tail_now", k, 0)
			unsent := m.Wire("unsent", 1) // answered, though it was to be sent again
			unsent.Set(io.Accept.And(ahead.None()))
			held.Set(upDown(held, io.Push, io.Accept))
			ahead.Set(upDown(ahead, io.Start, io.Accept.And(ahead.Any())))
			acked.Set(acked.Add(io.Accept.ZExt(32)))
			next.Set(next.Add(io.Start.Or(unsent).ZExt(32)))
			tail.Set(tail.Add(io.Push.ZExt(k)))
			m.If(io.Back, func() {
				ahead.SetK(0)
				next.Set(acked)
			})
			m.If(io.Renew, func() {
				acked.SetK(0)
				next.SetK(0)
				tail.SetK(0)
			})
			io.Held.Set(held)
			io.Ahead.Set(ahead)
			io.Acked.Set(acked)
			io.Next.Set(next)
			io.Tail.Set(tail)
			windowProperties(m, io, n)
		},
	}
}

// upDown is x one higher or lower, or both. Down comes late: it chooses last.
func upDown(x, up, down hdl.Bits) hdl.Bits {
	return hdl.Mux(down, hdl.Mux(up, x, x.SubK(1)), hdl.Mux(up, x.AddK(1), x))
}

// windowProperties states that the numbers hang together.
func windowProperties(m *hdl.Module, io *windowIO, n int) {
	k := hdl.Log2(n)
	m.Assume("push_has_room", io.Push.Not().Or(io.Held.LtK(uint64(n))))
	m.Assume("start_has_one", io.Start.Not().Or(io.Ahead.Lt(io.Held)))
	m.Assume("accept_has_one", io.Accept.Not().Or(io.Held.Any()))
	m.Assume("one_thing", io.Back.And(io.Accept.Or(io.Start)).Or(hdl.AndAll(io.Accept, io.Start, io.Ahead.None())).Not())
	m.Assume("renew_is_alone", io.Renew.Not().Or(hdl.OrAll(io.Push, io.Start, io.Accept, io.Back, io.Held.Any()).Not()))
	m.Assert("held_at_most_all", io.Held.LeK(uint64(n)))
	m.Assert("ahead_at_most_held", io.Ahead.Le(io.Held))
	m.Assert("next_is_ahead", io.Next.Sub(io.Acked).Eq(io.Ahead.ZExt(32)))
	m.Assert("tail_is_behind", io.Tail.Eq(io.Acked.Trunc(k).Add(io.Held.Trunc(k))))
	back, accept := m.PastReset("was_back", io.Back, 0), m.PastReset("was_accept", io.Accept, 0)
	acked, renew := m.PastReset("was_acked", io.Acked, 0), m.PastReset("was_renew", io.Renew, 0)
	m.Assert("back_is_to_the_first", back.Not().Or(io.Next.Eq(io.Acked)))
	m.Assert("answers_are_counted", hdl.OrAll(renew, io.Acked.Eq(acked.Add(accept.ZExt(32)))))
	m.Cover("answered_unsent", io.Accept.And(io.Ahead.None()))
	m.Cover("full_and_sent", io.Ahead.Is(uint64(n)))
}

// windowHeld makes the window, and returns how many requests are in it.
func (b *block) windowHeld() hdl.Bits {
	if b.win == nil {
		b.win = hdl.Instance(b.m, "u_window", windowDef(b.p.Window))
	}
	return b.win.Held
}

// count keeps the first request of the window at hand, and goes back when nothing comes.
func (b *block) count() {
	m, w := b.m, b.win
	w.Start.Set(b.start)
	w.Accept.Set(b.accept)
	w.Renew.Set(b.begin)
	first := w.Acked.Trunc(b.dues.AddrWidth())
	hdl.Set(b.due, hdl.Unpack(b.due, b.dues.At(first)))
	b.isDue.Set(w.Held.Any().And(b.accept.Not()))
	b.freed.Set(hdl.Mux(b.accept.And(b.due.Kind.Is(kindWrite)), b.due.Words.ZExt(b.freed.Width()), b.freed.K(0)))

	quiet := m.Reg("quiet", hdl.Log2(b.p.Timeout+1), 0) // cycles without an answer
	waits := hdl.AndAll(b.open, w.Ahead.Any(), b.accept.Not())
	b.late.Set(waits.And(quiet.Is(uint64(b.p.Timeout))))
	m.If(waits, func() {
		m.If(b.late.Not(), func() { quiet.Set(quiet.AddK(1)) })
	}).Else(func() { quiet.SetK(0) })

	tries := m.Reg("tries", hdl.Log2(b.p.Retries+1), 0)
	back := hdl.AndAll(w.Ahead.Any(), b.late.Or(b.open.Not()), b.sending.Not(), b.answering.Not())
	w.Back.Set(back)
	resent, lost := m.Reg("resent_now", 1, 0), m.Reg("lost_now", 1, 0)
	again := back.And(b.open)
	most := tries.Is(uint64(b.p.Retries))
	resent.Set(again.And(most.Not()))
	lost.Set(again.And(most))
	m.If(again, func() { tries.Set(tries.AddK(1)) })
	m.If(b.accept.Or(b.begin), func() { tries.SetK(0) })
	m.If(lost, func() { b.open.SetK(0) })
	b.io.Resent.Set(resent)
	b.io.Lost.Set(lost)
	m.Event("goes_back", resent, hdl.Field("tries", tries))
	m.Event("gives_up", lost)
}
