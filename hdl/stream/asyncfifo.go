package stream

import "gornic/hdl"

// AsyncFIFOIO is the ports of a FIFO between two clock domains.
type AsyncFIFOIO[T any] struct {
	In  hdl.Stream[T] `hdl:"in" clock:"in"`
	Out hdl.Stream[T] `hdl:"out" clock:"out"`
}

// AsyncFIFODef is a FIFO from clock domain "in" to clock domain "out". Its RAM
// holds depth payloads, a power of two from 4; two more are on their way out.
// The resets of both domains are applied together.
//
// Order is kept and nothing is lost, whatever the two frequencies are. Latency
// one cycle of "in" and four or five of "out"; a payload in every cycle of the
// slower clock from depth 8. Cost: a RAM of depth payloads, which up to depth 16 is
// in LUTs with a register of the payload behind it, one register of the payload and 8 log2(depth)
// flip-flops.
func AsyncFIFODef[T any](proto T, depth int) hdl.Def[AsyncFIFOIO[T]] {
	return hdl.Def[AsyncFIFOIO[T]]{
		Name: moduleName("async_fifo", proto, depth),
		Doc:  "FIFO between two clock domains: addresses cross as Gray codes.",
		IO:   AsyncFIFOIO[T]{In: hdl.StreamOf(proto), Out: hdl.StreamOf(proto)},
		Body: func(m *hdl.Module, io *AsyncFIFOIO[T]) {
			crossing[T]{
				m: m, in: io.In, out: io.Out, from: m.Domain("in"), to: m.Domain("out"), depth: depth, inLUTs: depth <= lutDepth,
			}.build()
		},
	}
}

// AsyncFIFO puts an [AsyncFIFODef] behind in, a stream of clock domain from,
// and returns its output, a stream of clock domain to.
func AsyncFIFO[T any](m *hdl.Module, name string, in hdl.Stream[T], depth int, from, to hdl.Clock) hdl.Stream[T] {
	q := hdl.Instance(m, name, AsyncFIFODef(hdl.Proto(in.Data), depth), hdl.WithClock("in", from), hdl.WithClock("out", to))
	hdl.Connect(q.In, in)
	return q.Out
}

// crossing is an asynchronous FIFO while it is built.
type crossing[T any] struct {
	m        *hdl.Module
	in       hdl.Stream[T]
	out      hdl.Stream[T]
	from, to hdl.Clock
	depth    int
	inLUTs   bool // the RAM

	// For a proof, which has one clock: one bit each, the edges of it that are edges of from and to. Otherwise nothing, and all are.
	inTick, outTick hdl.Bits
}

// at puts the statements of f into the edges of a tick.
func at(m *hdl.Module, tick hdl.Bits, f func()) {
	if tick.Width() == 0 {
		f()
		return
	}
	m.If(tick, f)
}

// during is x in the edges of a tick.
func during(tick, x hdl.Bits) hdl.Bits {
	if tick.Width() == 0 {
		return x
	}
	return tick.And(x)
}

// cursor is an address with one bit more than the RAM needs, so that full and
// empty differ, and its Gray code, of which one bit changes at a time: the
// other side may look at it in the middle of a change.
type cursor struct{ at, gray hdl.Bits }

func newCursor(m *hdl.Module, name string, width int) cursor {
	return cursor{m.Reg(name, width, 0), hdl.CrossSafe(m.Reg(name+"_gray", width, 0))}
}

func (c cursor) advance() {
	next := c.at.AddK(1)
	c.at.Set(next)
	c.gray.Set(toGray(next))
}

func toGray(x hdl.Bits) hdl.Bits { return x.Xor(x.ShrK(1)) }

// crossed is what both sides of a crossing know, for properties.
type crossed struct {
	tail, head         cursor
	tailSeen, headSeen synced
	ahead              ahead
	ram                *hdl.Memory
	full               hdl.Bits
}

// lutDepth is the most payloads that are kept in LUTs: one LUT RAM deep on most devices, and a small part of a block RAM.
const lutDepth = 16

// ram is the memory that is written in one domain and read in the other. A word that is read was written some cycles
// before: its address had to come across.
func (c crossing[T]) ram() *hdl.Memory {
	if c.inLUTs {
		return c.m.LUTRAM("ram", c.depth, hdl.WidthOf(c.in.Data))
	}
	return c.m.RAM("ram", c.depth, hdl.WidthOf(c.in.Data), hdl.Undefined)
}

// reader is the read port of ram.
func (c crossing[T]) reader(ram *hdl.Memory) func(addr, en hdl.Bits) hdl.Bits {
	if !c.inLUTs {
		return func(addr, en hdl.Bits) hdl.Bits { return ram.Read("word", addr, en) }
	}
	return func(addr, en hdl.Bits) hdl.Bits {
		word := c.m.RegN("word", hdl.WidthOf(c.in.Data))
		c.m.If(en, func() { word.Set(ram.At(addr)) })
		return word
	}
}

func (c crossing[T]) build() crossed {
	m := c.m
	wantRing(m, c.depth)
	ram := c.ram()
	w := ram.AddrWidth() + 1
	x := crossed{ram: ram}
	m.In(c.from, func() { x.tail = newCursor(m, "tail", w) })
	m.In(c.to, func() { x.head = newCursor(m, "head", w) })

	m.In(c.from, func() {
		at(m, c.inTick, func() { x.headSeen = newSynced(m, "head_seen", x.head.gray, 0) })
		// Full: the RAM's length ahead, which in a Gray code is the two top bits.
		full := x.tail.gray.Eq(x.headSeen.safe.Xor(hdl.K(w, 3<<(w-2))))
		x.full = full
		c.in.Ready.Set(during(c.inTick, full.Not()))
		push := c.in.Fire()
		ram.Write(x.tail.at.Trunc(w-1), push, hdl.Pack(c.in.Data))
		m.If(push, x.tail.advance)
		AssumeSource(m, "in", c.in)
		x.tail.properties(m, "tail")
	})
	m.In(c.to, func() {
		at(m, c.outTick, func() { x.tailSeen = newSynced(m, "tail_seen", x.tail.gray, 0) })
		x.ahead = readAheadOf(m, c.outTick, c.reader(ram), x.head.at.Trunc(w-1), x.head.gray.Ne(x.tailSeen.safe), c.out)
		m.If(x.ahead.fetch, x.head.advance)
		AssertSource(m, "out", c.out)
		x.head.properties(m, "head")
	})
	return x
}

// properties states that the code is that of the address, and that one bit of
// it changes at a time.
func (c cursor) properties(m *hdl.Module, name string) {
	m.Assert(name+"_gray_is_address", c.gray.Eq(toGray(c.at)))
	past := m.PastReset(name+"_gray_past", c.gray, 0)
	m.Assert(name+"_gray_one_change", oneHotOrZero(c.gray.Xor(past)))
	m.Assert(name+"_gray_follows", past.Eq(toGray(c.at)).Or(past.Eq(toGray(c.at.SubK(1)))))
}
