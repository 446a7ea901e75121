package keycache

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
)

// Bytes of an entry, as sets: bit i is byte i.
const (
	keyBytes     = 0xF
	stateByte    = 1 << 7              // the state in its low half, and the type above
	rangeBytes   = (1<<34 - 1) &^ 0xFF // VA, Length, Translation, Rights and PageShift
	qpnBytes     = 0x7 << 34           //
	countByte    = 37                  // the first one of
	countBytes   = 0x7 << countByte    // Windows
	parentBytes  = 0xF << 40           //
	registration = keyBytes | stateByte | rangeBytes
)

// becomes is the entry as the command makes it.
func (c *commander) becomes() format.KeyEntry[hdl.Bits] {
	e, writes, binds := c.io.Command.Data.Entry, c.is(link.KeyWrite), c.is(link.KeyBind)
	e.State = hdl.Mux(writes, e.State, e.State.K(format.KeyValid))
	e.Type = hdl.Mux(writes, e.Type, c.keyType)
	e.Translation = hdl.Mux(binds, c.place.Translation, e.Translation)
	e.PageShift = hdl.Mux(binds, c.place.PageShift, e.PageShift)
	return e
}

// ends is the first 8 bytes of an entry that is not valid any more. Where there is no command, one
// may come meanwhile: it has no part in them.
func (c *commander) ends() hdl.Bits {
	state := hdl.Mux(c.is(link.KeyInvalidate), hdl.K(4, format.KeyInvalid), hdl.K(4, format.KeyFree))
	key := c.io.Command.Data.Entry.Key
	return hdl.Cat(c.keyType, state, hdl.K(24, 0), key.And(c.alone.Not().Rep(32)))
}

// bytes is which bytes of the entry are written, and whether it is written whole, but for
// others.
func (c *commander) bytes() (set, whole hdl.Bits) {
	counts := c.on.Is(onRegion).Or(c.on.Is(onParent))
	binds, unbinds := c.is(link.KeyBind).And(c.values.Empty.Not()), c.is(link.KeyBind).And(c.values.Empty)
	writes, registers := c.is(link.KeyWrite), c.is(link.KeyRegister)
	these := func(of uint64) hdl.Bits { return hdl.K(entryBytes, of) }
	qpn := hdl.Mux(c.keyType.Is(format.KeyWindow2), these(qpnBytes), these(0))
	set = hdl.Mux(unbinds, these(keyBytes|stateByte), these(stateByte))
	set = hdl.Mux(registers, these(registration), set)
	set = hdl.Mux(binds, these(registration|parentBytes).Or(qpn), set)
	set = hdl.Mux(writes, hdl.Ones(entryBytes), set)
	set = hdl.Mux(counts, these(countBytes), set)
	return set, hdl.OrAll(writes, registers, binds).And(counts.Not())
}

// some is the beat of an entry that is not written whole: its end, or its count.
func (c *commander) some(counts hdl.Bits) hdl.Bits {
	const before = countByte % 8
	size := c.p.Sizes.DataWidth
	count := hdl.Cat(c.entry.Count, hdl.K(8*before, 0))
	if size == entryBits {
		return hdl.Cat(count, hdl.K(8*(countByte-before)-64, 0), c.ends()).ZExt(size)
	}
	return hdl.Mux(counts, count, c.ends()).ZExt(size)
}

// write writes the bytes of an entry that change: in one beat, if the range does not.
func (c *commander) write() {
	m, burst, beat, p := c.m, c.io.Write.Burst, c.io.Write.Beat, c.p
	n, size := p.beats(), p.Sizes.DataWidth/8
	bytes, whole := c.bytes()
	all := hdl.PackLow(c.becomes())
	counts := bytes.Bit(countByte).And(whole.Not())
	first := countByte / size // the beat with the count

	burst.Valid.Set(c.st.Is(stBurst))
	at := c.addressOf(c.target)
	burst.Data.Addr.Set(hdl.Mux(counts, at.Or(at.K(uint64(first*size))), at))
	burst.Data.Len.Set(hdl.Mux(whole, hdl.K(8, uint64(n-1)), hdl.K(8, 0)))

	data, strobes, last := all.Trunc(8*size), bytes.Trunc(size), hdl.K(1, 1)
	if n > 1 {
		number := m.RegN("beat", bitsFor(n-1))
		m.If(burst.Valid, func() { number.Set(hdl.Mux(counts, number.K(uint64(first)), number.K(0))) }).
			ElseIf(beat.Fire(), func() { number.Set(number.AddK(1)) })
		var words, sets []hdl.Bits
		for i := range n {
			words = append(words, all.Slice(8*size*(i+1)-1, 8*size*i))
			sets = append(sets, bytes.Slice(size*(i+1)-1, size*i))
		}
		data, strobes, last = hdl.Select(number, words...), hdl.Select(number, sets...), number.All().Or(whole.Not())
	}
	beat.Valid.Set(c.st.Is(stBeats))
	hdl.Set(beat.Data, link.WriteBeat{Data: hdl.Mux(whole, data, c.some(counts)), Strb: strobes, Last: last})
	c.io.Write.Done.Ready.SetK(1)
}
