package serial

import (
	"gornic/format"
	"gornic/hdl"
)

// receive takes the bytes of a frame: its header into a register, the rest into the RAM. Of a frame
// of which a byte comes while there is another request, nothing is kept.
func (b *bridge) receive() {
	m, in := b.m, b.io.Received
	escaped, damaged := m.Reg("escaped", 1, 0), m.Reg("damaged", 1, 0)
	free := b.step.Is(idle)
	good := in.Valid.And(in.Bad.Not())
	isEnd, isEscape := in.Data.Is(format.SerialEnd), in.Data.Is(format.SerialEscape)
	meansEnd, meansEscape := in.Data.Is(format.SerialEscEnd), in.Data.Is(format.SerialEscEsc)
	escape := hdl.Mux(meansEnd, in.Data.K(format.SerialEnd), in.Data.K(format.SerialEscape))
	plain := hdl.Mux(escaped, escape, in.Data)
	wrong := escaped.And(hdl.OrAll(meansEnd, meansEscape).Not())
	takes := hdl.AndAll(good, isEnd.Not(), hdl.OrAll(escaped, isEscape.Not()))
	full := b.length.Is(uint64(format.SerialMostBytes))

	frameEnds := good.And(isEnd)
	whole := hdl.AndAll(b.length.GeK(uint64(requestBytes+crcBytes)), b.crc.Is(residue), hdl.OrAll(damaged, escaped).Not())
	something := hdl.OrAll(b.length.Any(), damaged, escaped)
	b.ends.Set(hdl.AndAll(frameEnds, free, whole))
	b.framing.Set(in.Valid.And(in.Bad))
	b.bad.Set(hdl.AndAll(frameEnds, something, b.ends.Not()))

	b.put.SetK(0)
	b.crcByte.Set(plain)
	m.If(good, func() { escaped.Set(isEscape.And(escaped.Not())) })
	m.If(takes, func() {
		m.If(full.Not(), func() { b.length.Set(b.length.AddK(1)) })
		m.If(free.And(full.Not()), func() {
			b.crc.Set(b.crcNext)
			b.putByte.Set(plain)
			b.putAt.Set(inRequest(b.length.SubK(uint64(requestBytes))))
			m.If(b.length.LtK(uint64(requestBytes)), func() {
				b.header.Set(hdl.Cat(plain, b.header.Slice(8*requestBytes-1, 8)))
			}).Else(func() { b.put.SetK(1) })
		})
	})
	m.If(hdl.OrAll(in.Valid.And(in.Bad), in.Valid.And(free.Not()), takes.And(full.Or(wrong))), func() { damaged.SetK(1) })
	m.If(frameEnds, func() {
		damaged.SetK(0)
		escaped.SetK(0)
		b.length.SetK(0)
		m.If(free, func() {
			b.crc.Set(hdl.Ones(32))
			b.size.Set(b.length)
		})
	})
}
