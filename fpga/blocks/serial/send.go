package serial

import (
	"gornic/format"
	"gornic/hdl"
)

// sendRaw gives a delimiter to the line, and goes on when it has room for it.
func (e *execution) sendRaw(then func()) {
	e.m.If(e.sends.Not(), func() {
		e.sends.SetK(1)
		e.sending.SetK(format.SerialEnd)
		then()
	})
}

// sendByte gives a byte of a frame to the line, in two steps if it has to be escaped, and goes on then.
func (e *execution) sendByte(b hdl.Bits, then func()) {
	m := e.m
	isEnd, isEscape := b.Is(format.SerialEnd), b.Is(format.SerialEscape)
	second := hdl.Mux(isEnd, b.K(format.SerialEscEnd), b.K(format.SerialEscEsc))
	m.If(e.sends.Not(), func() {
		e.sends.SetK(1)
		m.If(isEnd.Or(isEscape).And(e.escaping.Not()), func() {
			e.sending.SetK(format.SerialEscape)
			e.escaping.SetK(1)
		}).Else(func() {
			e.sending.Set(hdl.Mux(e.escaping, second, b))
			e.escaping.SetK(0)
			then()
		})
	})
}

// start begins the frame of the answer.
func (e *execution) start() {
	e.sendRaw(func() {
		e.crc.Set(hdl.Ones(32))
		e.left.SetK(uint64(answerBytes) - 1)
		e.at.SetK(0)
		e.step.Goto(headers)
	})
}

// sendHeader sends the header of the answer.
func (e *execution) sendHeader() {
	b := e.reply.Header.Byte(0)
	e.crcByte.Set(b)
	e.sendByte(b, func() {
		e.crc.Set(e.crcNext)
		e.reply.Header.Set(e.reply.Header.ShrK(8))
		e.left.Set(e.left.SubK(1))
		e.m.If(e.left.None(), func() {
			e.left.SetK(crcBytes - 1)
			e.m.If(e.reply.Bytes.Any(), func() { e.step.Goto(data) }).Else(func() { e.step.Goto(checks) })
		})
	})
}

// sendData sends the payload of the answer.
func (e *execution) sendData() {
	e.crcByte.Set(e.got)
	e.m.If(e.has, func() {
		e.sendByte(e.got, func() {
			e.used()
			e.crc.Set(e.crcNext)
			e.at.Set(e.at.AddK(1))
			e.m.If(e.at.AddK(1).Eq(e.reply.Bytes), func() { e.step.Goto(checks) })
		})
	})
}

// sendCRC sends the CRC of the answer.
func (e *execution) sendCRC() {
	e.sendByte(e.crc.Byte(0).Not(), func() {
		e.crc.Set(e.crc.ShrK(8))
		e.left.Set(e.left.SubK(1))
		e.m.If(e.left.None(), func() { e.step.Goto(finishes) })
	})
}

// finish ends the frame of the answer.
func (e *execution) finish() {
	e.sendRaw(func() {
		e.crc.Set(hdl.Ones(32))
		e.step.Goto(idle)
	})
}

// line offers the byte that waits to the line.
func (e *execution) line() {
	out := e.io.Send
	out.Valid.Set(e.sends)
	out.Data.Set(e.sending)
	e.m.If(out.Fire(), func() { e.sends.SetK(0) })
}
