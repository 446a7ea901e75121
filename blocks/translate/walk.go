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
	gives := b.st.Is(stGive).And(held)
	drops := hdl.AndAll(b.st.Is(stLook), b.has, b.swallow)
	piece := b.piece(plain.Or(gives), link.Piece{
		Addr: hdl.Mux(gives, inside(b.line.page, w), w.At), Len: hdl.Mux(gives, take, w.Len),
		Skip: w.Skip.Or(w.Fault.Any()), Last: hdl.Mux(gives, w.Last.And(ends), w.Last.Or(w.Fault.Any())),
	})
	b.leaves.Set(drops.Or(piece.And(plain.Or(ends))))
	m.If(drops.And(w.Last), func() { b.swallow.SetK(0) })
	m.If(hdl.AndAll(piece, plain, w.Fault.Any(), w.Last.Not()), func() { b.swallow.SetK(1) })

	b.st.Switch(
		hdl.On(stLook, func() {
			held.Set(b.line.held)
			left := inThisPage(w)
			fits := left.Ge(w.Len.ZExt(left.Width()))
			take.Set(hdl.Mux(fits, w.Len, left.Trunc(link.LengthBits)))
			ends.Set(fits)
			m.If(hdl.AndAll(b.has, b.swallow.Not(), w.Paged), func() { b.st.Goto(stGive) })
		}),
		hdl.On(stGive, func() {
			m.If(held.Not(), func() { b.st.Goto(stAsk) })
			m.If(piece, func() {
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

// piece offers a piece, and with the last of a packet what became of it. It returns one
// bit: the piece has been taken.
func (b *block) piece(valid hdl.Bits, p link.Piece) hdl.Bits {
	m, out := b.m, b.io.Piece
	fate := hdl.NewWire(m, "fate", hdl.StreamOf(link.Translated{}))
	out.Valid.Set(valid.And(fate.Ready))
	hdl.Set(out.Data, p)
	fate.Valid.Set(out.Fire().And(p.Last))
	fate.Data.Fault.Set(b.work.Fault)
	hdl.Connect(b.io.Translated, stream.FIFO(m, "u_fates", fate, told))
	m.Event("piece", out.Fire(), hdl.Field("addr", p.Addr), hdl.Field("bytes", p.Len), hdl.Field("skip", p.Skip))
	return out.Fire()
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
