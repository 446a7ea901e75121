package readmatch

import (
	"gornic/format"
	"gornic/hdl"
)

// granuleBits is the width of the address of a granule in a WQE.
const granuleBits = 3

// nextSGE goes on to the SGE behind the present one: it is here, or has to be
// read, or the WQE has none.
func (b *block) nextSGE() {
	m, st, at := b.m, b.st, b.place
	next := at.SGE.AddK(1)
	sge, bad := b.granule(next.AddK(format.ControlGranules))
	m.If(next.Ge(b.oldest.NumSGE), func() {
		b.failed.SetK(1)
		st.Goto(stPlace)
	}).ElseIf(b.fetched.Not(), func() {
		b.fetched.SetK(1)
		st.Goto(stRing)
	}).Else(func() {
		at.SGE.Set(next)
		hdl.Set(at.Rest, hdl.UnpackLow(format.SGE[hdl.Bits]{}, sge))
		b.failed.Set(bad)
		st.Goto(stMeasure)
	})
}

// granule is a granule of the WQE at hand, and whether it could not be read.
func (b *block) granule(index hdl.Bits) (data, bad hdl.Bits) {
	width, n := b.p.Sizes.DataWidth, b.sges.AddrWidth()
	if width == 64 {
		low, high := b.sges.At(hdl.Cat(index, hdl.K(1, 0))), b.sges.At(hdl.Cat(index, hdl.K(1, 1)))
		return hdl.Cat(high.Trunc(width), low.Trunc(width)), high.MSB().Or(low.MSB())
	}
	word := b.sges.At(index.Slice(granuleBits-1, granuleBits-n))
	var parts []hdl.Bits
	for i := range width / 128 {
		parts = append(parts, word.Slice(128*i+127, 128*i))
	}
	if len(parts) == 1 {
		return parts[0], word.MSB()
	}
	return hdl.Select(index.Trunc(granuleBits-n), parts...), word.MSB()
}

// fetch reads the SGEs of the WQE at hand that are behind the present one.
func (b *block) fetch() {
	m, st, read, n := b.m, b.st, b.io.Read, b.sges.AddrWidth()
	at := hdl.Unpack(ring{}, b.rings.Read("ring", b.packet.Data.QP, st.Is(stRing)))
	first := m.RegN("first_beat", n) // of the WQE that is read
	last := m.RegN("last_beat", n)
	slot := m.RegN("slot", 64) // address of the WQE
	m.If(st.Is(stAddress), func() {
		first.Set(beatOf(b.place.SGE.AddK(format.ControlGranules+1), n, 0))
		last.Set(beatOf(b.oldest.NumSGE.AddK(format.ControlGranules-1), n, 1))
		// The slots of a ring that is not smaller than a page fill whole pages.
		index := b.oldest.WQEIndex.And(hdl.Ones(16).Shl(at.LogSize).Not())
		bytes := hdl.Mux(at.LogStride, hdl.Cat(index, hdl.K(7, 0)), hdl.Cat(hdl.K(1, 0), index, hdl.K(6, 0)))
		slot.Set(hdl.Cat(at.Page.Add(bytes.Slice(22, 12).ZExt(52)), bytes.Slice(11, 0)))
	})
	read.Burst.Valid.Set(st.Is(stAsk))
	read.Burst.Data.Addr.Set(slot.Or(hdl.Cat(first, hdl.K(granuleBits+4-n, 0)).ZExt(64)))
	read.Burst.Data.Len.Set(last.Sub(first).ZExt(8))
	m.Event("sges_asked", read.Burst.Fire(),
		hdl.Field("qp", b.packet.Data.QP), hdl.Field("wqe", b.oldest.WQEIndex), hdl.Field("sge", b.place.SGE.AddK(1)), hdl.Field("addr", read.Burst.Data.Addr))

	beat := read.Beat
	beat.Ready.SetK(1)
	b.sges.Write(first, beat.Valid, hdl.Cat(beat.Data.Err, beat.Data.Data))
	m.If(beat.Valid, func() { first.Set(first.AddK(1)) })
}

// beatOf is the first or last beat of a granule, of 2^n beats of a WQE.
func beatOf(granule hdl.Bits, n int, half uint64) hdl.Bits {
	if n > granuleBits {
		return hdl.Cat(granule, hdl.K(1, half))
	}
	return granule.Slice(granuleBits-1, granuleBits-n)
}
