package translate

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// walking is the step of walking over the pages of a segment.
type walking int

const (
	stLook walking = iota // the entry is looked up; what needs none leaves
	stGive                // a page leaves, if its entry is held
	stAsk                 // its line is asked for
	stFill                // its line comes
	stRead                // the entry is read from it
)

func (s walking) String() string { return [...]string{"look", "give", "ask", "fill", "read"}[s] }

// walk gives the pieces of the work.
func (b *block) walk() {
	m, w := b.m, b.work
	b.st = hdl.NewFSM(m, "walking", stLook, stGive, stAsk, stFill, stRead)
	held := m.RegN("held", 1)
	take, ends := m.RegN("take", link.LengthBits), m.RegN("ends", 1)
	plain := hdl.AndAll(b.st.Is(stLook), b.has, b.swallow.Not(), w.Paged.Not())
	listed := b.st.Is(stGive).And(held)
	drops := hdl.AndAll(b.st.Is(stLook), b.has, b.swallow)
	fault := w.Fault.Any()
	gone := b.give(plain.Or(listed), link.Piece{
		Addr: hdl.Mux(listed, inside(b.line.page, w), w.At), Len: hdl.Mux(listed, take, w.Len),
		Skip: w.Kind.Skip.Or(fault), Last: hdl.Mux(listed, w.Kind.Last.And(ends), w.Kind.Last.Or(fault)),
	})
	b.leaves.Set(drops.Or(gone.And(plain.Or(ends))))
	b.tail.settled.Set(b.leaves.And(w.Kind.Probed))
	b.tail.bad.Set(b.swallow.Or(fault))
	m.If(drops.And(w.Kind.Last), func() { b.swallow.SetK(0) })
	m.If(hdl.AndAll(gone, plain, fault, w.Kind.Last.Not()), func() { b.swallow.SetK(1) })

	b.st.Switch(
		hdl.On(stLook, func() {
			held.Set(b.line.held)
			left := inThisPage(w)
			fits := left.Ge(w.Len.ZExt(left.Width()))
			take.Set(hdl.Mux(fits, w.Len, left.Trunc(link.LengthBits)))
			ends.Set(fits.Or(w.Kind.Probe))
			m.If(hdl.AndAll(b.has, b.swallow.Not(), w.Paged), func() { b.st.Goto(stGive) })
		}),
		hdl.On(stGive, func() {
			m.If(held.Not(), func() { b.st.Goto(stAsk) })
			m.If(gone, func() {
				b.st.Goto(stLook)
				m.If(ends.Not(), func() {
					w.At.Set(w.At.AddK(1 << logEntry))
					w.In.SetK(0)
					w.Len.Set(w.Len.Sub(take))
				})
			})
		}),
		hdl.On(stAsk, func() { m.If(b.line.taken, func() { b.st.Goto(stFill) }) }),
		hdl.On(stFill, func() {
			m.If(b.line.ended, func() {
				held.SetK(1)
				b.st.Goto(stRead)
				m.If(b.line.bad, func() {
					w.Paged.SetK(0)
					w.Fault.SetK(uint64(format.VendorBusRead))
					b.st.Goto(stLook)
				})
			})
		}),
		hdl.On(stRead, func() { b.st.Goto(stGive) }),
	)
	b.line.wanted.Set(b.st.Is(stAsk))
	b.line.reads.Set(b.st.Is(stLook).Or(b.st.Is(stRead)))
}

// give offers a piece, if the work is no probe, and with the last one of a packet what
// became of it, but for a packet with a tail, which is yet to come. It returns one bit: what is offered has been taken.
func (b *block) give(valid hdl.Bits, p link.Piece) hdl.Bits {
	m, out, w := b.m, b.io.Piece, b.work
	fate := hdl.NewWire(m, "fate", hdl.StreamOf(link.Translated{}))
	probe, fault := w.Kind.Probe, w.Fault.Any()
	out.Valid.Set(hdl.AndAll(valid, probe.Not(), fate.Ready))
	hdl.Set(out.Data, p)
	gone := hdl.AndAll(valid, fate.Ready, probe.Or(out.Ready))
	fate.Valid.Set(hdl.AndAll(gone, p.Last, w.Kind.Probed.Not().Or(fault)))
	hdl.Set(fate.Data, link.Translated{Fault: w.Fault, Probe: probe.And(w.Kind.Tail.Not()), Tail: w.Kind.Tail.And(fault), Addr: p.Addr})
	hdl.Connect(b.io.Translated, stream.FIFO(m, "u_fates", fate, b.p.Sizes.Ahead(told)))
	m.Event("piece", out.Fire(), hdl.Field("addr", p.Addr), hdl.Field("bytes", p.Len), hdl.Field("skip", p.Skip))
	m.Event("probed", gone.And(probe), hdl.Field("addr", p.Addr), hdl.Field("fault", w.Fault))
	return gone
}

// inside is the address of the byte of the work in a page, whose entry may have any
// bits within the page.
func inside(page hdl.Bits, w work) hdl.Bits {
	low := inPage(w.Order)
	const n = pageBits - format.PageShiftMin
	middle := page.Trunc(n).And(low.Not()).Or(w.In.Slice(pageBits-1, format.PageShiftMin).And(low))
	return hdl.Cat(page.Slice(frameBits-1, n), middle, w.In.Trunc(format.PageShiftMin))
}

// inThisPage is the number of bytes from that of the work to the end of its page.
func inThisPage(w work) hdl.Bits {
	rest := w.In.Not().And(hdl.Cat(inPage(w.Order), hdl.Ones(format.PageShiftMin)))
	return rest.ZExt(pageBits + 1).AddK(1)
}
