package stream

import (
	"fmt"

	"gornic/hdl"
	"gornic/hdl/ir"
)

// MuxIO is the ports of a multiplexer.
type MuxIO[T any] struct {
	In   []hdl.Stream[T]      `hdl:"in"`
	From hdl.Stream[hdl.Bits] `hdl:"in"` // the input that the next payload, or frame, comes from
	Out  hdl.Stream[T]        `hdl:"out"`
}

// MuxDef brings together n streams in the order that a stream of tags says: for
// each tag a payload, or a whole frame of [Framed] payloads, of the input that
// it names. A tag that names no input is dropped.
//
// Order is the order of the tags. Latency 0, a payload every cycle. Each ready
// depends on the valid of the tag and of the input. Cost: no flip-flop.
func MuxDef[T any](proto T, n int) hdl.Def[MuxIO[T]] {
	io := MuxIO[T]{From: hdl.StreamOf(hdl.W(ir.AddrWidth(n))), Out: hdl.StreamOf(proto)}
	for range n {
		io.In = append(io.In, hdl.StreamOf(proto))
	}
	return hdl.Def[MuxIO[T]]{
		Name: moduleName("mux", proto, n),
		Doc:  "Multiplexer: for each tag, a payload or frame of the input that it names.",
		IO:   io,
		Body: func(m *hdl.Module, io *MuxIO[T]) {
			chosen := make([]hdl.Bits, n)
			var offers []hdl.Bits
			for i, in := range io.In {
				chosen[i] = io.From.Valid.And(io.From.Data.Is(uint64(i)))
				in.Ready.Set(chosen[i].And(io.Out.Ready))
				offers = append(offers, chosen[i].And(in.Valid))
			}
			data := pick(io.From.Data, io.In)
			io.Out.Valid.Set(hdl.OrAll(offers...))
			hdl.Set(io.Out.Data, data)
			unknown := below(io.From.Data, n).Not()
			io.From.Ready.Set(unknown.Or(io.Out.Fire().And(lastOf(data))))
			muxProperties(m, io)
		},
	}
}

// pick is the payload of the stream with that index.
func pick[T any](index hdl.Bits, ins []hdl.Stream[T]) T {
	packed := make([]hdl.Bits, len(ins))
	for i, in := range ins {
		packed[i] = hdl.Pack(in.Data)
	}
	return hdl.Unpack(hdl.Proto(ins[0].Data), hdl.Select(index, packed...))
}

func muxProperties[T any](m *hdl.Module, io *MuxIO[T]) {
	AssumeSource(m, "from", io.From)
	AssertSource(m, "out", io.Out)
	for i, in := range io.In {
		name := fmt.Sprintf("in_%d", i)
		AssumeSource(m, name, in)
		named := io.From.Valid.And(io.From.Data.Is(uint64(i)))
		m.Assert(name+"_taken_when_named", in.Fire().Eq(named.And(io.Out.Fire())))
		m.Assert(name+"_unchanged", in.Fire().Not().Or(hdl.Pack(in.Data).Eq(hdl.Pack(io.Out.Data))))
		m.Cover(name, in.Fire())
	}
	known := below(io.From.Data, len(io.In))
	m.Assert("unknown_tag_dropped", io.From.Ready.Or(known))
	m.Assert("a_tag_a_frame", io.From.Fire().And(known).Eq(io.Out.Fire().And(lastOf(io.Out.Data))))
}

// Mux puts a [MuxDef] behind ins and from and returns its output; from has
// ceil(log2(n)) bits for n inputs, at least one.
func Mux[T any](m *hdl.Module, name string, ins []hdl.Stream[T], from hdl.Stream[hdl.Bits]) hdl.Stream[T] {
	x := hdl.Instance(m, name, MuxDef(hdl.Proto(ins[0].Data), len(ins)))
	for i, in := range ins {
		hdl.Connect(x.In[i], in)
	}
	hdl.Connect(x.From, from)
	return x.Out
}
