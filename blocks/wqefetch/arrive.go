package wqefetch

import (
	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// granule is 16 bytes that have come.
type granule struct {
	Data hdl.Bits `w:"128"`
	Err  hdl.Bits `w:"1"`
}

// arrive writes what comes to the slots of the oldest burst on its way.
func (b *block) arrive() {
	m, f := b.m, b.flights
	depth := b.p.outstanding() * b.p.burstSlots() * b.p.beatsPerSlot()
	beats := b.beats(depth)
	g := granules(m, beats)

	begun := m.Reg("here_begun", 1, 0)  // some of the burst has been written
	index := m.RegN("here_index", 16)   // of the WQE that is being written
	part := m.Reg("here_part", 3, 0)    // which of its granules
	failed := m.Reg("here_fault", 1, 0) // one before had an error response
	now := hdl.Mux(begun, index, f.Data.Index)
	final := part.Eq(hdl.Mux(f.Data.LogStride, hdl.K(3, 2*granulesPerSlot-1), hdl.K(3, granulesPerSlot-1)))
	writes := g.Valid.And(f.Valid).And(final.Not().Or(b.io.Ready.Ready))
	ends := writes.And(final)

	slot := b.slotOf(now, f.Data.LogStride)
	b.store.Write(b.granuleAt(f.Data.QP, slot, part), writes, g.Data.Data)
	b.faults.Write(hdl.Cat(f.Data.QP, slot), ends, failed.Or(g.Data.Err))
	b.index(b.here, f.Data.QP, ends, now.AddK(1))
	g.Ready.Set(writes)
	b.io.Ready.Valid.Set(hdl.AndAll(g.Valid, f.Valid, final))
	b.io.Ready.Data.QP.Set(f.Data.QP)
	m.Event("wqe_here", ends, hdl.Field("qp", f.Data.QP), hdl.Field("wqe", now))

	b.landed.Set(ends.And(now.Eq(f.Data.Last)))
	f.Ready.Set(b.landed)
	m.If(writes, func() {
		begun.SetK(1)
		index.Set(now)
		part.Set(part.AddK(1))
		failed.Set(failed.Or(g.Data.Err))
		m.If(final, func() {
			index.Set(now.AddK(1))
			part.SetK(0)
			failed.SetK(0)
		})
		m.If(b.landed, func() { begun.SetK(0) })
	})
}

// granuleAt is the address of a granule in the store: slots of 64 bytes, of which a WQE
// of 128 bytes takes two.
func (b *block) granuleAt(qp, slot, part hdl.Bits) hdl.Bits {
	return hdl.Cat(qp, slot.Add(part.Slice(2, 2).ZExt(slot.Width())), part.Slice(1, 0))
}

// beats takes each beat at once: there is room for all that are asked for.
func (b *block) beats(depth int) hdl.Stream[link.ReadBeat] {
	m, in := b.m, b.io.Read.Beat
	def := stream.BlockFIFODef(hdl.Proto(in.Data), depth)
	if depth <= 32 {
		def = stream.FIFODef(hdl.Proto(in.Data), depth)
	}
	q := hdl.Instance(m, "u_beats", def)
	hdl.Connect(q.In, in)
	m.Unused(q.Level, q.HighWater)
	m.Assert("beats_have_room", in.Ready.Or(in.Valid.Not()))
	return q.Out
}

// granules cuts beats into granules, or puts two halves together.
func granules(m *hdl.Module, in hdl.Stream[link.ReadBeat]) hdl.Stream[granule] {
	out := hdl.NewWire(m, "granule", hdl.StreamOf(granule{}))
	m.Unused(in.Data.Last)
	if in.Data.Data.Width() == 64 {
		return halves(m, in, out)
	}
	parts := in.Data.Data.Width() / granuleBits
	if parts == 1 {
		out.Valid.Set(in.Valid)
		hdl.Set(out.Data, granule{Data: in.Data.Data, Err: in.Data.Err})
		in.Ready.Set(out.Ready)
		return out
	}
	part := m.Reg("beat_part", hdl.Log2(parts), 0)
	var cuts []hdl.Bits
	for i := range parts {
		cuts = append(cuts, in.Data.Data.Slice(granuleBits*(i+1)-1, granuleBits*i))
	}
	out.Valid.Set(in.Valid)
	hdl.Set(out.Data, granule{Data: hdl.Select(part, cuts...), Err: in.Data.Err})
	in.Ready.Set(out.Ready.And(part.All()))
	m.If(out.Fire(), func() { part.Set(part.AddK(1)) })
	return out
}

// halves puts two beats of 64 bits together.
func halves(m *hdl.Module, in hdl.Stream[link.ReadBeat], out hdl.Stream[granule]) hdl.Stream[granule] {
	second := m.Reg("beat_second", 1, 0)
	low := hdl.NewReg(m, "beat_low", link.ReadBeat{Data: hdl.W(64)})
	m.If(in.Fire(), func() {
		second.Set(second.Not())
		hdl.Set(low, in.Data)
	})
	m.Unused(low.Last)
	out.Valid.Set(in.Valid.And(second))
	hdl.Set(out.Data, granule{Data: hdl.Cat(in.Data.Data, low.Data), Err: in.Data.Err.Or(low.Err)})
	in.Ready.Set(out.Ready.Or(second.Not()))
	return out
}
