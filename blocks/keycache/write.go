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

// becomes is the entry as the command makes it, and which bytes of it are written.
func (c *commander) becomes() (entry format.KeyEntry[hdl.Bits], bytes, whole hdl.Bits) {
	none := hdl.Unpack(entry, hdl.K(entryBits, 0))
	e := hdl.MuxOf(c.alone, none, c.io.Command.Data.Entry) // where there is no command, it may come meanwhile
	counts := c.on.Is(onRegion).Or(c.on.Is(onParent))
	binds := c.is(link.KeyBind).And(c.values.Empty.Not())
	unbinds := c.is(link.KeyBind).And(c.values.Empty)
	writes, registers, ends := c.is(link.KeyWrite), c.is(link.KeyRegister), c.is(link.KeyInvalidate)

	state := hdl.Mux(ends, hdl.K(4, format.KeyInvalid), hdl.K(4, format.KeyFree))
	state = hdl.Mux(binds.Or(registers), state.K(format.KeyValid), state)
	e.State = hdl.Mux(writes, e.State, state)
	e.Type = hdl.Mux(writes, e.Type, c.keyType)
	e.Windows = hdl.Mux(counts, c.entry.Count, e.Windows)
	e.Translation = hdl.Mux(binds, c.place.Translation, e.Translation)
	e.PageShift = hdl.Mux(binds, c.place.PageShift, e.PageShift)

	set := func(of uint64) hdl.Bits { return hdl.K(entryBytes, of) }
	qpn := hdl.Mux(c.keyType.Is(format.KeyWindow2), set(qpnBytes), set(0))
	bytes = hdl.Mux(unbinds, set(keyBytes|stateByte), set(stateByte))
	bytes = hdl.Mux(registers, set(registration), bytes)
	bytes = hdl.Mux(binds, set(registration|parentBytes).Or(qpn), bytes)
	bytes = hdl.Mux(writes, hdl.Ones(entryBytes), bytes)
	bytes = hdl.Mux(counts, set(countBytes), bytes)
	return e, bytes, hdl.OrAll(writes, registers, binds).And(counts.Not())
}

// write writes the bytes of an entry that change: in one beat, if the range does not.
func (c *commander) write() {
	m, burst, beat, p := c.m, c.io.Write.Burst, c.io.Write.Beat, c.p
	n, size := p.beats(), p.Sizes.DataWidth/8
	entry, bytes, whole := c.becomes()
	all := hdl.PackLow(entry)
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
	hdl.Set(beat.Data, link.WriteBeat{Data: data, Strb: strobes, Last: last})
	c.io.Write.Done.Ready.SetK(1)
}
