package stream

import (
	"gornic/hdl"
)

// ticksIO is the ports of a FIFO between two clocks, as one clock sees them that is faster than both.
type ticksIO struct {
	InTick  hdl.Bits             `hdl:"in" w:"1"` // an edge of the clock of In
	OutTick hdl.Bits             `hdl:"in" w:"1"` // an edge of the clock of Out
	In      hdl.Stream[hdl.Bits] `hdl:"in"`
	Out     hdl.Stream[hdl.Bits] `hdl:"out"`
}

// twoClockFIFO is an asynchronous FIFO whose two clocks are ticks of a faster one, which a proof needs. They come when the solver
// likes, together or not, so that all frequencies and phases are among them. A synchroniser that looks at a code while a bit of it
// changes sees the old or the new one, as if the tick of the other side had come a little later or earlier; that no
// more than one bit changes is proved of the addresses.
func twoClockFIFO(width, depth int, inLUTs bool) hdl.Def[ticksIO] {
	proto := hdl.W(width)
	return hdl.Def[ticksIO]{
		Name: moduleName(map[bool]string{false: "two_clock_fifo", true: "two_clock_lut_fifo"}[inLUTs], proto, depth),
		IO:   ticksIO{In: hdl.StreamOf(proto), Out: hdl.StreamOf(proto)},
		Body: func(m *hdl.Module, io *ticksIO) {
			clock := m.Domain("")
			m.Assume("out_is_taken_at_ticks", io.Out.Ready.Not().Or(io.OutTick))
			x := crossing[hdl.Bits]{
				m: m, in: io.In, out: io.Out, from: clock, to: clock, depth: depth, inLUTs: inLUTs,
				inTick: io.InTick, outTick: io.OutTick,
			}.build()
			f := Follow(m, io.In, io.Out, depth+2)
			x.invariants(m, f, uint64(depth))
			m.Cover("full", x.full)
			m.Cover("one_after_the_other", io.Out.Fire().And(m.PastReset("took_alone", io.In.Fire().And(io.OutTick.Not()), 0)))
		},
	}
}

// invariants say that the addresses stand in this order, around the ring: the
// head as In knows it, the head, the tail as Out knows it, the tail.
func (x crossed) invariants(m *hdl.Module, f Followed, depth uint64) {
	start := fromGray(x.headSeen.safe)
	previous := start.K(0)
	for _, c := range []struct {
		name string
		at   hdl.Bits
	}{
		{"head_meta", fromGray(x.headSeen.meta)}, {"head", x.head.at},
		{"tail_seen", fromGray(x.tailSeen.safe)}, {"tail_meta", fromGray(x.tailSeen.meta)}, {"tail", x.tail.at},
	} {
		behind := c.at.Sub(start)
		m.Assert(c.name+"_in_order", previous.Le(behind))
		previous = behind
	}
	m.Assert("tail_in_ring", previous.LeK(depth))
	m.Assert("takes_while_room", x.full.Not().Eq(previous.LtK(depth)))

	w := f.Held.Width()
	before := x.ahead.count(w)
	m.Assert("held_is_ram_and_registers", f.Held.Eq(x.tail.at.Sub(x.head.at).ZExt(w).Add(before)))
	address := x.head.at.ZExt(w).Add(f.Ahead).Sub(before).Trunc(x.ram.AddrWidth())
	var stored hdl.Bits
	m.Ghost(func() { stored = x.ram.At(address) })
	f.At(m, "in_ram", f.Ahead.Ge(before), stored)
	x.ahead.follow(m, f)
}

// fromGray is the number that a Gray code stands for.
func fromGray(x hdl.Bits) hdl.Bits {
	for s := 1; s < x.Width(); s *= 2 {
		x = x.Xor(x.ShrK(s))
	}
	return x
}

// creditLoop is a FIFO at the far end of a way of several cycles, without
// ready, that a credit counter guards: the FIFO always has room. Its credits
// come back over several cycles, too.
func creditLoop(depth, way int) hdl.Def[SliceIO[hdl.Bits]] {
	proto := hdl.W(2)
	return hdl.Def[SliceIO[hdl.Bits]]{
		Name: moduleName("credit_loop", proto, depth, way),
		IO:   SliceIO[hdl.Bits]{In: hdl.StreamOf(proto), Out: hdl.StreamOf(proto)},
		Body: func(m *hdl.Module, io *SliceIO[hdl.Bits]) {
			c := hdl.Instance(m, "u_credit", CreditDef(proto, CreditOptions{Max: depth, NeedBits: 1, GiveBits: 1}))
			hdl.Connect(c.In, io.In)
			c.Need.SetK(1)
			c.Out.Ready.SetK(1)
			q := hdl.Instance(m, "u_fifo", FIFODef(proto, depth))
			hdl.Connect(io.Out, q.Out)
			m.Unused(q.HighWater, q.Level, q.In.Ready, c.Left)

			w := c.Left.Width()
			there, back := c.Out.Valid, q.Out.Fire()
			data := c.Out.Data
			total := c.Left.Add(q.Level)
			for i := range way {
				there = delay(m, name("there", i), there)
				back = delay(m, name("back", i), back)
				d := m.RegN(name("data", i), 2)
				d.Set(data)
				data = d
				total = total.Add(there.ZExt(w)).Add(back.ZExt(w))
			}
			q.In.Valid.Set(there)
			q.In.Data.Set(data)
			c.Give.Set(back)

			AssumeSource(m, "in", io.In)
			AssertSource(m, "out", io.Out)
			m.Assert("always_room", there.Not().Or(q.In.Ready))
			m.Assert("no_credit_lost", total.Is(uint64(depth)))
			m.Cover("fifo_full", q.Level.Is(uint64(depth)))
		},
	}
}

func delay(m *hdl.Module, name string, x hdl.Bits) hdl.Bits {
	r := m.Reg(name, x.Width(), 0)
	r.Set(x)
	return r
}
