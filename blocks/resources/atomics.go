package resources

import (
	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// What there is of atomics: counts of those handed out and executed, and what they found. A core without atomics has none of it.

// atomics tells whether the core has atomics.
func (b *block) atomics() bool { return b.p.Sizes.Has(link.Atomics) }

// isAtomic returns one bit: a resource of a kind is no READ.
func (b *block) isAtomic(kind hdl.Bits) hdl.Bits {
	if !b.atomics() {
		return hdl.K(1, 0)
	}
	return kind.Bit(1)
}

// keepAtomics makes the memories.
func (b *block) keepAtomics() {
	m, s := b.m, b.p.Sizes
	if !b.atomics() {
		b.inFlight = hdl.K(1, 0)
		return
	}
	qps := 1 << s.QPBits
	b.values = m.RAM("values", qps<<s.ReadBits, hdl.WidthOf(value{}), hdl.Undefined)
	b.handed, b.returned = m.LUTRAM("handed", qps, 8), m.LUTRAM("returned", qps, 8)
	b.inFlight, b.executed = m.Reg("in_flight", s.QPBits+s.ReadBits+1, 0), m.RegN("executed", 1)
}

// handOn leads commands out.
func (b *block) handOn(command hdl.Stream[link.AtomicCommand]) {
	if !b.atomics() {
		link.Silence(b.m, b.io.Atomic)
		link.Ignore(b.m, command)
		return
	}
	hdl.Connect(b.io.Atomic, stream.Slice(b.m, "u_command", command))
}

// number is how many atomics of a queue pair have been handed out.
func (b *block) number(qp hdl.Bits) hdl.Bits {
	if !b.atomics() {
		return hdl.K(8, 0)
	}
	return b.handed.At(qp)
}

// find reads what the atomic of an entry found, where fetches is one.
func (b *block) find(place, fetches hdl.Bits) value {
	if !b.atomics() {
		return hdl.Unpack(value{}, hdl.K(hdl.WidthOf(value{}), 0))
	}
	return hdl.Unpack(value{}, b.values.Read("value", place, fetches))
}

// wait says whether the atomic at hand has been executed.
func (b *block) wait() {
	if !b.atomics() {
		b.m.Unused(b.entry.Number)
		return
	}
	ahead := b.returned.At(b.now.QP).Sub(b.entry.Number)
	b.executed.Set(ahead.Any().And(ahead.MSB().Not()))
}

// waits returns one bit: the entry at hand is an atomic that has no result yet.
func (b *block) waits() hdl.Bits {
	if !b.atomics() {
		return hdl.K(1, 0)
	}
	return b.isAtomic(b.entry.Kind).And(b.executed.Not())
}

// sweep makes the counts of atomics zero after reset.
func (b *block) sweep() {
	if !b.atomics() {
		b.swept = hdl.K(1, 1)
		return
	}
	count := b.m.Reg("sweep", b.p.Sizes.QPBits+1, 0)
	b.swept, b.sweepAt = count.MSB(), count.Trunc(b.p.Sizes.QPBits)
	b.m.If(b.swept.Not(), func() { count.Set(count.AddK(1)) })
}

// counts makes a memory of counts go up by one for a queue pair where en is one, which comes after the sweep.
func (b *block) counts(mem *hdl.Memory, qp, en hdl.Bits) {
	mem.Write(hdl.Mux(b.swept, qp, b.sweepAt), en.Or(b.swept.Not()), hdl.Mux(b.swept, mem.At(qp).AddK(1), hdl.K(8, 0)))
}

// flies counts the atomics that are under way, and those of a queue pair that were handed out.
func (b *block) flies(qp, starts hdl.Bits) {
	if !b.atomics() {
		return
	}
	b.counts(b.handed, qp, starts)
	m, lands := b.m, b.io.Result.Fire()
	m.If(starts.And(lands.Not()), func() { b.inFlight.Set(b.inFlight.AddK(1)) })
	m.If(lands.And(starts.Not()), func() { b.inFlight.Set(b.inFlight.SubK(1)) })
}

// results keeps what atomics found, and wakes their queue pairs.
func (b *block) results() {
	in, wake := b.io.Result, b.wakes[wakeResult]
	if !b.atomics() {
		link.Ignore(b.m, in)
		link.Silence(b.m, wake)
		return
	}
	r := in.Data
	in.Ready.Set(hdl.AndAll(b.swept, wake.Ready, b.st.Is(stFetch).Not()))
	b.values.Write(hdl.Cat(r.QP, r.Slot), in.Fire(), hdl.Pack(value{Value: r.Value, Fault: r.Fault}))
	b.counts(b.returned, r.QP, in.Fire())
	wake.Valid.Set(in.Fire())
	wake.Data.QP.Set(r.QP)
}
