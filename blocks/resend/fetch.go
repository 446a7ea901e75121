package resend

import (
	"gornic/format"
	"gornic/hdl"
)

const (
	granuleBits = 3 // of the number of a granule in a WQE
	controlBits = 8 * format.ControlGranules * format.GranuleBytes
)

// address computes where the WQE is. The slots of a ring that is not smaller than a page fill whole pages, and no
// slot crosses one.
func (b *block) address() {
	at := b.turn.ring
	index := b.entry.WQEIndex.And(hdl.Ones(16).Shl(at.LogSize).Not())
	bytes := hdl.Mux(at.LogStride, hdl.Cat(index, hdl.K(7, 0)), hdl.Cat(hdl.K(1, 0), index, hdl.K(6, 0)))
	b.slot.Set(hdl.Cat(at.Page.Add(bytes.Slice(22, 12).ZExt(52)), bytes.Slice(11, 0)))
	b.beat.SetK(0)
	b.kept.Valid.SetK(0)
	b.kept.QP.Set(b.turn.qp)
	b.kept.Index.Set(b.entry.WQEIndex)
	b.st.Goto(stAsk)
}

// fetchPorts reads the whole slot.
func (b *block) fetchPorts() {
	m, read, width := b.m, b.io.Read, b.p.Sizes.DataWidth
	beats := func(logStride int) hdl.Bits { return hdl.K(8, uint64(format.WQEBytesMin<<logStride*8/width-1)) }
	read.Burst.Valid.Set(b.st.Is(stAsk))
	read.Burst.Data.Addr.Set(b.slot)
	read.Burst.Data.Len.Set(hdl.Mux(b.turn.ring.LogStride, beats(1), beats(0)))
	m.Event("wqe_asked", read.Burst.Fire(), hdl.Field("qp", b.turn.qp), hdl.Field("wqe", b.entry.WQEIndex), hdl.Field("addr", b.slot))

	beat := read.Beat
	beat.Ready.SetK(1)
	b.granules.Write(b.beat, beat.Valid, beat.Data.Data)
	m.If(beat.Valid, func() {
		b.beat.Set(b.beat.AddK(1))
		b.bad.Set(b.bad.Or(beat.Data.Err))
	})
	for i, part := range b.control {
		m.If(beat.Valid.And(b.beat.Is(uint64(i))), func() { part.Set(beat.Data.Data.Trunc(part.Width())) })
	}
}

// arrive waits for the last beat.
func (b *block) arrive() {
	beat := b.io.Read.Beat
	b.m.If(beat.Valid.And(beat.Data.Last), func() {
		b.kept.Valid.SetK(1) // until it proves bad
		b.st.Goto(stBegin)
	})
}

// granule is a granule of the WQE.
func (b *block) granule(index hdl.Bits) hdl.Bits {
	width, n := b.p.Sizes.DataWidth, b.granules.AddrWidth()
	if width == 64 {
		return hdl.Cat(b.granules.At(hdl.Cat(index, hdl.K(1, 1))), b.granules.At(hdl.Cat(index, hdl.K(1, 0))))
	}
	word := b.granules.At(index.Slice(granuleBits-1, granuleBits-n))
	var parts []hdl.Bits
	for i := range width / 128 {
		parts = append(parts, word.Slice(128*i+127, 128*i))
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return hdl.Select(index.Trunc(granuleBits-n), parts...)
}
