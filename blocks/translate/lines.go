package translate

import (
	"gornic/format"
	"gornic/hdl"
)

// hold is the cache of lines: it looks up the entry at work.At, and reads its line.
func (b *block) hold() {
	m, at := b.m, b.work.At
	k := b.p.lineNumber()
	number, tag := at.Slice(logLine+k-1, logLine), at.Slice(63, logLine+k)
	valid := m.Reg("valid", b.p.Lines, 0)
	tags := m.LUTRAM("tags", b.p.Lines, tag.Width())
	one := hdl.K(b.p.Lines, 1).Shl(number)
	b.line.held.Set(valid.And(one).Any().And(tags.At(number).Eq(tag)))

	burst, beat := b.io.Read.Burst, b.io.Read.Beat
	burst.Valid.Set(b.line.wanted)
	burst.Data.Addr.Set(hdl.Cat(at.Slice(63, logLine), hdl.K(logLine, 0)))
	burst.Data.Len.SetK(uint64(b.p.beats() - 1))
	b.line.taken.Set(burst.Fire())
	beat.Ready.SetK(1)
	b.line.ended.Set(beat.Valid.And(beat.Data.Last))
	bad := b.pages(number)

	tags.Write(number, b.line.ended, tag)
	old := m.RegN("old", 1)
	old.Set(b.io.Flush.Or(old.And(burst.Fire().Not())))
	m.If(burst.Fire(), func() { valid.Set(valid.And(one.Not())) })
	m.If(hdl.AndAll(b.line.ended, bad.Not(), old.Not()), func() { valid.Set(valid.Or(one)) })
	m.If(b.io.Flush, func() { valid.SetK(0) })
	m.Cover("line_is_old", b.line.ended.And(old))
}

// pages keeps the pages of the lines, in beats. It returns one bit: a beat of the line that comes
// had an error response.
func (b *block) pages(number hdl.Bits) hdl.Bits {
	m, beat, n := b.m, b.io.Read.Beat, b.p.beats()
	ram := m.RAM("pages", b.p.Lines*n, b.p.Sizes.DataWidth/64*frameBits, hdl.Undefined)
	if n == 1 {
		ram.Write(number, beat.Valid, b.frames())
		b.line.page = b.entryOf(ram.Read("page", number, b.line.reads))
		b.line.bad.Set(beat.Data.Err)
		return beat.Data.Err
	}
	count := m.Reg("beat", hdl.Log2(n), 0)
	b.beat = count
	some, own := m.RegN("some_bad", 1), m.RegN("own_bad", 1)
	asked := b.work.At.Slice(logLine-1, logLine-hdl.Log2(n)) // the beat with the entry
	mine := count.Eq(asked)
	bad := beat.Data.Err.Or(some.And(count.Any()))
	m.If(beat.Valid, func() {
		count.Set(count.AddK(1))
		some.Set(bad)
		m.If(mine, func() { own.Set(beat.Data.Err) })
	})
	ram.Write(hdl.Cat(number, count), beat.Valid, b.frames())
	b.line.page = b.entryOf(ram.Read("page", hdl.Cat(number, asked), b.line.reads))
	b.line.bad.Set(hdl.Mux(mine, beat.Data.Err, own))
	return bad
}

// frames is the entries of the beat that comes, without their low bits.
func (b *block) frames() hdl.Bits {
	var all []hdl.Bits
	beat := b.io.Read.Beat.Data.Data
	for i := beat.Width()/64 - 1; i >= 0; i-- {
		all = append(all, beat.Slice(64*i+63, 64*i+format.PageShiftMin))
		b.m.Unused(beat.Slice(64*i+format.PageShiftMin-1, 64*i))
	}
	return hdl.Cat(all...)
}

// entryOf is the entry at work.At in its beat.
func (b *block) entryOf(frames hdl.Bits) hdl.Bits {
	n := frames.Width() / frameBits
	if n == 1 {
		return frames
	}
	var words []hdl.Bits
	for i := range n {
		words = append(words, frames.Slice(frameBits*(i+1)-1, frameBits*i))
	}
	return hdl.Select(b.work.At.Slice(logEntry+hdl.Log2(len(words))-1, logEntry), words...)
}
