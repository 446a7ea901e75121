package stream

import (
	"fmt"
	"math/bits"

	"gornic/hdl"
)

// CreditOptions are the parameters of a credit counter.
type CreditOptions struct {
	Max      int // how many credits there are
	NeedBits int // of Need
	GiveBits int // of Give
}

// CreditIO is the ports of a credit counter.
type CreditIO[T any] struct {
	In   hdl.Stream[T] `hdl:"in"`
	Need hdl.Bits      `hdl:"in"` // comes with the payload of In, and holds with it: how many credits it takes
	Give hdl.Bits      `hdl:"in"` // how many credits come back in this cycle
	Out  hdl.Stream[T] `hdl:"out"`
	Left hdl.Bits      `hdl:"out"` // how many credits there are
}

// CreditDef lets a payload pass when there are credits for it: room that it
// will take far away, which comes back through Give when it is free again, any
// number of cycles later. What passes thus never finds the room missing.
//
// Order is kept and nothing is lost. There are never more than Max credits nor
// less than none, as long as no more come back than were taken. Latency 0, a
// payload every cycle while credits last: for a full rate, Max covers the round
// trip. Cost: log2(Max) flip-flops.
func CreditDef[T any](proto T, o CreditOptions) hdl.Def[CreditIO[T]] {
	w := bits.Len(uint(o.Max))
	return hdl.Def[CreditIO[T]]{
		Name: fmt.Sprintf("%s_n%d_g%d", moduleName("credit", proto, o.Max), o.NeedBits, o.GiveBits),
		Doc:  "Credit counter: a payload passes when there is room for it at the far end.",
		IO: CreditIO[T]{
			In: hdl.StreamOf(proto), Out: hdl.StreamOf(proto),
			Need: hdl.W(o.NeedBits), Give: hdl.W(o.GiveBits), Left: hdl.W(w),
		},
		Body: func(m *hdl.Module, io *CreditIO[T]) {
			o.check(m, w)
			left := m.Reg("credits", w, uint64(o.Max))
			need, give := io.Need.ZExt(w), io.Give.ZExt(w)
			open := need.Le(left)

			io.Out.Valid.Set(io.In.Valid.And(open))
			hdl.Set(io.Out.Data, io.In.Data)
			io.In.Ready.Set(io.Out.Ready.And(open))
			take := hdl.Mux(io.Out.Fire(), need, left.K(0))
			left.Set(left.Add(give).Sub(take))
			io.Left.Set(left)

			creditProperties(m, io, o, take, give)
		},
	}
}

// check rejects a counter of w bits that cannot be.
func (o CreditOptions) check(m *hdl.Module, w int) {
	switch {
	case o.Max < 1:
		m.Reject("%d credits: at least 1", o.Max)
	case o.NeedBits < 1 || o.NeedBits > w:
		m.Reject("Need has %d bits for %d credits: 1 to %d", o.NeedBits, o.Max, w)
	case o.GiveBits < 1 || o.GiveBits > w:
		m.Reject("Give has %d bits for %d credits: 1 to %d", o.GiveBits, o.Max, w)
	}
}

// creditProperties counts what is out, besides the counter itself.
func creditProperties[T any](m *hdl.Module, io *CreditIO[T], o CreditOptions, take, give hdl.Bits) {
	AssumeSource(m, "in", io.In)
	AssertSource(m, "out", io.Out)
	waits := m.PastReset("need_waits", io.In.Valid.And(io.In.Ready.Not()), 0)
	m.Assume("need_holds", waits.Not().Or(io.Need.Eq(m.Past("need_held", io.Need))))

	w := io.Left.Width()
	var out hdl.Bits
	m.Ghost(func() {
		out = m.Reg("credits_out", w+1, 0)
		out.Set(out.Add(take.ZExt(w + 1)).Sub(give.ZExt(w + 1)))
	})
	m.Assume("give_was_taken", give.ZExt(w+1).Le(out.Add(take.ZExt(w+1))))
	m.Assert("none_lost", out.Add(io.Left.ZExt(w+1)).Is(uint64(o.Max)))
	m.Assert("no_overflow", io.Left.ZExt(w+1).LeK(uint64(o.Max)))
	m.Assert("passes_with_credits", io.Out.Valid.Eq(io.In.Valid.And(io.Need.ZExt(w+1).Add(out).LeK(uint64(o.Max)))))
	m.Assert("no_underflow", take.Le(io.Left))
	m.Assert("out_is_in", io.Out.Fire().Eq(io.In.Fire()))
	m.Cover("all_out", out.Is(uint64(o.Max)))
}

// Credit puts a [CreditDef] of limit credits behind in, of which each payload
// takes one, and returns its output; give is how many come back in a cycle.
func Credit[T any](m *hdl.Module, name string, in hdl.Stream[T], limit int, give hdl.Bits) hdl.Stream[T] {
	c := hdl.Instance(m, name, CreditDef(hdl.Proto(in.Data), CreditOptions{Max: limit, NeedBits: 1, GiveBits: give.Width()}))
	hdl.Connect(c.In, in)
	c.Need.SetK(1)
	c.Give.Set(give)
	m.Unused(c.Left)
	return c.Out
}
