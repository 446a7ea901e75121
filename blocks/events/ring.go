package events

import (
	"gornic/hdl"
)

// configure makes and removes event queues, and takes their doorbells.
func (b *block) configure() {
	m, c := b.m, b.io.EQConfig
	rung := b.bell()
	b.making.Set(hdl.AndAll(c.Valid, b.swept(), b.idle, b.flights.Out.Valid.Not(), rung.Not()))
	c.Ready.Set(b.making)
	made := ring{
		Exists: c.Data.Exists.And(b.swept()), LogSize: c.Data.LogSize,
		Vector: c.Data.Vector.Trunc(b.p.Sizes.EQBits), Base: c.Data.Base.Slice(63, logEQE),
	}
	m.Unused(c.Data.Vector, c.Data.Base.Slice(logEQE-1, 0))
	at := hdl.Mux(b.swept(), c.Data.EQ, b.sweep.Trunc(c.Data.EQ.Width()))
	b.rings.Write(at, b.making.Or(b.swept().Not()), hdl.Pack(made))
}

// bell takes doorbells of event queues: an index that software cannot have reached
// changes nothing. It returns one bit: there is one inside.
func (b *block) bell() hdl.Bits {
	m, bell := b.m, b.io.EQUpdate
	rung, counted := m.Reg("bell_rung", 1, 0), m.Reg("bell_counted", 1, 0)
	held := hdl.NewReg(m, "bell", hdl.Proto(bell.Data))
	moved, used := m.RegN("bell_moved", 16), m.RegN("bell_used", 16)

	bell.Ready.Set(rung.Not().And(b.io.EQConfig.Valid.Not()))
	consumer := b.consumers.At(held.EQ)
	moved.Set(held.Index.Sub(consumer))
	used.Set(b.producers.At(held.EQ).Sub(consumer))
	counted.Set(rung.And(counted.Not()))
	m.If(counted, func() { rung.SetK(0) })
	m.If(bell.Fire(), func() {
		rung.SetK(1)
		hdl.Set(held, bell.Data)
	})
	b.setEQ(b.consumers, held.EQ, counted.And(moved.Le(used)), held.Index)
	return rung
}

// setEQ gives the memory of an event queue's state its one writer: EQConfig, which
// makes it zero, or another, which acts at another time.
func (b *block) setEQ(mem *hdl.Memory, eq, en, value hdl.Bits) {
	mem.Write(hdl.Mux(b.making, b.io.EQConfig.Data.EQ, eq), b.making.Or(en), hdl.Mux(b.making, value.K(0), value))
}
