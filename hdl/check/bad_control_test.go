package check_test

import (
	"gornic/hdl"
)

// The mistakes in this file are about If, Switch, FSMs, memories and names.

type octet struct {
	Octet hdl.Bits `w:"8"`
}

type controlIO struct {
	A hdl.Bits `hdl:"in" w:"1"`
	X hdl.Bits `hdl:"in" w:"4"`
	Y hdl.Bits `hdl:"out" w:"4"`
}

func badArms() error {
	return build("arms", func(m *hdl.Module, io *controlIO) {
		io.Y.SetK(0)
		m.If(io.X.Is(1), func() { io.Y.SetK(1) }).
			ElseIf(io.A, func() { io.Y.SetK(2) }).
			ElseIf(io.X.Is(1), func() { io.Y.SetK(3) })
		m.Switch(io.X,
			hdl.Case(1, func() { io.Y.SetK(4) }),
			hdl.Cases([]uint64{2, 1}, func() { io.Y.SetK(5) }),
		)
		m.Switch(hdl.Cat(hdl.K(1, 0), io.X.Slice(2, 0)),
			hdl.Case(7, func() { io.Y.SetK(6) }),
			hdl.Case(8, func() { io.Y.SetK(7) }),
		)
		st := hdl.NewFSM(m, "st", idle, busy, done)
		st.Switch(
			hdl.On(idle, func() { st.Goto(busy) }),
			hdl.On(busy, func() { st.Goto(done) }),
			hdl.On(done, func() { st.Goto(idle) }),
			hdl.On(lost, func() { st.Goto(idle) }),
		)
		m.Unused(st.Reg)
	})
}

func badConditions() error {
	return build("conditions", func(m *hdl.Module, io *controlIO) {
		io.Y.SetK(0)
		m.If(hdl.K(1, 1), func() { io.Y.SetK(1) })
		m.If(io.X.LtK(0), func() { io.Y.SetK(2) })
		m.If(io.X.LeK(15), func() { io.Y.SetK(3) })
		m.If(io.X.ZExt(8).GtK(15), func() { io.Y.SetK(4) })
		m.If(io.X.Eq(io.X), func() { io.Y.SetK(5) })
		m.If(io.X.ZExt(5).Is(16), func() { io.Y.SetK(6) })
		m.If(io.X.And(io.X.K(0)).Any(), func() { io.Y.SetK(7) })
		m.If(io.X.Or(io.X.K(15)).All(), func() { io.Y.SetK(8) })
		m.If(io.A.And(io.A).Xor(hdl.Cat(io.A.Not().And(hdl.K(1, 0)))), func() { io.Y.SetK(9) }) // depends on A
		m.Switch(hdl.Mux(hdl.K(1, 0), io.X, io.X.K(3)), hdl.Case(3, func() { io.Y.SetK(10) }))
	})
}

type state int

const (
	idle state = iota
	busy
	done
	lost
	held
)

func (s state) String() string { return [...]string{"Idle", "Busy", "Done", "Lost", "Held"}[s] }

func badStates() error {
	return build("states", func(m *hdl.Module, io *controlIO) {
		st := hdl.NewFSM(m, "st", idle, busy, done, lost, held)
		next := m.Wire("next", 3)
		next.Set(st.Reg)
		st.Switch(
			hdl.On(idle, func() { m.If(io.A, func() { next.SetK(uint64(busy)) }) }),
			hdl.On(busy, func() { next.Set(hdl.Mux(io.A, st.Reg.K(uint64(held)), st.Reg)) }),
			hdl.On(lost, func() { next.SetK(uint64(done)) }),
		)
		st.Reg.Set(next)
		m.If(st.Is(busy).And(io.X.Any()), func() { st.Reg.SetK(7) })
		io.Y.Set(st.Reg.ZExt(4))

		// All states of this one are entered and left.
		good := hdl.NewFSM(m, "good", idle, busy, done)
		m.If(good.Is(idle), func() { good.Goto(busy) }).
			ElseIf(good.Is(busy), func() { good.Reg.Set(hdl.Mux(io.A, good.Reg.K(uint64(done)), good.Reg)) }).
			Else(func() { good.Goto(idle) })
		m.Unused(good.Reg)
	})
}

func badMemories() error {
	return build("memories", func(m *hdl.Module, io *controlIO) {
		ram := m.LUTRAM("ram", 12, 4)
		ram.Write(io.X, io.A, io.X)
		io.Y.Set(ram.At(io.X.K(12)))
		block := m.RAM("block", 16, 4, hdl.ReadOld)
		block.Write(io.X.Trunc(3), io.A, io.X.ZExt(5))
		m.Unused(block.Read("data", io.X, io.A))
		lanes := m.LaneRAM("lanes", 16, 12, 8, hdl.ReadOld)
		lanes.WriteLanes(io.X, io.A, io.A, io.X.ZExt(12))
		m.Unused(lanes.Read("lane", io.X, io.A))
		twoClocks := m.RAM("two_clocks", 16, 4, hdl.ReadOld)
		twoClocks.Write(io.X, io.A, io.X)
		m.In(m.Domain("other"), func() { m.Unused(twoClocks.Read("across", io.X, io.A)) })
	})
}

func badNames() error {
	lower := hdl.Def[oneIO]{Name: "part", Body: func(m *hdl.Module, io *oneIO) { io.Y.Set(io.A) }}
	upper := hdl.Def[oneIO]{Name: "Part", Body: func(m *hdl.Module, io *oneIO) { io.Y.Set(io.A.Not()) }}
	return build("names", func(m *hdl.Module, io *struct {
		Input hdl.Bits `hdl:"in" w:"1"`
		Y     hdl.Bits `hdl:"out" w:"1"`
	}) {
		a, b := hdl.Instance(m, "u_a", lower), hdl.Instance(m, "config", upper)
		a.A.Set(io.Input)
		b.A.Set(a.Y)
		next := m.Reg("next", 1, 0)
		next.Set(b.Y)
		odd := m.Wire("odd-one", 1)
		odd.Set(next)
		table := m.LUTRAM("table", 2, 1)
		table.Write(odd, odd, odd)
		io.Y.Set(table.At(odd))
		m.Assert("property", odd)
	})
}

func badTwins() error {
	counter := func(width int) hdl.Def[oneIO] {
		return hdl.Def[oneIO]{Name: "counter", Body: func(m *hdl.Module, io *oneIO) {
			r := m.Reg("r", width, 0)
			m.If(io.A, func() { r.Set(r.AddK(1)) })
			io.Y.Set(r.MSB())
		}}
	}
	return build("twins", func(m *hdl.Module, io *oneIO) {
		a := hdl.Instance(m, "u_a", counter(4))
		b := hdl.Instance(m, "u_b", counter(4))
		c := hdl.Instance(m, "u_c", counter(5))
		a.A.Set(io.A)
		b.A.Set(a.Y)
		c.A.Set(b.Y)
		io.Y.Set(c.Y)
	})
}
