package hostqueue

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
)

// entry is what is kept of a format.FrameDescriptor.
type entry struct {
	Addr   hdl.Bits `w:"58"` // without its low logChunk bits
	Length hdl.Bits `w:"16"`
}

// Each entry has two words of 64 bits.
const (
	wordAddr = iota
	wordDone // length, status and phase
	words
)

// at is the bus address of the entry at the head.
func (q *queue) at() hdl.Bits {
	inRing := hdl.Ones(16).Shl(q.log).Not().And(q.head)
	return hdl.Cat(q.base, hdl.K(logChunk, 0)).Or(hdl.Cat(inRing, hdl.K(logEntry, 0)).ZExt(64))
}

// whole is the bus address of the beat that has a byte.
func (p Params) whole(addr hdl.Bits) hdl.Bits {
	return hdl.Cat(addr.Slice(63, p.beatBits()), hdl.K(p.beatBits(), 0))
}

// fetch reads the entry at the head, when there is one that is not here, in cycles in which may is one. It offers
// the question on ask; the answer is on beats while q.fetches is one.
func (q *queue) fetch(may hdl.Bits, ask hdl.Stream[link.ReadBurst], beats hdl.Stream[link.ReadBeat]) {
	m, p := q.m, q.p
	asks, bad := m.Reg(q.name+"_asks", 1, 0), m.Reg(q.name+"_entry_bad", 1, 0)
	ask.Valid.Set(asks)
	hdl.Set(ask.Data, link.ReadBurst{Addr: p.whole(q.at()), Len: hdl.K(8, uint64(words*8/min(p.bytes(), words*8)-1))})
	m.If(ask.Ready, func() { asks.SetK(0) })
	m.If(hdl.AndAll(may, q.goes(), q.posted(), q.held.Not(), q.fetches.Not()), func() {
		q.fetches.SetK(1)
		asks.SetK(1)
	})

	comes, b := beats.Valid.And(q.fetches), beats.Data
	ends, wrong := comes.And(b.Last), bad.Or(b.Err)
	first, second := hdl.K(1, 1), hdl.K(1, 1) // the beat has this word
	if p.bytes() == 8 {
		first, second = b.Last.Not(), b.Last
	} else {
		m.Unused(b.Data) // the low bits of an address, and what the device writes
	}
	m.If(comes.And(first), func() { q.entry.Addr.Set(q.word(b.Data, wordAddr).Slice(63, logChunk)) })
	m.If(comes.And(second), func() { q.entry.Length.Set(q.word(b.Data, wordDone).Trunc(lengthBits)) })
	m.If(comes, func() { bad.Set(wrong.And(b.Last.Not())) })
	m.If(ends, func() {
		q.fetches.SetK(0)
		q.held.Set(wrong.Not())
	})
	q.unread = ends.And(wrong)
}

// word is a word of the entry at the head, of a beat that has it.
func (q *queue) word(data hdl.Bits, n int) hdl.Bits {
	if q.p.bytes() == 8 {
		return data
	}
	var all []hdl.Bits
	for at := 64 * n; at < data.Width(); at += 64 * words {
		all = append(all, data.Slice(at+63, at))
	}
	if len(all) == 1 {
		return all[0]
	}
	return hdl.Select(q.at().Slice(q.p.beatBits()-1, logEntry), all...)
}

// done is the burst, of one beat, that says what became of the entry at the head.
func (q *queue) done(status, length hdl.Bits) (link.WriteBurst, link.WriteBeat) {
	p := q.p
	lap := hdl.Select(q.log, bitsOf(q.head)...)
	word := hdl.Cat(lap.Not(), hdl.K(64-lengthBits-statusBits-1, 0), status, length)
	at := q.at().Or(hdl.K(64, 8*wordDone))
	lanes := p.bytes() / 8
	strobe := hdl.Ones(8)
	if lanes > 1 {
		var parts []hdl.Bits
		place := at.Slice(p.beatBits()-1, hdl.Log2(8))
		for i := range lanes {
			parts = append([]hdl.Bits{place.Is(uint64(i)).Rep(8)}, parts...)
		}
		strobe = hdl.Cat(parts...)
	}
	return link.WriteBurst{Addr: p.whole(at), Len: hdl.K(8, 0)},
		link.WriteBeat{Data: word.Rep(lanes), Strb: strobe, Last: hdl.K(1, 1)}
}

// bitsOf is the bits of a number, from the lowest up.
func bitsOf(x hdl.Bits) []hdl.Bits {
	var all []hdl.Bits
	for i := range x.Width() {
		all = append(all, x.Bit(i))
	}
	return all
}

// status is the value of a format.FrameStatus.
func status(s format.FrameStatus) hdl.Bits { return hdl.K(statusBits, uint64(s)) }
