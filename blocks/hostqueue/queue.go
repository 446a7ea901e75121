package hostqueue

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
)

// queue is one of the two: what software sets, and how far it is. Indices are
// free-running.
type queue struct {
	m      *hdl.Module
	p      Params
	name   string
	offset uint32 // of its registers

	base    hdl.Bits // bus address of the ring, without its low logChunk bits
	log     hdl.Bits // log2 of its entries
	vector  hdl.Bits
	enabled hdl.Bits
	failed  hdl.Bits
	dropped hdl.Bits

	producer hdl.Bits
	head     hdl.Bits // the entry that is worked on, or will be next
	consumer hdl.Bits
	armed    hdl.Bits
	seen     hdl.Bits // the entry that it is armed for

	entry   entry
	held    hdl.Bits // the entry at the head is here
	fetches hdl.Bits // or it is being read

	works hdl.Bits // to be set: frame bytes or an entry are on their way from or to memory

	// What happens in a cycle, given before advance is called.
	unread    hdl.Bits // the entry at the head could not be read
	moves     hdl.Bits // it is being written
	answered  hdl.Bits // memory has answered to that,
	unwritten hdl.Bits // with an error
	drops     hdl.Bits // a frame is dropped
}

func newQueue(m *hdl.Module, p Params, name string, offset uint32) *queue {
	reg := func(what string, width int) hdl.Bits { return m.Reg(name+"_"+what, width, 0) }
	return &queue{
		m: m, p: p, name: name, offset: offset,
		base: reg("base", chunkBits), log: reg("log", 4), vector: reg("vector", p.Sizes.EQBits), enabled: reg("enabled", 1),
		failed: reg("failed", 1), dropped: reg("dropped", 32),
		producer: reg("producer", 16), head: reg("head", 16), consumer: reg("consumer", 16),
		armed: reg("armed", 1), seen: reg("seen", 16),
		entry: hdl.NewReg(m, name+"_entry", entry{}), held: reg("held", 1), fetches: reg("fetches", 1),
		works: m.Wire(name+"_works", 1),
	}
}

// busy returns one bit: the queue is enabled, or memory is still accessed for it.
func (q *queue) busy() hdl.Bits { return hdl.OrAll(q.enabled, q.works, q.fetches) }

// goes returns one bit: entries are taken up.
func (q *queue) goes() hdl.Bits { return q.enabled.And(q.failed.Not()) }

// posted returns one bit: there is an entry at the head.
func (q *queue) posted() hdl.Bits { return q.producer.Ne(q.head) }

// registers joins the registers of both queues with those who read and write them.
func (b *block) registers() {
	port := b.io.Registers
	there, takes := b.at(port.ReadAt, format.RegHostFrameMax), hdl.K(1, 0)
	value := there.Rep(32).And(hdl.K(32, uint64(b.p.frameMax())))
	for _, q := range []*queue{b.rx, b.tx} {
		v, is := q.read(b)
		value, there, takes = value.Or(v), there.Or(is), takes.Or(q.write(b))
	}
	port.Value.Set(value)
	port.There.Set(there)
	port.Takes.Set(takes)
}

// at returns one bit: an offset in words of the port is that of a register.
func (b *block) at(words hdl.Bits, offset uint32) hdl.Bits {
	return words.Is(uint64(offset-format.RegHostReceive) / 4)
}

// read is the value of the register that is asked for, 0 if it is none of this queue, and whether it is one.
func (q *queue) read(b *block) (value, there hdl.Bits) {
	value, there = hdl.K(32, 0), hdl.K(1, 0)
	control := hdl.Cat(q.vector.ZExt(vectorBits), q.log, hdl.K(format.HostLogShift-1, 0), q.enabled)
	for _, r := range []struct {
		offset uint32
		value  hdl.Bits
	}{
		{format.HostBaseLow, hdl.Cat(q.base.Trunc(32-logChunk), hdl.K(logChunk, 0))},
		{format.HostBaseHigh, q.base.Slice(chunkBits-1, 32-logChunk)},
		{format.HostControl, control.ZExt(32)},
		{format.HostStatus, hdl.Cat(q.failed, q.busy()).ZExt(32)},
		{format.HostProducer, q.producer.ZExt(32)},
		{format.HostConsumer, q.consumer.ZExt(32)},
		{format.HostDropped, q.dropped},
	} {
		is := b.at(b.io.Registers.ReadAt, q.offset+r.offset)
		value, there = value.Or(is.Rep(32).And(r.value)), there.Or(is)
	}
	return value, there
}

// write takes a write to a register of this queue. It returns one bit: the register that is written is one, and can
// be written now.
func (q *queue) write(b *block) hdl.Bits {
	m, port := q.m, b.io.Registers
	is := func(offset uint32) hdl.Bits { return b.at(port.WriteAt, q.offset+offset) }
	rests, enables := q.busy().Not(), port.Data.Bit(0)
	low, high, control := is(format.HostBaseLow), is(format.HostBaseHigh), is(format.HostControl)
	producer, arm := is(format.HostProducer), is(format.HostArm)

	sets := port.Write.And(rests)
	n := 32 - logChunk
	m.If(sets.And(low), func() { q.base.Set(hdl.Cat(q.base.Slice(chunkBits-1, n), port.Data.Slice(31, logChunk))) })
	m.If(sets.And(high), func() { q.base.Set(hdl.Cat(port.Data, q.base.Trunc(n))) })
	m.If(sets.And(control), func() {
		q.log.Set(port.Data.Slice(format.HostLogShift+3, format.HostLogShift))
		q.vector.Set(port.Data.Slice(format.HostVectorShift+q.vector.Width()-1, format.HostVectorShift))
		q.enabled.Set(enables)
	})
	m.If(hdl.AndAll(port.Write, control, enables.Not()), func() { q.enabled.SetK(0) })
	q.produce(port.Write.And(producer), port.Data.Trunc(16))
	m.If(port.Write.And(arm), func() {
		q.armed.Set(q.enabled)
		q.seen.Set(port.Data.Trunc(16))
	})
	return hdl.OrAll(hdl.OrAll(low, high).And(rests), control.And(rests.Or(enables.Not())), producer, arm)
}

// produce moves the producer to an index, in two steps, unless the ring has no room for so many entries.
func (q *queue) produce(rings, index hdl.Bits) {
	m := q.m
	rung, counted := m.Reg(q.name+"_rung", 1, 0), m.Reg(q.name+"_counted", 1, 0)
	asked, to := m.RegN(q.name+"_asked", 16), m.RegN(q.name+"_to", 16)
	moved, room := m.RegN(q.name+"_moved", 16), m.RegN(q.name+"_room", 16)
	rung.Set(rings)
	m.If(rings, func() { asked.Set(index) })
	counted.Set(rung)
	to.Set(asked)
	moved.Set(asked.Sub(q.producer))
	room.Set(hdl.K(16, 1).Shl(q.log).Sub(q.producer.Sub(q.head)))
	m.If(hdl.AndAll(counted, q.enabled, moved.Le(room)), func() { q.producer.Set(to) })
}

// advance is what becomes of the queue in a cycle. A queue that rests begins with index 0.
func (q *queue) advance() {
	m := q.m
	m.If(q.drops, func() { q.dropped.Set(q.dropped.AddK(1)) })
	m.If(q.moves, func() {
		q.head.Set(q.head.AddK(1))
		q.held.SetK(0)
	})
	m.If(q.answered.And(q.unwritten.Not()), func() { q.consumer.Set(q.head) })
	m.If(q.unread.Or(q.answered.And(q.unwritten)), func() { q.failed.SetK(1) })
	m.If(q.busy().Not(), func() {
		for _, x := range []hdl.Bits{q.producer, q.head, q.consumer, q.failed, q.held, q.armed} {
			x.SetK(0)
		}
	})
}

// owes returns one bit: what the queue is armed for has happened.
func (q *queue) owes() hdl.Bits {
	behind := q.consumer.Add(q.seen.Not()).MSB().Not() // consumer - seen - 1 is not negative
	return q.armed.And(behind.Or(q.failed))
}

// interrupt raises the vectors of queues that owe it, one at a time. What arms a queue in that cycle arms it for the
// next: it is built before registers.
func (b *block) interrupt() {
	m, n := b.m, b.io.Raise.Width()
	leaves, vector := m.Reg("leaves", 1, 0), m.RegN("leaving_vector", b.rx.vector.Width())
	room := leaves.Not().Or(b.io.Message.Ready)
	first := b.rx.owes().And(room)
	second := hdl.AndAll(b.tx.owes(), b.rx.owes().Not(), room)
	from := hdl.Mux(first, b.rx.vector, b.tx.vector)
	fires := first.Or(second)
	m.If(b.io.Message.Ready, func() { leaves.SetK(0) })
	m.If(fires, func() {
		leaves.SetK(1)
		vector.Set(from)
	})
	m.If(first, func() { b.rx.armed.SetK(0) })
	m.If(second, func() { b.tx.armed.SetK(0) })
	raises := m.Reg("raises", n, 0)
	raises.Set(fires.ZExt(n).Shl(from))
	b.io.Raise.Set(raises)
	b.io.Message.Valid.Set(leaves)
	hdl.Set(b.io.Message.Data, link.Interrupt{Vector: vector.ZExt(8)})
	m.Event("host_interrupt", fires, hdl.Field("vector", from))
}
