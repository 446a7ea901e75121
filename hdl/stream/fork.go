package stream

import (
	"fmt"

	"gornic/hdl"
)

// ForkIO is the ports of a fork.
type ForkIO[T any] struct {
	In  hdl.Stream[T]   `hdl:"in"`
	Out []hdl.Stream[T] `hdl:"out"`
}

// ForkDef copies each payload to n outputs. Each output takes its copy when it
// likes; the next payload comes when all have taken this one.
//
// Order is kept; each output gets each payload once. Latency 0, a payload every
// cycle while all outputs are ready. In.Ready depends on every Out.Ready in the
// same cycle. Cost: n flip-flops.
func ForkDef[T any](proto T, n int) hdl.Def[ForkIO[T]] {
	io := ForkIO[T]{In: hdl.StreamOf(proto)}
	for range n {
		io.Out = append(io.Out, hdl.StreamOf(proto))
	}
	return hdl.Def[ForkIO[T]]{
		Name: moduleName("fork", proto, n),
		Doc:  "Fork: each output takes its copy of a payload independently of the others.",
		IO:   io,
		Body: func(m *hdl.Module, io *ForkIO[T]) {
			done := make([]hdl.Bits, n) // has taken its copy of the present payload
			ready := make([]hdl.Bits, n)
			for i, out := range io.Out {
				done[i] = m.Reg(fmt.Sprintf("done_%d", i), 1, 0)
				out.Valid.Set(io.In.Valid.And(done[i].Not()))
				hdl.Set(out.Data, io.In.Data)
				ready[i] = done[i].Or(out.Ready)
			}
			next := hdl.AndAll(ready...)
			io.In.Ready.Set(next)
			m.If(io.In.Valid, func() {
				for i := range done {
					done[i].Set(ready[i].And(next.Not()))
				}
			})
			forkProperties(m, io, done)
		},
	}
}

// forkProperties counts, for each output, the copies it took of the payload
// that In offers.
func forkProperties[T any](m *hdl.Module, io *ForkIO[T], done []hdl.Bits) {
	AssumeSource(m, "in", io.In)
	m.Assert("all_ready_is_ready", io.In.Ready.Or(hdl.AndAll(readies(io.Out)...).Not()))
	for i, out := range io.Out {
		name := fmt.Sprintf("out_%d", i)
		AssertSource(m, name, out)
		var took hdl.Bits
		m.Ghost(func() {
			took = m.Reg(name+"_took", 1, 0)
			took.Set(took.Or(out.Fire()).And(io.In.Fire().Not()))
		})
		m.Assert(name+"_done_is_took", done[i].Eq(took))
		m.Assert(name+"_once", out.Fire().And(took).Not())
		m.Assert(name+"_not_missed", io.In.Fire().Not().Or(took).Or(out.Fire()))
		m.Assert(name+"_offered", io.In.Valid.Not().Or(took).Or(out.Valid))
		m.Assert(name+"_unchanged", out.Valid.Not().Or(hdl.Pack(out.Data).Eq(hdl.Pack(io.In.Data))))
		m.Cover(name+"_ahead", took)
	}
}

func readies[T any](outs []hdl.Stream[T]) []hdl.Bits {
	list := make([]hdl.Bits, len(outs))
	for i, out := range outs {
		list[i] = out.Ready
	}
	return list
}

// Fork puts a [ForkDef] behind in and returns its n outputs.
func Fork[T any](m *hdl.Module, name string, in hdl.Stream[T], n int) []hdl.Stream[T] {
	f := hdl.Instance(m, name, ForkDef(hdl.Proto(in.Data), n))
	hdl.Connect(f.In, in)
	return f.Out
}

// Broadcast copies each payload of in to n outputs that are registered, so that
// no output's path reaches another's: a [Fork] with a [Slice] behind each
// output, which may be up to two payloads ahead of the slowest.
func Broadcast[T any](m *hdl.Module, name string, in hdl.Stream[T], n int) []hdl.Stream[T] {
	outs := Fork(m, name, in, n)
	for i, out := range outs {
		outs[i] = Slice(m, fmt.Sprintf("%s_slice_%d", name, i), out)
	}
	return outs
}
