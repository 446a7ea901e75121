package check_test

import (
	"gornic/hdl"
)

// The mistakes in this file are about what drives a signal, and who reads it.

func badUndriven() error {
	child := hdl.Def[oneIO]{Name: "child", Body: func(m *hdl.Module, io *oneIO) { io.Y.Set(io.A) }}
	return build("undriven", func(m *hdl.Module, io *struct {
		Y hdl.Bits `hdl:"out" w:"4"`
		Z hdl.Bits `hdl:"out" w:"1"`
	}) {
		u := hdl.Instance(m, "u", child)
		w := m.Wire("w", 1)
		ram := m.LUTRAM("ram", 8, 4)
		r := m.Reg("r", 3, 5)
		n := m.RegN("n", 4)
		io.Y.Set(ram.At(r).And(n).And(hdl.Cat(w, w, w, u.Y)))
	})
}

type pairIO struct {
	A hdl.Bits `hdl:"in" w:"1"`
	B hdl.Bits `hdl:"in" w:"2"`
	Y hdl.Bits `hdl:"out" w:"2"`
	Z hdl.Bits `hdl:"out" w:"2"`
}

func badDrivers() error {
	return build("drivers", func(m *hdl.Module, io *pairIO) {
		io.Y.Set(io.B)
		io.Y.Set(io.B.Not())
		m.If(io.A, func() {
			m.If(io.B.Any(), func() { io.Z.Set(io.B) })
			io.Z.SetK(0)
		}).Else(func() { io.Z.SetK(1) })

		// A default that every arm overrides is good style.
		fine := m.Wire("fine", 1)
		fine.SetK(0)
		m.If(io.A, func() { fine.SetK(1) }).Else(func() { fine.Set(io.B.Any()) })
		m.Unused(fine)
	})
}

func badLatches() error {
	return build("latches", func(m *hdl.Module, io *pairIO) {
		m.If(io.A, func() { io.Y.Set(io.B) })
		m.Switch(io.B,
			hdl.Case(0, func() { io.Z.SetK(3) }),
			hdl.Case(1, func() { m.If(io.A, func() { io.Z.SetK(2) }) }),
			hdl.Default(func() { io.Z.SetK(1) }),
		)
		some := m.Wire("some", 1)
		m.Switch(io.B, hdl.Case(0, func() { some.SetK(1) }), hdl.Cases([]uint64{1, 3}, func() { some.SetK(0) }))
		arm := m.Wire("arm", 1)
		m.If(io.A, func() { arm.SetK(1) }).ElseIf(io.B.Any(), func() {}).Else(func() { arm.SetK(0) })
		none := m.Wire("none", 1)
		m.Switch(io.B, hdl.Case(1, func() { none.SetK(0) }), hdl.Cases(nil, func() { none.SetK(1) }))
		two := m.Wire("two", 1)
		m.If(io.A, func() {}).ElseIf(io.B.All(), func() { two.SetK(1) })

		// Every path assigns these.
		full, late := m.Wire("full", 1), m.Wire("late", 1)
		m.Switch(io.B, hdl.Cases([]uint64{0, 1, 2}, func() { full.SetK(1) }), hdl.Case(3, func() { full.SetK(0) }))
		m.If(io.A, func() { late.SetK(0) }).Else(func() {
			late.SetK(1)
			m.If(io.B.All(), func() { late.SetK(0) })
		})
		m.Unused(some, arm, none, two, full, late)
	})
}

func badUnread() error {
	child := hdl.Def[pairIO]{Name: "child", Body: func(m *hdl.Module, io *pairIO) {
		io.Y.Set(hdl.Cat(io.A, io.A))
		io.Z.Set(io.B)
	}}
	return build("unread", func(m *hdl.Module, io *struct {
		A    hdl.Bits `hdl:"in" w:"16"`
		B    hdl.Bits `hdl:"in" w:"16"`
		C    hdl.Bits `hdl:"in" w:"16"`
		None hdl.Bits `hdl:"in" w:"1"`
		Y    hdl.Bits `hdl:"out" w:"4"`
	}) {
		u := hdl.Instance(m, "u", child)
		u.A.Set(io.A.Bit(15))
		u.B.Set(io.A.Slice(1, 0))
		io.Y.Set(hdl.Cat(u.Y, u.Y.Bit(1), u.Y.Bit(1)).Xor(io.A.Slice(7, 4)))

		// Only some bits of what is computed are used.
		sum := io.B.Add(hdl.Mux(io.A.Bit(9), io.C, io.C.ShlK(4)))
		low := m.Wire("low", 6)
		low.Set(sum.Trunc(6))
		lone := m.Reg("lone", 4, 0)
		m.If(lone.IsNot(9), func() { lone.Set(lone.AddK(1)) })
		proved := m.Reg("proved", 1, 0)
		proved.Set(low.Bit(5))
		m.Assert("proved", proved.Or(m.Past("last", proved)))
		m.Unused(m.Past("past", low.Trunc(2)))
		ram := m.RAM("ram", 4, 2, hdl.ReadOld)
		ram.Write(low.Slice(3, 2), low.Bit(4), low.Slice(1, 0))
		m.Unused(io.B.Bit(15))
	})
}

func badMany() error {
	return build("many", func(m *hdl.Module, io *oneIO) {
		for i := range 25 {
			m.Wire("w_"+string(rune('a'+i)), 1).Set(io.A)
		}
		io.Y.Set(io.A)
	})
}

func badGhosts() error {
	return build("ghosts", func(m *hdl.Module, io *pairIO) {
		before := m.Past("last", io.B)
		var old hdl.Bits
		m.Ghost(func() {
			shadow := m.LUTRAM("shadow", 2, 2)
			shadow.Write(io.A, io.A, io.B)
			old = shadow.At(io.A)
		})
		io.Y.Set(before)
		io.Z.Set(old)
		r := m.Reg("r", 2, 0)
		m.If(before.Any(), func() { r.Set(io.B) })
		m.Unused(r)
		ram := m.LUTRAM("ram", 4, 1)
		ram.Write(before, io.A, io.A)
		m.Unused(ram.At(r))
		r.Set(m.Past("r_before", r))
		m.Ghost(func() { r.SetK(0) })
	})
}

func badResets() error {
	return build("resets", func(m *hdl.Module, io *struct {
		In  hdl.Stream[octet] `hdl:"in"`
		Out hdl.Stream[octet] `hdl:"out"`
	}) {
		valid, data := m.RegN("valid_1", 1), m.RegN("data_1", 8)
		ready := io.Out.Ready.Or(valid.Not())
		io.In.Ready.Set(ready)
		m.If(ready, func() {
			valid.Set(io.In.Valid)
			data.Set(io.In.Data.Octet)
		})
		passed := m.Wire("passed", 1)
		passed.Set(valid)
		io.Out.Valid.Set(passed)
		io.Out.Data.Octet.Set(data)

		count := m.RegN("count", 8)
		m.If(io.Out.Fire(), func() { count.Set(count.AddK(1)) })
		m.If(data.Is(3), func() { count.Set(count.Xor(data)) })
		ram := m.LUTRAM("ram", 256, 8)
		ram.Write(count, valid, data)
		m.Unused(ram.At(count))

		// These become known.
		loaded, shifted := m.RegN("loaded", 8), m.RegN("shifted", 4)
		loaded.Set(hdl.Mux(io.Out.Fire(), loaded.AddK(1), data))
		shifted.Set(hdl.Cat(shifted.Slice(2, 0), io.In.Valid))
		m.Unused(loaded, shifted)
	})
}

// badBundles leaves whole bundles alone: a message each.
func badBundles() error {
	type point struct {
		X hdl.Bits `w:"3"`
		Y hdl.Bits `w:"5"`
	}
	type flow struct {
		In  hdl.Stream[point] `hdl:"in"`
		Out hdl.Stream[point] `hdl:"out"`
	}
	child := hdl.Def[flow]{Name: "child", Body: func(m *hdl.Module, io *flow) { hdl.Connect(io.Out, io.In) }}
	return build("bundles", func(m *hdl.Module, io *flow) {
		hdl.Instance(m, "u_alone", child)
		fed := hdl.Instance(m, "u_fed", child)
		hdl.Connect(fed.In, io.In)
		half := hdl.Instance(m, "u_half", child)
		half.In.Valid.Set(io.In.Valid)
		hdl.Connect(io.Out, half.Out)
	})
}
