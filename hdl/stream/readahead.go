package stream

import "gornic/hdl"

// ahead is the way out of a synchronous RAM: its read register and a plain one
// behind it, filled as early as there is something to read.
type ahead struct {
	fetch   hdl.Bits // a word is read in this cycle
	fetched hdl.Bits // the RAM's register is in use
	valid   hdl.Bits // the plain register is in use
	word    hdl.Bits // the RAM's register
	data    hdl.Bits // the plain register, packed
}

// readAhead reads word addr whenever some is one and there is room, and sends
// the words out in order, one every cycle.
func readAhead[T any](m *hdl.Module, ram *hdl.Memory, addr, some hdl.Bits, out hdl.Stream[T]) ahead {
	return readAheadOf(m, hdl.Bits{}, func(addr, en hdl.Bits) hdl.Bits { return ram.Read("word", addr, en) }, addr, some, out)
}

// readAheadOf is readAhead of anything that has the word at an address a cycle after it was enabled, and keeps it. It goes on in
// the edges of tick (see crossing).
func readAheadOf[T any](m *hdl.Module, tick hdl.Bits, read func(addr, en hdl.Bits) hdl.Bits, addr, some hdl.Bits, out hdl.Stream[T]) ahead {
	a := ahead{fetched: m.Reg("fetched", 1, 0), valid: m.Reg("valid", 1, 0)}
	data := hdl.NewReg(m, "data", hdl.Proto(out.Data))
	a.data = hdl.Pack(data)

	load := during(tick, out.Ready.Or(a.valid.Not()))
	a.fetch = during(tick, some.And(load.Or(a.fetched.Not())))
	a.word = read(addr, a.fetch)
	m.If(load, func() {
		a.valid.Set(a.fetched)
		a.fetched.SetK(0)
		hdl.Set(data, hdl.Unpack(data, a.word))
	})
	m.If(a.fetch, func() { a.fetched.SetK(1) })

	out.Valid.Set(a.valid)
	hdl.Set(out.Data, data)
	a.progress(m, some, tick)
	return a
}

// progress states that what is stored comes out within two cycles.
func (a ahead) progress(m *hdl.Module, some, tick hdl.Bits) {
	var waits hdl.Bits
	m.Ghost(func() {
		waits = m.Reg("ahead_waits", 2, 0)
		m.If(a.valid.Or(some.Or(a.fetched).Not()), func() {
			waits.SetK(0)
		}).Else(func() {
			at(m, tick, func() { waits.Set(waits.AddK(1)) })
		})
	})
	m.Assert("ahead_waits_two", waits.LeK(2))
	m.Assert("ahead_comes_near", waits.None().Or(a.fetched).Or(a.valid))
	m.Assert("ahead_comes", waits.IsNot(2).Or(a.valid))
}

// count is how many payloads the two registers hold, in w bits, w at least 2.
func (a ahead) count(w int) hdl.Bits { return a.fetched.ZExt(w).Add(a.valid.ZExt(w)) }

// follow states where in the two registers the followed payload is.
func (a ahead) follow(m *hdl.Module, f Followed) {
	f.At(m, "in_data", a.valid.And(f.Ahead.None()), a.data)
	f.At(m, "in_word", a.fetched.And(f.Ahead.Eq(a.valid.ZExt(f.Ahead.Width()))), a.word)
}
