package stream

import (
	"fmt"

	"gornic/hdl"
	"gornic/hdl/ir"
)

// WidthIO is the ports of a width converter.
type WidthIO struct {
	In  Frame `hdl:"in"`
	Out Frame `hdl:"out"`
}

// NarrowDef cuts each beat of from bits into beats of to bits, the low bytes
// first; from is to times a power of two. A frame's last beat gives no more
// beats than it has bytes for.
//
// Bytes and frames are kept, Err with the last byte. Latency 1, a beat out
// every cycle; In.Ready depends on Out.Ready. Cost: a register of an input
// beat.
func NarrowDef(from, to int) hdl.Def[WidthIO] {
	return hdl.Def[WidthIO]{
		Name: fmt.Sprintf("narrow_%d_%d", from, to),
		Doc:  "Width converter: each beat becomes several narrower ones.",
		IO:   WidthIO{In: FrameOf(from), Out: FrameOf(to)},
		Body: func(m *hdl.Module, io *WidthIO) {
			wantRatio(m, from, to)
			valid := m.Reg("valid", 1, 0)
			beat := hdl.NewReg(m, "beat", BeatOf(from))

			n := to / 8
			more := beat.Keep.Bit(n) // bytes are left behind the present part
			io.Out.Valid.Set(valid)
			hdl.Set(io.Out.Data, Beat{
				Data: beat.Data.Trunc(to), Keep: beat.Keep.Trunc(n),
				Last: beat.Last.And(more.Not()), Err: beat.Err.And(more.Not()),
			})
			load := valid.Not().Or(io.Out.Ready.And(more.Not()))
			io.In.Ready.Set(load)
			m.If(load, func() {
				valid.Set(io.In.Valid)
				hdl.Set(beat, io.In.Data)
			}).ElseIf(io.Out.Ready, func() {
				beat.Data.Set(beat.Data.ShrK(to))
				beat.Keep.Set(beat.Keep.ShrK(n))
			})

			f := followBytes(m, io.In, io.Out, from/8)
			narrowInvariants(m, io, f, valid, beat, n)
			m.Cover("cut_short", valid.And(beat.Last).And(more.Not()).And(beat.Keep.All().Not()))
		},
	}
}

// WidenDef gathers beats of from bits into beats of to bits, the first one in
// the low bytes; to is from times a power of two. The end of a frame sends what
// there is; bytes without Keep are those of beats before.
//
// Bytes and frames are kept, Err with the last byte. Latency 1 from the beat
// that completes an output beat, a beat in every cycle; In.Ready depends on
// Out.Ready. Cost: a register of an output beat and log2(to/from) flip-flops.
func WidenDef(from, to int) hdl.Def[WidthIO] {
	return hdl.Def[WidthIO]{
		Name: fmt.Sprintf("widen_%d_%d", from, to),
		Doc:  "Width converter: several beats become a wider one.",
		IO:   WidthIO{In: FrameOf(from), Out: FrameOf(to)},
		Body: func(m *hdl.Module, io *WidthIO) {
			wantRatio(m, to, from)
			parts := to / from
			whole := m.Reg("whole", 1, 0) // the beat is complete
			part := m.Reg("part", ir.AddrWidth(parts), 0)
			data := make([]hdl.Bits, parts)
			keep := make([]hdl.Bits, parts)
			for i := range parts {
				data[i] = m.RegN(fmt.Sprintf("data_%d", i), from)
				keep[i] = m.RegN(fmt.Sprintf("keep_%d", i), from/8)
			}
			last := m.RegN("last", 1)
			bad := m.RegN("err", 1)

			out := Beat{Data: catUp(data), Keep: catUp(keep), Last: last, Err: bad}
			io.Out.Valid.Set(whole)
			hdl.Set(io.Out.Data, out)
			ready := whole.Not().Or(io.Out.Ready)
			io.In.Ready.Set(ready)

			in := io.In.Data
			m.If(io.Out.Fire(), func() { whole.SetK(0) })
			m.If(io.In.Fire(), func() {
				for i := range parts {
					if i > 0 {
						m.If(part.Is(0), func() { keep[i].SetK(0) })
					}
					m.If(part.Is(uint64(i)), func() {
						data[i].Set(in.Data)
						keep[i].Set(in.Keep)
					})
				}
				whole.Set(in.Last.Or(part.Is(uint64(parts - 1))))
				part.Set(hdl.Mux(in.Last, part.K(0), part.AddK(1)))
				last.Set(in.Last)
				bad.Set(in.Err)
			})

			f := followBytes(m, io.In, io.Out, to/8)
			widenInvariants(m, io, f, whole, part, out, from/8)
			m.Cover("sent_short", whole.And(out.Keep.All().Not()))
		},
	}
}

// Narrow puts a [NarrowDef] to beats of width bits behind in and returns its
// output.
func Narrow(m *hdl.Module, name string, in Frame, width int) Frame {
	return resize(m, name, in, NarrowDef(in.Data.Data.Width(), width))
}

// Widen puts a [WidenDef] to beats of width bits behind in and returns its
// output.
func Widen(m *hdl.Module, name string, in Frame, width int) Frame {
	return resize(m, name, in, WidenDef(in.Data.Data.Width(), width))
}

// Resize is [Narrow] or [Widen], or nothing, whichever makes beats of width
// bits.
func Resize(m *hdl.Module, name string, in Frame, width int) Frame {
	switch from := in.Data.Data.Width(); {
	case from > width:
		return Narrow(m, name, in, width)
	case from < width:
		return Widen(m, name, in, width)
	}
	return in
}

func resize(m *hdl.Module, name string, in Frame, def hdl.Def[WidthIO]) Frame {
	c := hdl.Instance(m, name, def)
	hdl.Connect(c.In, in)
	return c.Out
}
