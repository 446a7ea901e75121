package translate

import (
	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// noted is what is kept of a segment while the key cache looks at its key.
type noted struct {
	Len   hdl.Bits `w:"13"`
	Kind  kind
	Find  hdl.Bits `w:"1"`  // its bytes have a bus address that matters
	Asked hdl.Bits `w:"1"`  // its key is looked at
	Bus   hdl.Bits `w:"64"` // its bus address, if no key is looked at and it has no Skip
}

// tail is the Probe behind a payload. Its question may end the key: so it is not asked
// before the payload has got its pieces, and not at all where one of them is missing.
type tail struct {
	next    hdl.Bits // the next segment is one,
	waits   hdl.Bits // and what becomes of its payload is not known yet,
	drops   hdl.Bits // or known to be bad
	settled hdl.Bits // in this cycle the last segment of the payload is done,
	bad     hdl.Bits // and with this there was a fault
}

func newTail(m *hdl.Module) tail {
	return tail{
		next: m.Reg("tail_next", 1, 0), waits: m.Reg("tail_waits", 1, 0), drops: m.Reg("tail_drops", 1, 0),
		settled: m.Wire("tail_settled", 1), bad: m.Wire("tail_bad", 1),
	}
}

// ask asks about the key of each segment that has one, and notes the segment.
func (b *block) ask() hdl.Stream[noted] {
	m, in, out, t := b.m, b.io.Segment, b.io.Key.Request, b.tail
	order := hdl.NewWire(m, "noted", hdl.StreamOf(noted{}))
	x := in.Data
	asks := hdl.OrAll(x.Probe, x.Skip.Not(), x.Rights.Any()).And(x.Bus.Not())
	goes := hdl.AndAll(in.Valid, t.waits.Not(), t.drops.Not())
	in.Ready.Set(t.waits.Not().And(t.drops.Or(order.Ready.And(asks.Not().Or(out.Ready)))))
	out.Valid.Set(hdl.AndAll(goes, asks, order.Ready))
	hdl.Set(out.Data, link.KeyRequest{Key: x.Key, PD: x.PD, QPN: x.QPN, Rights: x.Rights, VA: x.VA, Range: x.Range})
	order.Valid.Set(in.Fire().And(t.drops.Not()))
	hdl.Set(order.Data, noted{
		Len: x.Len, Find: hdl.Mux(x.Probe, x.Find, x.Skip.Not()), Asked: asks, Bus: x.VA,
		Kind: kind{Skip: x.Skip, Probe: x.Probe, Last: x.Last, Probed: x.Probed, Tail: t.next},
	})
	m.If(in.Fire(), func() {
		t.next.Set(x.Probed)
		t.waits.Set(x.Probed)
		t.drops.SetK(0)
	})
	m.If(t.settled, func() {
		t.waits.SetK(0)
		t.drops.Set(t.bad)
	})
	m.Cover("bus", in.Fire().And(x.Bus).And(t.drops.Not()))
	m.Cover("tail_asked", out.Fire().And(t.next))
	m.Cover("tail_dropped", in.Fire().And(t.drops))
	return stream.FIFO(m, "u_order", order, b.p.ahead())
}
