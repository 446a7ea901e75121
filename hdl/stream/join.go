package stream

import "gornic/hdl"

// Pair is one payload of each of two streams.
type Pair[A, B any] struct {
	A A
	B B
}

// JoinIO is the ports of a join.
type JoinIO[A, B any] struct {
	A   hdl.Stream[A]          `hdl:"in"`
	B   hdl.Stream[B]          `hdl:"in"`
	Out hdl.Stream[Pair[A, B]] `hdl:"out"`
}

// JoinDef pairs the payloads of two streams, the first with the first and so
// on.
//
// Order is kept; both are taken in the same cycle. Latency 0, a pair every
// cycle; the ready of each input depends on the valid of the other. Cost:
// nothing but two gates.
func JoinDef[A, B any](a A, b B) hdl.Def[JoinIO[A, B]] {
	pair := Pair[A, B]{a, b}
	return hdl.Def[JoinIO[A, B]]{
		Name: moduleName("join", pair),
		Doc:  "Join: the payloads of two streams in pairs.",
		IO:   JoinIO[A, B]{A: hdl.StreamOf(a), B: hdl.StreamOf(b), Out: hdl.StreamOf(pair)},
		Body: func(m *hdl.Module, io *JoinIO[A, B]) {
			io.Out.Valid.Set(io.A.Valid.And(io.B.Valid))
			hdl.Set(io.Out.Data, Pair[A, B]{io.A.Data, io.B.Data})
			io.A.Ready.Set(io.Out.Ready.And(io.B.Valid))
			io.B.Ready.Set(io.Out.Ready.And(io.A.Valid))

			AssumeSource(m, "a", io.A)
			AssumeSource(m, "b", io.B)
			AssertSource(m, "out", io.Out)
			m.Assert("a_with_pair", io.A.Fire().Eq(io.Out.Fire()))
			m.Assert("b_with_pair", io.B.Fire().Eq(io.Out.Fire()))
			m.Assert("pair_when_both", io.Out.Valid.Eq(io.A.Valid.And(io.B.Valid)))
			m.Assert("a_unchanged", hdl.Pack(io.Out.Data.A).Eq(hdl.Pack(io.A.Data)))
			m.Assert("b_unchanged", hdl.Pack(io.Out.Data.B).Eq(hdl.Pack(io.B.Data)))
			m.Cover("pair", io.Out.Fire())
		},
	}
}

// Join puts a [JoinDef] behind a and b and returns its output.
func Join[A, B any](m *hdl.Module, name string, a hdl.Stream[A], b hdl.Stream[B]) hdl.Stream[Pair[A, B]] {
	j := hdl.Instance(m, name, JoinDef(hdl.Proto(a.Data), hdl.Proto(b.Data)))
	hdl.Connect(j.A, a)
	hdl.Connect(j.B, b)
	return j.Out
}
