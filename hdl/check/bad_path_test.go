package check_test

import (
	"gornic/hdl"
)

// The mistakes in this file are paths: loops, handshakes, crossings of clock
// domains.

func badLoops() error {
	pass := hdl.Def[pairIO]{Name: "pass", Body: func(m *hdl.Module, io *pairIO) {
		io.Y.Set(io.B.Not())
		r := m.Reg("r", 1, 0)
		r.Set(io.A)
		io.Z.Set(hdl.Cat(r, r))
	}}
	ring := hdl.Def[pairIO]{Name: "ring", Body: func(m *hdl.Module, io *pairIO) {
		p, q := m.Wire("p", 2), m.Wire("q", 2)
		p.Set(q.Xor(io.B))
		q.Set(p)
		io.Y.Set(p)
		io.Z.Set(hdl.Cat(io.A, io.A))
	}}
	return build("loops", func(m *hdl.Module, io *pairIO) {
		// Through an instance and a condition.
		u := hdl.Instance(m, "u", pass)
		x := m.Wire("x", 1)
		x.SetK(0)
		m.If(u.Y.Bit(1), func() { x.Set(io.A) })
		u.B.Set(hdl.Cat(x, io.A))
		u.A.Set(u.Z.Any()) // through a register: no loop
		io.Y.Set(u.Y)

		// Inside a module, twice.
		v, w := hdl.Instance(m, "v", ring), hdl.Instance(m, "w", ring)
		v.A.Set(w.Y.Any())
		v.B.Set(w.Z)
		w.A.Set(io.A)
		w.B.Set(io.B)
		io.Z.Set(v.Y.Xor(v.Z))

		// One wire, and a carry that never gets out of its sum.
		self := m.Wire("self", 8)
		self.Set(self.AddK(1))
		carry := m.Wire("carry", 8)
		carry.Set(hdl.Cat(carry.Slice(6, 0), io.A).Add(self))
		sum := m.Wire("sum", 8)
		sum.Set(hdl.Cat(sum.Slice(7, 1), io.A).Add(self))
		m.Unused(carry, sum)
		goodVectors(m, io)
	})
}

// goodVectors has vectors that depend on themselves, but no bit that does.
func goodVectors(m *hdl.Module, io *pairIO) {
	c := m.Wire("c", 9)
	var bits []hdl.Bits
	for i := range 8 {
		bits = append([]hdl.Bits{c.Bit(i).And(io.B.Bit(i % 2))}, bits...)
	}
	c.Set(hdl.Cat(append(bits, io.A)...))
	shift := m.Wire("shift", 8)
	shift.Set(shift.ShlK(1).Or(io.A.ZExt(8)))
	down := m.Wire("down", 8)
	down.Set(down.ShrK(1).Or(hdl.Cat(io.A, hdl.K(7, 0))))
	masked := m.Wire("masked", 8)
	masked.Set(hdl.Cat(masked.Trunc(4), io.B, io.B).And(hdl.K(8, 0xf0)).Or(io.A.ZExt(8)))

	// One If that assigns two signals does not join them.
	p, q := m.Wire("p", 1), m.Wire("q", 1)
	p.SetK(0)
	q.SetK(0)
	m.If(io.A, func() {
		p.Set(io.B.Bit(0))
		q.Set(p)
	})
	m.Unused(c, shift, down, masked, q)
}

type throughIO struct {
	In  hdl.Stream[octet] `hdl:"in"`
	Out hdl.Stream[octet] `hdl:"out"`
}

func badHandshake() error {
	waits := hdl.Def[throughIO]{Name: "waits", Body: func(m *hdl.Module, io *throughIO) {
		hdl.Set(io.Out.Data, io.In.Data)
		io.In.Ready.Set(io.Out.Ready)
		io.Out.Valid.SetK(0)
		m.If(io.Out.Ready, func() { io.Out.Valid.Set(io.In.Valid) })
	}}
	grants := hdl.Def[throughIO]{Name: "grants", Body: func(m *hdl.Module, io *throughIO) {
		hdl.Set(io.Out.Data, io.In.Data)
		io.Out.Valid.Set(io.In.Valid)
		io.In.Ready.Set(io.In.Valid.And(io.Out.Ready)) // as an arbiter does: allowed
	}}
	return build("handshake", func(m *hdl.Module, io *struct {
		In   hdl.Stream[octet] `hdl:"in"`
		Out  hdl.Stream[octet] `hdl:"out"`
		Done struct {
			Valid hdl.Bits `w:"1"` // without a ready
		} `hdl:"out"`
	}) {
		io.Done.Valid.Set(io.Out.Fire())
		u, v := hdl.Instance(m, "u", waits), hdl.Instance(m, "v", grants)
		hdl.Connect(u.In, io.In)
		hdl.Connect(v.In, u.Out)
		hdl.Connect(io.Out, v.Out)
	})
}

func badCrossings() error {
	child := hdl.Def[struct {
		A hdl.Bits `hdl:"in" w:"8" clock:"rx"`
		B hdl.Bits `hdl:"in" w:"8"`
		Y hdl.Bits `hdl:"out" w:"8" clock:"tx"`
	}]{Name: "child", Body: func(m *hdl.Module, io *struct {
		A hdl.Bits `hdl:"in" w:"8" clock:"rx"`
		B hdl.Bits `hdl:"in" w:"8"`
		Y hdl.Bits `hdl:"out" w:"8" clock:"tx"`
	}) {
		var a, b hdl.Bits
		m.In(m.Domain("rx"), func() {
			a = m.RegN("a_held", 8)
			a.Set(io.A.Add(io.B))
		})
		m.In(m.Domain("tx"), func() {
			b = m.RegN("b_held", 8)
			b.Set(io.B)
		})
		io.Y.Set(a.Xor(b))
	}}
	return build("crossings", func(m *hdl.Module, io *struct {
		A hdl.Bits `hdl:"in" w:"8" clock:"tx"`
		Y hdl.Bits `hdl:"out" w:"8" clock:"rx"`
	}) {
		u := hdl.Instance(m, "u", child)
		u.A.Set(io.A)
		io.Y.Set(u.Y)
		m.In(m.Domain("tx"), func() {
			from, safe := m.Reg("from", 8, 0), hdl.CrossSafe(m.Reg("safe", 8, 0))
			from.Set(io.A)
			safe.Set(io.A)
			u.B.Set(from)
			crossed(m, from, safe)
		})
	})
}

// crossed reads registers of tx in the domain rx.
func crossed(m *hdl.Module, from, safe hdl.Bits) {
	mixed := m.Wire("mixed", 8)
	mixed.Set(from.AddK(1))
	m.In(m.Domain("rx"), func() {
		to, enabled, good := m.Reg("to", 8, 0), m.Reg("enabled", 1, 0), m.Reg("good", 8, 0)
		to.Set(mixed.Xor(safe))
		m.If(from.Any(), func() { enabled.SetK(1) })
		good.Set(safe)
		ram := m.RAM("ram", 256, 8, hdl.ReadOld)
		ram.Write(good, enabled, from)
		m.Unused(ram.Read("word", from, enabled), to)
	})
}
