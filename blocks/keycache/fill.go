package keycache

import (
	"fmt"
	"math/bits"

	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// miss is the question of a client that waits for host memory.
type miss struct {
	request link.KeyRequest
	wants   hdl.Bits // its entry is to be asked for
	settled hdl.Bits // wants, for a cycle or more: locked says how it is
	away    hdl.Bits // its entry has been asked for
	locked  hdl.Bits // the command changes that entry in memory
	stale   hdl.Bits // or has changed it since it was asked for
	twin    hdl.Bits // the entry has been put into a place, for another client
}

func newMiss(m *hdl.Module, i int) *miss {
	reg := func(name string) hdl.Bits { return m.Reg(fmt.Sprintf("miss_%d_%s", i, name), 1, 0) }
	return &miss{
		request: hdl.NewReg(m, fmt.Sprintf("miss_%d", i), link.KeyRequest{}),
		wants:   reg("wants"), settled: reg("settled"), away: reg("away"), locked: reg("locked"), stale: reg("stale"), twin: reg("twin"),
	}
}

func (x *miss) busy() hdl.Bits { return x.wants.Or(x.away) }

// again returns one bit: what comes is not to be used, but to be asked for again.
func (x *miss) again() hdl.Bits { return x.locked.Or(x.stale) }

// miss follows the question of each client that waits.
func (b *block) miss() {
	m := b.m
	b.io.Missed.Set(b.lacks)
	index := indexOf(b.target)
	for i, x := range b.misses {
		mine := func(client hdl.Bits) hdl.Bits { return client.Is(uint64(i)) }
		x.settled.Set(x.wants)
		x.locked.Set(b.lock.And(indexOf(x.request.Key).Eq(index)))
		m.If(b.lacks.And(mine(b.found.Client)), func() {
			hdl.Set(x.request, b.found.Request)
			x.wants.SetK(1)
			x.twin.Set(b.puts(b.found.Request))
		}).ElseIf(b.puts(x.request), func() {
			x.twin.SetK(1)
		})
		m.If(x.away.And(x.locked), func() { x.stale.SetK(1) })
	}
}

// puts returns one bit: the entry of that question is put into a place in this cycle.
func (b *block) puts(q link.KeyRequest) hdl.Bits {
	return b.takes.And(indexOf(b.asked.Request.Key).Eq(indexOf(q.Key)))
}

// read asks for one entry at a time, that of the command first, and takes what comes.
func (b *block) read() {
	m, burst := b.m, b.io.Read.Burst
	asks := m.Reg("burst_asks", 1, 0)
	at := m.RegN("burst_at", 64)
	free := asks.Not().Or(burst.Ready)
	order := hdl.NewWire(m, "order", hdl.StreamOf(hdl.W(b.p.ownerBits())))

	taken := free.And(b.quiet.Not())
	key, owner := b.target, hdl.K(b.p.ownerBits(), uint64(b.p.Clients))
	b.reads.Set(taken.And(b.wants))
	some, before := b.wants, b.wants
	for i, x := range b.misses {
		able := hdl.AndAll(x.wants, x.settled, x.locked.Not())
		mine := able.And(before.Not())
		key = hdl.Mux(mine, x.request.Key, key)
		owner = hdl.Mux(mine, owner.K(uint64(i)), owner)
		m.If(mine.And(taken), func() {
			x.wants.SetK(0)
			x.away.SetK(1)
		})
		some, before = some.Or(able), before.Or(able)
	}
	m.If(free, func() {
		asks.Set(some.And(taken))
		at.Set(b.addressOf(key))
	})
	burst.Valid.Set(asks)
	burst.Data.Addr.Set(at)
	burst.Data.Len.SetK(uint64(b.p.beats() - 1))
	order.Valid.Set(some.And(taken))
	order.Data.Set(owner)
	b.take(stream.FIFO(m, "u_order", order, b.p.Clients+1))
	m.Unused(order.Ready)
	m.Assert("order_has_room", order.Ready.Or(order.Valid.Not()))
}

// addressOf is the bus address of a key's entry.
func (b *block) addressOf(key hdl.Bits) hdl.Bits {
	base := b.io.Base
	b.m.Unused(base.Trunc(logEntry))
	return hdl.Cat(base.Slice(63, logEntry).Add(indexOf(key).ZExt(64-logEntry)), hdl.K(logEntry, 0))
}

// take puts the beats of an entry together, for the oldest of order.
func (b *block) take(order hdl.Stream[hdl.Bits]) {
	m, beat := b.m, b.io.Read.Beat
	begun := m.Reg("line_begun", 1, 0)
	beat.Ready.SetK(1)
	m.If(beat.Valid, func() {
		b.line.Set(hdl.Cat(beat.Data.Data, b.line).Slice(entryBits+b.p.Sizes.DataWidth-1, b.p.Sizes.DataWidth))
		b.bad.Set(beat.Data.Err.Or(b.bad.And(begun)))
		begun.Set(beat.Data.Last.Not())
	})
	last := beat.Valid.And(beat.Data.Last)
	order.Ready.Set(last)
	b.owner.Set(order.Data)
	b.ended.Set(last.And(order.Data.Is(uint64(b.p.Clients))))

	comes, twin := hdl.K(1, 0), hdl.K(1, 0)
	for i, x := range b.misses {
		mine := last.And(order.Data.Is(uint64(i)))
		known := x.twin
		if b.p.beats() == 1 { // the entry before this one may have come in the last cycle
			known = known.Or(b.puts(x.request))
		}
		comes = comes.Or(mine.And(x.again().Not()))
		twin = twin.Or(mine.And(known))
		m.If(mine, func() {
			x.away.SetK(0)
			x.wants.Set(x.again())
			x.stale.SetK(0)
			x.twin.SetK(0)
		})
		m.Cover(fmt.Sprintf("read_again_%d", i), mine.And(x.again()))
	}
	b.comes.Set(comes)
	b.twin.Set(twin)
	m.Cover("came_twice", comes.And(twin))
	m.Unused(order.Valid)
	m.Assume("read_was_asked_for", beat.Valid.Not().Or(order.Valid))
}

// bitsFor is the width of a number from 0 to n.
func bitsFor(n int) int { return bits.Len(uint(n)) }
