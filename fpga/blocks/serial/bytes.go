package serial

import "gornic/hdl"

// readBytes asks the RAM for the next byte in each step that wants one, until it is used.
func (e *execution) readBytes() {
	sends := e.step.Is(data)
	value := e.at.Add(e.lastByte().ZExt(areaBits)).AddK(1) // behind the mask
	of := hdl.Mux(e.step.Is(merges).And(e.masked), value, e.at)
	e.getAt.Set(hdl.Mux(sends, inAnswer(e.at), inRequest(of)))
	e.get.Set(hdl.OrAll(sends, e.step.Is(fetches), e.step.Is(merges)).And(e.asked.Not()))
	e.m.If(e.get, func() { e.asked.SetK(1) })
}

// used lets the next byte be asked for.
func (e *execution) used() {
	e.has.SetK(0)
	e.asked.SetK(0)
}

// fetch puts the bytes of a word that is to be written together.
func (e *execution) fetch() {
	m := e.m
	m.If(e.has, func() {
		e.used()
		e.take(e.got)
		e.at.Set(e.at.AddK(1))
		m.If(e.left.None(), func() { e.step.Goto(asks) })
	})
}

// take makes a byte the next of the word that is to be written.
func (e *execution) take(b hdl.Bits) {
	e.operand.Set(hdl.Cat(b, e.operand.Slice(63, 8)))
	e.left.Set(e.left.SubK(1))
}

// store puts the bytes of a word that was read into the answer.
func (e *execution) store() {
	e.storeByte()
	e.left.Set(e.left.SubK(1))
	e.m.If(e.left.None(), func() { e.step.Goto(wordEnds) })
}

func (e *execution) storeByte() {
	e.put.SetK(1)
	e.putAt.Set(inAnswer(e.stored))
	e.putByte.Set(e.word.Byte(0))
	e.word.Set(e.word.ShrK(8))
	e.stored.Set(e.stored.AddK(1))
}

// merge puts the bytes of a word that was read into the answer, and together with mask and value those of the word
// that is to be written.
func (e *execution) merge() {
	m := e.m
	m.If(e.has, func() {
		e.used()
		m.If(e.masked.Not(), func() {
			e.mask.Set(e.got)
			e.masked.SetK(1)
		}).Else(func() {
			e.masked.SetK(0)
			e.take(e.got.And(e.mask).Or(e.word.Byte(0).And(e.mask.Not())))
			e.storeByte()
			e.at.Set(e.at.AddK(1))
			m.If(e.left.None(), func() {
				e.writes.SetK(1)
				e.step.Goto(asks)
			})
		})
	})
}
