package stream

import (
	"math/bits"

	"gornic/hdl"
)

// FIFOIO is the ports of a FIFO.
type FIFOIO[T any] struct {
	In        hdl.Stream[T] `hdl:"in"`
	Out       hdl.Stream[T] `hdl:"out"`
	Level     hdl.Bits      `hdl:"out"` // how many payloads are inside
	HighWater hdl.Bits      `hdl:"out"` // the highest Level since reset
}

func fifoIO[T any](proto T, depth int) FIFOIO[T] {
	w := bits.Len(uint(depth))
	return FIFOIO[T]{In: hdl.StreamOf(proto), Out: hdl.StreamOf(proto), Level: hdl.W(w), HighWater: hdl.W(w)}
}

// FIFODef is a FIFO in LUT RAM, for depths up to some 64. It holds exactly
// depth payloads, of any number from 1.
//
// Order is kept and nothing is lost. Latency 1, a payload every cycle (from
// depth 2; one in two cycles at depth 1); In.Ready, Out.Valid and Level come
// from registers, Out.Data from the RAM. Cost: a RAM of depth payloads and 4
// log2(depth) + 2 flip-flops, a quarter of them for HighWater. One of depth 1
// has a register instead of the RAM: it takes no LUT for a bit of the payload,
// and cuts every path between its two sides.
func FIFODef[T any](proto T, depth int) hdl.Def[FIFOIO[T]] {
	return hdl.Def[FIFOIO[T]]{
		Name: moduleName("fifo", proto, depth),
		Doc:  "FIFO in LUT RAM: the first payload falls through after a cycle; a payload every cycle.",
		IO:   fifoIO(proto, depth),
		Body: func(m *hdl.Module, io *FIFOIO[T]) {
			wantDepth(m, depth)
			push, pop := io.In.Fire(), io.Out.Fire()
			n := newCount(m, "level", depth, push, pop)
			io.In.Ready.Set(n.full.Not())
			io.Out.Valid.Set(n.some)
			io.Level.Set(n.value)
			highWater(m, io.HighWater, n.value)

			AssumeSource(m, "in", io.In)
			AssertSource(m, "out", io.Out)
			f := Follow(m, io.In, io.Out, depth)
			m.Assert("level_is_occupancy", f.Held.Trunc(n.value.Width()).Eq(io.Level))
			m.Assert("takes_while_room", io.In.Ready.Eq(f.Held.LtK(uint64(depth))))
			m.Assert("gives_what_it_has", io.Out.Valid.Eq(f.Held.Any()))
			if depth == 1 {
				inRegister(m, io, push, f)
			} else {
				inRAM(m, io, depth, n, f)
			}
			m.Cover("full", n.full)
		},
	}
}

// inRegister keeps the one payload of a FIFO.
func inRegister[T any](m *hdl.Module, io *FIFOIO[T], push hdl.Bits, f Followed) {
	data := hdl.NewReg(m, "data", hdl.Proto(io.In.Data))
	m.If(push, func() { hdl.Set(data, io.In.Data) })
	hdl.Set(io.Out.Data, data)
	f.At(m, "followed", f.Ahead.Is(0), hdl.Pack(data))
}

// inRAM keeps the payloads of a FIFO, n of them.
func inRAM[T any](m *hdl.Module, io *FIFOIO[T], depth int, n count, f Followed) {
	proto := hdl.Proto(io.In.Data)
	ram := m.LUTRAM("ram", depth, hdl.WidthOf(proto))
	head := m.Reg("head", ram.AddrWidth(), 0) // the payload that leaves next
	tail := m.Reg("tail", ram.AddrWidth(), 0) // where the next one goes
	push, pop := io.In.Fire(), io.Out.Fire()
	hdl.Set(io.Out.Data, hdl.Unpack(proto, ram.At(head)))
	ram.Write(tail, push, hdl.Pack(io.In.Data))
	m.If(push, func() { tail.Set(successor(tail, depth)) })
	m.If(pop, func() { head.Set(successor(head, depth)) })
	ring(m, f, ram, head, tail, n, n.value.K(0))
}

// FIFO puts a [FIFODef] of the given depth behind in and returns its output.
func FIFO[T any](m *hdl.Module, name string, in hdl.Stream[T], depth int) hdl.Stream[T] {
	return fifo(m, name, in, FIFODef(hdl.Proto(in.Data), depth))
}

// BlockFIFODef is a FIFO in block RAM with a register behind the RAM's own,
// because a block RAM is slow from clock to output. It holds exactly depth
// payloads, of any number from 1; depths below 4 do not reach a payload every
// cycle.
//
// Order is kept and nothing is lost. Latency 3, a payload every cycle; all
// outputs come from registers. Cost: a RAM of depth payloads, one register of
// the payload and 5 log2(depth) + 6 flip-flops.
func BlockFIFODef[T any](proto T, depth int) hdl.Def[FIFOIO[T]] {
	return hdl.Def[FIFOIO[T]]{
		Name: moduleName("block_fifo", proto, depth),
		Doc:  "FIFO in block RAM: the first payload falls through after three cycles; a payload every cycle.",
		IO:   fifoIO(proto, depth),
		Body: func(m *hdl.Module, io *FIFOIO[T]) {
			wantDepth(m, depth)
			ram := m.RAM("ram", depth, hdl.WidthOf(proto), hdl.Undefined)
			head := m.Reg("head", ram.AddrWidth(), 0) // the payload that is read next
			tail := m.Reg("tail", ram.AddrWidth(), 0) // where the next one goes
			push, pop := io.In.Fire(), io.Out.Fire()
			fetch := m.Wire("fetch", 1)
			level := newCount(m, "level", depth, push, pop)
			stored := newCount(m, "stored", depth, push, fetch)

			io.In.Ready.Set(level.full.Not())
			ram.Write(tail, push, hdl.Pack(io.In.Data))
			m.If(push, func() { tail.Set(successor(tail, depth)) })
			m.If(fetch, func() { head.Set(successor(head, depth)) })
			ahead := readAhead(m, ram, head, stored.some, io.Out)
			fetch.Set(ahead.fetch)
			io.Level.Set(level.value)
			highWater(m, io.HighWater, level.value)
			m.Unused(level.some, stored.full)

			AssumeSource(m, "in", io.In)
			AssertSource(m, "out", io.Out)
			f := Follow(m, io.In, io.Out, depth)
			w := level.value.Width()
			m.Assert("level_is_occupancy", f.Held.Trunc(w).Eq(io.Level))
			m.Assert("takes_while_room", io.In.Ready.Eq(f.Held.LtK(uint64(depth))))
			m.Assert("level_is_ram_and_registers", level.value.ZExt(w+1).Eq(stored.value.ZExt(w+1).Add(ahead.count(w+1))))
			ring(m, f, ram, head, tail, stored, ahead.count(w))
			ahead.follow(m, f)
			m.Cover("full", level.full)
		},
	}
}

// BlockFIFO puts a [BlockFIFODef] of the given depth behind in and returns its
// output.
func BlockFIFO[T any](m *hdl.Module, name string, in hdl.Stream[T], depth int) hdl.Stream[T] {
	return fifo(m, name, in, BlockFIFODef(hdl.Proto(in.Data), depth))
}

func fifo[T any](m *hdl.Module, name string, in hdl.Stream[T], def hdl.Def[FIFOIO[T]]) hdl.Stream[T] {
	q := hdl.Instance(m, name, def)
	hdl.Connect(q.In, in)
	m.Unused(q.Level, q.HighWater)
	return q.Out
}

// successor is the address after a in a ring of depth words.
func successor(a hdl.Bits, depth int) hdl.Bits {
	if depth == 1 {
		return a.K(0)
	}
	if depth == 1<<a.Width() {
		return a.AddK(1)
	}
	return hdl.Mux(a.Is(uint64(depth-1)), a.K(0), a.AddK(1))
}

// highWater sets out to the highest value that x had since reset, a cycle late.
func highWater(m *hdl.Module, out, x hdl.Bits) {
	high := m.Reg("high_water_mark", x.Width(), 0)
	m.If(x.Gt(high), func() { high.Set(x) })
	out.Set(high)

	was := m.PastReset("level_was", x, 0)
	had := m.PastReset("high_water_was", out, 0)
	m.Assert("high_water_holds", out.Ge(had).And(out.Ge(was)))
	m.Assert("high_water_was_reached", out.Eq(had).Or(out.Eq(was)))
}

// ring states that a FIFO's RAM of n payloads, the oldest at head, holds the
// followed payload where it should be: behind ahead others that have left the
// RAM before it.
func ring(m *hdl.Module, f Followed, ram *hdl.Memory, head, tail hdl.Bits, n count, ahead hdl.Bits) {
	w, depth := n.value.Width(), uint64(n.max)
	around := func(sum hdl.Bits) hdl.Bits { // modulo depth, of a sum below twice depth
		return hdl.Mux(sum.GeK(depth), sum.SubK(depth), sum)
	}
	from := head.ZExt(w + 1)
	m.Assert("tail_follows", tail.ZExt(w+1).Eq(around(from.Add(n.value.ZExt(w+1)))))
	m.Assert("head_in_ring", from.LtK(depth))
	place := f.Ahead.ZExt(w + 1).Sub(ahead.ZExt(w + 1))
	var word hdl.Bits
	m.Ghost(func() { word = ram.At(around(from.Add(place)).Trunc(head.Width())) })
	f.At(m, "in_ram", f.Ahead.ZExt(w+1).Ge(ahead.ZExt(w+1)), word)
}
