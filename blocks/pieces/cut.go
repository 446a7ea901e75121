package pieces

import (
	"fmt"

	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// mostBeats is the most beats of an AXI4 burst, and pageBytes is what it has to stay inside.
const (
	mostBeats = 256
	pageBytes = 4096
)

// ChunkBits is log2 of the bytes that a chunk never crosses a multiple of, at a
// data width in bits: 4 KiB, or 256 beats where that is less.
func ChunkBits(width int) int { return hdl.Log2(min(pageBytes, mostBeats*width/8)) }

// IndexBits is the width of a byte's index in a beat.
func IndexBits(width int) int { return hdl.Log2(width / 8) }

// Chunk is a part of a piece that makes one burst.
type Chunk struct {
	Addr  hdl.Bits `w:"64"` // bus address of its first byte
	Less  hdl.Bits // bytes less one; of a dropped rest it means nothing, as the rest
	Beats hdl.Bits `w:"8"` // beats that it touches, less one
	End   hdl.Bits // index in its beat of the last byte
	Skip  hdl.Bits `w:"1"` // as in link.Piece
	Last  hdl.Bits `w:"1"` // of the packet
}

// ChunkOf returns the prototype at a data width in bits.
func ChunkOf(width int) Chunk {
	return Chunk{Less: hdl.W(ChunkBits(width)), End: hdl.W(IndexBits(width))}
}

// CutIO is the ports of a cutter.
type CutIO struct {
	In  hdl.Stream[link.Piece] `hdl:"in"`
	Out hdl.Stream[Chunk]      `hdl:"out"`
}

// CutDef cuts pieces into chunks, in order: the last chunk of a packet's last
// piece has Last. A piece with Skip is one chunk.
//
// Latency 1, a chunk every cycle; ready passes through. Cost: a register of a
// piece, three adders of 13 bits or less and one of 52.
func CutDef(width int) hdl.Def[CutIO] {
	return hdl.Def[CutIO]{
		Name: fmt.Sprintf("cut_%d", width),
		Doc:  "Cuts pieces of payload where a burst has to end.",
		IO:   CutIO{In: hdl.StreamOf(link.Piece{}), Out: hdl.StreamOf(ChunkOf(width))},
		Body: func(m *hdl.Module, io *CutIO) {
			cut(m, io, ChunkBits(width), IndexBits(width))
		},
	}
}

// Cut puts a [CutDef] behind in and returns its output.
func Cut(m *hdl.Module, name string, in hdl.Stream[link.Piece], width int) hdl.Stream[Chunk] {
	c := hdl.Instance(m, name, CutDef(width))
	hdl.Connect(c.In, in)
	return c.Out
}

// lessBits is the width of a piece's bytes less one.
const lessBits = link.LengthBits - 1

// cut is the body: what is left of a piece is in registers, and its first chunk is offered.
func cut(m *hdl.Module, io *CutIO, chunkBits, indexBits int) {
	in, out := io.In, io.Out
	valid := m.Reg("valid", 1, 0)
	addr, less := m.RegN("addr", 64), m.RegN("less", lessBits)
	skip, last := m.RegN("skip", 1), m.RegN("last", 1)

	low := addr.Trunc(chunkBits)
	reach := low.ZExt(link.LengthBits).Add(less.ZExt(link.LengthBits)) // last byte, from the chunk's boundary on
	over := reach.Slice(link.LengthBits-1, chunkBits)
	crosses := over.Any().And(skip.Not())
	end := hdl.Mux(crosses, hdl.Ones(chunkBits), reach.Trunc(chunkBits))
	beats := end.Slice(chunkBits-1, indexBits).Sub(low.Slice(chunkBits-1, indexBits))

	out.Valid.Set(valid)
	hdl.Set(out.Data, Chunk{
		Addr: addr, Less: hdl.Mux(crosses, low.Not(), less.Trunc(chunkBits)), Beats: beats.ZExt(8),
		End: end.Trunc(indexBits), Skip: skip, Last: last.And(crosses.Not()),
	})
	in.Ready.Set(valid.Not().Or(out.Ready.And(crosses.Not())))
	m.If(in.Ready, func() {
		valid.Set(in.Valid)
		addr.Set(in.Data.Addr)
		less.Set(in.Data.Len.SubK(1).Trunc(lessBits))
		skip.Set(in.Data.Skip)
		last.Set(in.Data.Last)
	}).ElseIf(out.Fire(), func() {
		addr.Set(hdl.Cat(addr.Slice(63, chunkBits).AddK(1), hdl.K(chunkBits, 0)))
		less.Set(hdl.Cat(over.SubK(1), reach.Trunc(chunkBits)).Trunc(lessBits))
	})

	m.Unused(in.Data.Len.Bit(link.LengthBits - 1)) // 4096 alone has it, whose other bits are zero

	stream.AssumeSource(m, "in", in)
	stream.AssertSource(m, "out", out)
	m.Assume("in_has_bytes", hdl.OrAll(in.Valid.Not(), in.Data.Skip, in.Data.Len.Any().And(in.Data.Len.LeK(pageBytes))))
	cutProperties(m, io, less, last)
}
