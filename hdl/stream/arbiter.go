package stream

import (
	"fmt"

	"gornic/hdl"
	"gornic/hdl/ir"
)

// ArbiterIO is the ports of an arbiter.
type ArbiterIO[T any] struct {
	In   []hdl.Stream[T] `hdl:"in"`
	Out  hdl.Stream[T]   `hdl:"out"`
	From hdl.Bits        `hdl:"out"` // comes with Out: the input that its payload is of
}

// RoundRobinDef merges n streams fairly: the input after the one that was last
// served comes first. Of [Framed] payloads it passes whole frames.
//
// Order is kept for each input. An input that offers a payload waits for n - 1
// frames of others at most. Latency 0, a payload every cycle; the ready of an
// input depends on all valids. Cost: 2n + 1 flip-flops.
func RoundRobinDef[T any](proto T, n int) hdl.Def[ArbiterIO[T]] {
	return hdl.Def[ArbiterIO[T]]{
		Name: moduleName("round_robin", proto, n),
		Doc:  "Round-robin arbiter: merges streams fairly, frame by frame.",
		IO:   arbiterIO(proto, n),
		Body: func(m *hdl.Module, io *ArbiterIO[T]) {
			after := m.Reg("after", n, 0) // inputs above the one last served
			a := arbitrate(m, io, func(request hdl.Bits) hdl.Bits {
				high := request.And(after)
				next := lowestOne(high)
				first := lowestOne(request)
				return hdl.Mux(high.Any(), next, first)
			})
			m.If(a.done, func() { after.Set(above(a.grant)) })

			arbiterProperties(m, io, a)
			fairness(m, io, a, after)
		},
	}
}

// PriorityDef merges n streams: input 0 before input 1 and so on. Of [Framed]
// payloads it passes whole frames, and a frame that has begun is not
// interrupted.
//
// Order is kept for each input. An input of low priority may wait for ever.
// Latency 0, a payload every cycle; the ready of an input depends on all
// valids. Cost: n + 1 flip-flops.
func PriorityDef[T any](proto T, n int) hdl.Def[ArbiterIO[T]] {
	return hdl.Def[ArbiterIO[T]]{
		Name: moduleName("priority", proto, n),
		Doc:  "Priority arbiter: merges streams, the lowest number first, frame by frame.",
		IO:   arbiterIO(proto, n),
		Body: func(m *hdl.Module, io *ArbiterIO[T]) {
			a := arbitrate(m, io, lowestOne)

			arbiterProperties(m, io, a)
			for i := 1; i < n; i++ {
				begins := a.locked.Not().And(a.grant.Bit(i))
				m.Assert(fmt.Sprintf("none_before_%d", i), begins.And(valids(io.In[:i]).Any()).Not())
			}
		},
	}
}

// RoundRobin puts a [RoundRobinDef] behind ins and returns its output and the
// number of the input that it comes from.
func RoundRobin[T any](m *hdl.Module, name string, ins ...hdl.Stream[T]) (out hdl.Stream[T], from hdl.Bits) {
	return arbiter(m, name, RoundRobinDef(hdl.Proto(ins[0].Data), len(ins)), ins)
}

// Priority puts a [PriorityDef] behind ins, the most important first, and
// returns its output and the number of the input that it comes from.
func Priority[T any](m *hdl.Module, name string, ins ...hdl.Stream[T]) (out hdl.Stream[T], from hdl.Bits) {
	return arbiter(m, name, PriorityDef(hdl.Proto(ins[0].Data), len(ins)), ins)
}

func arbiter[T any](m *hdl.Module, name string, def hdl.Def[ArbiterIO[T]], ins []hdl.Stream[T]) (hdl.Stream[T], hdl.Bits) {
	a := hdl.Instance(m, name, def)
	for i, in := range ins {
		hdl.Connect(a.In[i], in)
	}
	return a.Out, a.From
}

func arbiterIO[T any](proto T, n int) ArbiterIO[T] {
	io := ArbiterIO[T]{Out: hdl.StreamOf(proto), From: hdl.W(ir.AddrWidth(n))}
	for range n {
		io.In = append(io.In, hdl.StreamOf(proto))
	}
	return io
}

// grants is what an arbiter decided: one bit an input.
type grants struct {
	grant  hdl.Bits // the input that Out shows
	locked hdl.Bits // Out stays with owner: in a frame, or its payload has not been taken
	owner  hdl.Bits
	done   hdl.Bits // a frame, or a payload without frames, ends in this cycle
}

// arbitrate connects the input that choose takes of those that ask, and stays
// with it while its payload waits and until its frame ends. A locked arbiter
// has one input that asks: that is shallower than a choice after the fact.
func arbitrate[T any](m *hdl.Module, io *ArbiterIO[T], choose func(request hdl.Bits) hdl.Bits) grants {
	n := len(io.In)
	a := grants{locked: m.Reg("locked", 1, 0), owner: m.RegN("owner", n)}
	request := hdl.Mux(a.locked, a.owner, valids(io.In))
	a.grant = choose(request)

	data := make([]hdl.Bits, n)
	for i, in := range io.In {
		data[i] = hdl.Pack(in.Data)
		in.Ready.Set(a.grant.Bit(i).And(io.Out.Ready))
	}
	io.Out.Valid.Set(valids(io.In).And(a.grant).Any())
	hdl.Set(io.Out.Data, hdl.Unpack(hdl.Proto(io.In[0].Data), hdl.OneHot(a.grant, data...)))
	io.From.Set(encode(a.grant))

	a.done = io.Out.Fire().And(lastOf(io.Out.Data))
	m.If(io.Out.Valid, func() {
		a.locked.Set(a.done.Not())
		a.owner.Set(a.grant)
	})
	return a
}

// arbiterProperties states what every arbiter guarantees.
func arbiterProperties[T any](m *hdl.Module, io *ArbiterIO[T], a grants) {
	AssertSource(m, "out", io.Out)
	m.Assert("one_grant", oneHotOrZero(a.grant))
	m.Assert("one_owner", a.locked.Not().Or(a.owner.Any().And(oneHotOrZero(a.owner))))
	m.Assert("work_conserving", a.locked.Or(io.Out.Valid.Eq(valids(io.In).Any())))
	for i, in := range io.In {
		name := fmt.Sprintf("in_%d", i)
		AssumeSource(m, name, in)
		m.Assert(name+"_taken_when_granted", in.Fire().Eq(io.Out.Fire().And(a.grant.Bit(i))))
		m.Assert(name+"_unchanged", in.Fire().Not().Or(hdl.Pack(in.Data).Eq(hdl.Pack(io.Out.Data))))
		m.Assert(name+"_named", in.Fire().Not().Or(io.From.Is(uint64(i))))
		m.Cover(name, in.Fire())
	}
	var first, from hdl.Bits
	m.Ghost(func() {
		first = m.Reg("frame_first", 1, 1)
		from = m.RegN("frame_from", io.From.Width())
		m.If(io.Out.Fire(), func() {
			first.Set(lastOf(io.Out.Data))
			from.Set(io.From)
		})
	})
	m.Assert("frame_locked", first.Or(a.locked.And(encode(a.owner).Eq(from))))
	m.Assert("frame_whole", first.Or(io.Out.Valid.Not()).Or(io.From.Eq(from)))
}

// valids is the valid of each stream, stream 0 in bit 0.
func valids[T any](ins []hdl.Stream[T]) hdl.Bits {
	list := make([]hdl.Bits, len(ins))
	for i, in := range ins {
		list[len(ins)-1-i] = in.Valid
	}
	return hdl.Cat(list...)
}
