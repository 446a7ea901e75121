package rxbuffer

import (
	"gornic/format"
	"gornic/hdl"
)

// storePayload takes every beat that comes. A frame that does not fit loses its
// claim to be kept.
func (b *buffer) storePayload() {
	m, io := b.m, b.io
	in := io.Payload
	in.Ready.SetK(1)
	m.Unused(in.Data.Keep, in.Data.Last, in.Data.Err) // the status and the descriptor tell

	// Whether there is room is known from registers, two cycles after read moved.
	depth := b.limit.K(uint64(b.p.Beats))
	before := m.Reg("before_limit", b.limit.Width(), uint64(b.p.Beats-1))
	b.limit.Set(b.read.Xor(depth))
	before.Set(b.read.Xor(depth).SubK(1))
	m.Assert("before_limit_is_before", before.Eq(b.limit.SubK(1)))

	over := m.Reg("over", 1, 0) // a beat of the frame found no room
	lost := m.Wire("lost", 1)
	lost.Set(over.Or(in.Valid.And(b.noRoom)))
	b.arrives = in.Valid
	stores := in.Valid.And(lost.Not())
	b.payload.Write(b.write.Trunc(b.payload.AddrWidth()), stores, in.Data.Data)
	b.keep.Set(io.Status.Data.Reason.Is(uint64(format.ReasonOK)).And(lost.Not()).And(b.placesFull.Not()))

	beyond := b.write.AddK(1)
	end := hdl.Mux(in.Valid, beyond, b.write) // of a frame that is kept: all of its beats found room
	b.ends.Write(b.free.Trunc(b.ends.AddrWidth()), b.takes.And(b.keep), end)
	atLimit, nextAtLimit := b.write.Eq(b.limit), b.write.Eq(before)
	b.noRoom.Set(atLimit)
	b.startFull.Set(b.start.Eq(b.limit))
	m.If(stores, func() {
		b.write.Set(beyond)
		b.noRoom.Set(nextAtLimit)
	})
	over.Set(lost)
	b.partly.Set(b.partly.Or(in.Valid))
	m.If(b.takes, func() {
		over.SetK(0)
		b.partly.SetK(0)
		m.If(b.keep, func() {
			b.start.Set(end)
			b.startFull.Set(hdl.Mux(in.Valid, nextAtLimit, atLimit))
			b.newest.Set(b.start)
		}).Else(func() {
			b.write.Set(b.start)
			b.noRoom.Set(b.startFull)
		})
	})
	m.If(b.goBack, func() {
		b.write.Set(b.newest)
		b.start.Set(b.newest)
	})
}

// storeHeader takes statuses, and the descriptor of each acceptable frame with
// its status. It writes the descriptor even where the frame is not kept: the next
// one will take its place.
func (b *buffer) storeHeader() {
	m, in, status := b.m, b.io.Header, b.io.Status
	status.Ready.Set(b.queueFull.Not())
	b.takes.Set(status.Fire())
	m.Unused(in.Valid) // it comes with the status
	begins := b.takes.And(status.Data.Reason.Is(uint64(format.ReasonOK)))
	place := b.free.Trunc(b.free.Width() - 1)
	stores := begins.And(b.placesFull.Not())

	words := b.headerWords()
	b.idle = hdl.K(1, 1)
	if b.words == 1 {
		in.Ready.Set(status.Ready)
		b.headers.Write(place, stores, words[0])
	} else {
		f := filling{
			place: m.RegN("filling", place.Width()), stores: m.RegN("fills", 1),
			number: m.Reg("word_number", hdl.Log2(b.words), 0), turn: m.Reg("turn", b.words, 1),
		}
		b.filling, b.idle = f, f.turn.Bit(0)
		m.If(b.idle, func() {
			f.stores.Set(stores)
			f.place.Set(place)
		})
		m.If(begins.Or(b.idle.Not()), func() {
			f.number.Set(f.number.AddK(1))
			f.turn.Set(hdl.Cat(f.turn.Slice(b.words-2, 0), f.turn.MSB()))
		})
		in.Ready.Set(f.turn.MSB())
		at := hdl.Cat(hdl.Mux(b.idle, place, f.place), f.number)
		b.headers.Write(at, hdl.Mux(b.idle, stores, f.stores), hdl.OneHot(f.turn, words...))
	}
	moveTo := func(place, before, full hdl.Bits) {
		b.free.Set(place)
		b.filled.Set(before)
		b.placesFull.Set(full)
	}
	moveTo(b.free, b.filled, full(b.fetch, b.free, b.p.Frames))
	m.If(b.takes.And(b.keep), func() { moveTo(b.free.AddK(1), b.free, full(b.fetch, b.free.AddK(1), b.p.Frames)) })
	m.If(b.goBack, func() { moveTo(b.next, b.next.SubK(1), hdl.K(1, 0)) })
}

// headerWords is the descriptor that comes in as words of the RAM.
func (b *buffer) headerWords() []hdl.Bits {
	width := b.wordWidth()
	padded := hdl.Pack(b.io.Header.Data).ZExt(width * b.words)
	words := make([]hdl.Bits, b.words)
	for i := range words {
		words[i] = padded.Slice(width*i+width-1, width*i)
	}
	return words
}

// wordWidth is the width of a word of the descriptors' RAM.
func (b *buffer) wordWidth() int {
	return (hdl.WidthOf(b.io.Header.Data) + b.words - 1) / b.words
}
