package events

import (
	"gornic/blocks/link"
	"gornic/hdl"
)

// clockBits is the width of the clock that moderation goes by: one more than the
// register, so that no visit comes too late to see that the time is over.
const clockBits = 33

// interrupt visits one vector a cycle, in turn: one that is due, and had its last
// interrupt long enough ago, has another. arrived has a bit for each vector: an event of it is in memory.
func (b *block) interrupt(arrived hdl.Bits) {
	m, n, bits := b.m, b.io.Raise.Width(), b.p.Sizes.EQBits
	now, turn := m.Reg("now", clockBits, 0), m.Reg("turn", bits, 0)
	due := m.Reg("vectors_due", n, 0)
	recent := m.Reg("recent", n, 0) // the last interrupt may be too short ago
	last := m.LUTRAM("last_interrupt", 1<<bits, clockBits)
	now.Set(now.AddK(1))
	turn.Set(turn.AddK(1))

	visited := m.Reg("visited", bits, 0)
	isDue, isRecent := m.Reg("visited_due", 1, 0), m.Reg("visited_recent", 1, 0)
	elapsed := m.RegN("visited_elapsed", clockBits)
	visited.Set(turn)
	isDue.Set(hdl.Select(turn, bitsOf(due)...))
	isRecent.Set(hdl.Select(turn, bitsOf(recent)...))
	elapsed.Set(now.Sub(last.At(turn)))

	message := m.Reg("leaves", 1, 0)
	vector := m.RegN("leaving_vector", bits)
	quiet := isRecent.Not().Or(elapsed.Ge(b.io.Moderation.ZExt(clockBits)))
	fires := hdl.AndAll(isDue, quiet, message.Not().Or(b.io.Message.Ready))
	at := hdl.K(n, 1).Shl(visited)
	fired := hdl.Mux(fires, at, at.K(0))
	due.Set(due.And(fired.Not()).Or(arrived))
	recent.Set(hdl.Mux(fires, recent.Or(at), hdl.Mux(quiet, recent.And(at.Not()), recent)))
	last.Write(visited, fires, now)

	m.If(b.io.Message.Ready, func() { message.SetK(0) })
	m.If(fires, func() {
		message.SetK(1)
		vector.Set(visited)
	})
	m.Event("interrupt", b.io.Message.Fire(), hdl.Field("vector", vector))
	b.io.Message.Valid.Set(message)
	hdl.Set(b.io.Message.Data, link.Interrupt{Vector: vector.ZExt(8)})
	raise := m.Reg("raises", n, 0)
	raise.Set(fired)
	b.io.Raise.Set(raise)
}
