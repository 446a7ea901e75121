package translate

import (
	"gornic/format"
	"gornic/hdl"
)

// answered is a segment whose key is known.
type answered struct {
	Len   hdl.Bits `w:"13"`
	Kind  kind
	Fault hdl.Bits `w:"5"`
	Paged hdl.Bits `w:"1"`
	Order hdl.Bits `w:"4"`  // pages of 4096 << Order bytes
	Base  hdl.Bits `w:"64"` // bus address: of the bytes, or, if paged, of the page list
	From  hdl.Bits `w:"64"` // bytes from the beginning of the list's first page
}

// indexed is work whose place is known but for an addition.
type indexed struct {
	Work   work
	Offset hdl.Bits `w:"55"` // from Work.At on: of the entry of the page list
}

// stage is a register of a pipeline.
type stage[T any] struct {
	valid hdl.Bits
	data  T
	ready hdl.Bits // to be set: what is in it moves on, if there is anything
}

func newStage[T any](m *hdl.Module, name string, proto T) stage[T] {
	return stage[T]{valid: m.Reg("has_"+name, 1, 0), data: hdl.NewReg(m, name, proto), ready: m.Wire(name+"_moves", 1)}
}

// answer joins each segment with the answer on its key. It takes a segment only when there is
// none, every second cycle: so no path goes from those who take pieces to the key cache.
func (b *block) answer(order hdl.Stream[noted]) stage[answered] {
	m, r := b.m, b.io.Key.Reply.Data
	out := newStage(m, "answered", answered{})
	asked := order.Data.Asked
	known := asked.Not().Or(b.io.Key.Reply.Valid)
	order.Ready.Set(out.valid.Not().And(known))
	b.io.Key.Reply.Ready.Set(hdl.AndAll(out.valid.Not(), order.Valid, asked))

	fault := hdl.Mux(asked, r.Fault, r.Fault.K(0))
	paged := hdl.AndAll(asked, order.Data.Find, r.PageShift.Any(), r.Fault.None())
	steps := r.PageShift.SubK(format.PageShiftMin).Trunc(4)
	start := hdl.Mux(asked, r.Translation, order.Data.Bus)
	inFirst := r.First.And(hdl.Cat(inPage(steps), hdl.Ones(format.PageShiftMin)))
	m.If(out.ready, func() { out.valid.SetK(0) })
	m.If(out.valid.Not(), func() {
		out.valid.Set(order.Valid.And(known))
		hdl.Set(out.data, answered{
			Len: order.Data.Len, Kind: order.Data.Kind, Fault: fault, Paged: paged, Order: steps,
			Base: start.Add(hdl.Mux(paged.Or(asked.Not()), r.Offset.K(0), r.Offset)),
			From: r.Offset.Add(inFirst.ZExt(64)),
		})
	})
	return out
}

// inPage has a one for each bit of an address, from that of 4096 up, that is inside of a page.
func inPage(order hdl.Bits) hdl.Bits {
	return hdl.Ones(pageBits - format.PageShiftMin).Shl(order).Not()
}

// index finds the entry of the page list.
func (b *block) index(in stage[answered]) stage[indexed] {
	m, x := b.m, in.data
	out := newStage(m, "indexed", indexed{})
	in.ready.Set(out.valid.Not().Or(out.ready))
	pages := x.From.Slice(63, format.PageShiftMin).Shr(x.Order)
	offset := hdl.Cat(pages, hdl.K(logEntry, 0))
	m.If(in.ready, func() {
		out.valid.Set(in.valid)
		hdl.Set(out.data, indexed{Offset: hdl.Mux(x.Paged, offset, offset.K(0)), Work: work{
			Len: x.Len, Kind: x.Kind, Fault: x.Fault, Paged: x.Paged, Order: x.Order,
			At: x.Base, In: x.From.Trunc(pageBits),
		}})
	})
	return out
}

// locate makes the work of it.
func (b *block) locate(in stage[indexed]) {
	next := in.data.Work
	next.At = next.At.Add(in.data.Offset.ZExt(64))
	in.ready.Set(b.has.Not().Or(b.leaves))
	b.m.If(in.ready, func() {
		b.has.Set(in.valid)
		hdl.Set(b.work, next)
	})
}
