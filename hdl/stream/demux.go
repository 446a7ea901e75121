package stream

import (
	"fmt"

	"gornic/hdl"
	"gornic/hdl/ir"
)

// DemuxIO is the ports of a demultiplexer.
type DemuxIO[T any] struct {
	In  hdl.Stream[T]   `hdl:"in"`
	To  hdl.Bits        `hdl:"in"` // comes with the payload of In, and holds with it
	Out []hdl.Stream[T] `hdl:"out"`
}

// DemuxDef sends each payload to the one of n outputs that To names. Of a
// [Framed] payload, To is looked at with the first beat and the rest of the
// frame follows. What goes to an output that does not exist is dropped, so a
// bad To stops nothing.
//
// Order is kept on each output. Latency 0, a payload every cycle. Cost: none,
// or log2(n) + 1 flip-flops with frames.
func DemuxDef[T any](proto T, n int) hdl.Def[DemuxIO[T]] {
	io := DemuxIO[T]{In: hdl.StreamOf(proto), To: hdl.W(ir.AddrWidth(n))}
	for range n {
		io.Out = append(io.Out, hdl.StreamOf(proto))
	}
	return hdl.Def[DemuxIO[T]]{
		Name: moduleName("demux", proto, n),
		Doc:  "Demultiplexer: each payload, or frame, goes to the output that its tag names.",
		IO:   io,
		Body: func(m *hdl.Module, io *DemuxIO[T]) {
			to, inside := sticky(m, io.To, io.In)
			ready := hdl.K(1, 0)
			for i, out := range io.Out {
				mine := to.Is(uint64(i))
				out.Valid.Set(io.In.Valid.And(mine))
				hdl.Set(out.Data, io.In.Data)
				ready = ready.Or(mine.And(out.Ready))
			}
			io.In.Ready.Set(ready.Or(below(to, n).Not()))
			demuxProperties(m, io, to, inside)
		},
	}
}

// below returns one bit: index is the number of one of n things.
func below(index hdl.Bits, n int) hdl.Bits {
	if n >= 1<<index.Width() {
		return hdl.K(1, 1)
	}
	return index.LtK(uint64(n))
}

// sticky is a tag that comes with the payload of s; with frames, the tag of the
// first beat for the whole frame. Inside says that the first beat is past.
func sticky[T any](m *hdl.Module, tag hdl.Bits, s hdl.Stream[T]) (now, inside hdl.Bits) {
	if _, framed := any(s.Data).(Framed); !framed {
		return tag, hdl.K(1, 0)
	}
	inside = m.Reg("inside_frame", 1, 0)
	kept := m.RegN("frame_to", tag.Width())
	now = hdl.Mux(inside, kept, tag)
	m.If(s.Fire(), func() {
		inside.Set(lastOf(s.Data).Not())
		kept.Set(now)
	})
	return now, inside
}

func demuxProperties[T any](m *hdl.Module, io *DemuxIO[T], route, inside hdl.Bits) {
	AssumeSource(m, "in", io.In)
	to, first := frameTag(m, io.To, io.In)
	waits := m.PastReset("to_waits", io.In.Valid.And(io.In.Ready.Not()).And(first), 0)
	m.Assume("to_holds", waits.Not().Or(io.To.Eq(m.Past("to_held", io.To))))
	m.Assert("first_is_outside", first.Eq(inside.Not()))
	m.Assert("frame_goes_one_way", route.Eq(to))
	fires := hdl.K(1, 0)
	for i, out := range io.Out {
		name := fmt.Sprintf("out_%d", i)
		AssertSource(m, name, out)
		m.Assert(name+"_is_addressed", out.Valid.Eq(io.In.Valid.And(to.Is(uint64(i)))))
		m.Assert(name+"_unchanged", out.Valid.Not().Or(hdl.Pack(out.Data).Eq(hdl.Pack(io.In.Data))))
		m.Cover(name, out.Fire())
		fires = fires.Or(out.Fire())
	}
	dropped := io.In.Valid.And(below(to, len(io.Out)).Not())
	m.Assert("taken_once", io.In.Fire().Eq(fires.Or(dropped)))
}

// frameTag is what [sticky] should give, the tag that came with the first beat
// of the frame, and whether the present beat is that one.
func frameTag[T any](m *hdl.Module, tag hdl.Bits, s hdl.Stream[T]) (hdl.Bits, hdl.Bits) {
	var first, came hdl.Bits
	m.Ghost(func() {
		first = m.Reg("frame_first", 1, 1)
		came = m.RegN("frame_tag", tag.Width())
		m.If(s.Fire(), func() {
			first.Set(lastOf(s.Data))
			m.If(first, func() { came.Set(tag) })
		})
	})
	return hdl.Mux(first, tag, came), first
}

// Demux puts a [DemuxDef] behind in and returns its n outputs; to has
// ceil(log2(n)) bits, at least one.
func Demux[T any](m *hdl.Module, name string, in hdl.Stream[T], to hdl.Bits, n int) []hdl.Stream[T] {
	d := hdl.Instance(m, name, DemuxDef(hdl.Proto(in.Data), n))
	hdl.Connect(d.In, in)
	d.To.Set(to)
	return d.Out
}
