package check_test

import (
	"gornic/hdl"
)

// The mistakes in this file are reported by package hdl.

type operandsIO struct {
	A hdl.Bits `hdl:"in" w:"8"`
	B hdl.Bits `hdl:"in" w:"24"`
	Y hdl.Bits `hdl:"out" w:"8"`
}

func badWidths() error {
	return build("widths", func(m *hdl.Module, io *operandsIO) {
		sum := io.A.Add(io.B)
		io.Y.Set(sum.Xor(io.A))
		io.Y.Set(io.B)
		m.If(io.A, func() { io.Y.Set(io.A) })
		w := m.Wire("w", 0)
		w.Set(io.A)
		r := m.Reg("r", 0, 0)
		r.Set(io.A)
		m.Unused(w, r)
	})
}

func badConstants() error {
	return build("constants", func(m *hdl.Module, io *operandsIO) {
		io.Y.Set(io.A.AddK(0x181))
		m.Unused(io.B.And(hdl.K(24, 1<<24)))
		r := m.Reg("r", 4, 16)
		r.Set(r.AddK(1))
		m.Unused(r)
	})
}

func badSlices() error {
	return build("slices", func(m *hdl.Module, io *operandsIO) {
		io.Y.Set(io.B.Slice(24, 17))
		m.Unused(io.A.Bit(8))
	})
}

type oneIO struct {
	A hdl.Bits `hdl:"in" w:"1"`
	Y hdl.Bits `hdl:"out" w:"1"`
}

func badOwners() error {
	var other hdl.Bits
	child := hdl.Def[oneIO]{Name: "child", Body: func(m *hdl.Module, io *oneIO) {
		other = m.Reg("r", 1, 0)
		other.Set(io.A)
		io.Y.Set(other)
	}}
	return build("owners", func(m *hdl.Module, io *oneIO) {
		u := hdl.Instance(m, "u", child)
		u.A.Set(io.A)
		io.Y.Set(other.And(u.Y))
		other.Set(io.A)
		io.A.Set(io.Y)
	})
}

func badClash() error {
	return build("clash", func(m *hdl.Module, io *oneIO) {
		r := m.Reg("y", 1, 0)
		r.Set(io.A)
		io.Y.Set(r)
		m.Assert("same", r.Eq(r))
		m.Assert("same", r.Eq(io.Y))
	})
}

func badMisuse() error {
	return build("misuse", func(m *hdl.Module, io *oneIO) {
		io.Y.Set(hdl.W(1))
		m.If(io.A, func() { m.Assert("nested", io.A) })
	})
}

func badPanic() error {
	return build("panics", func(m *hdl.Module, io *oneIO) {
		var values []hdl.Bits
		io.Y.Set(values[m.Reg("r", 3, 0).Width()])
	})
}

// badPoison has one mistake, and much that would follow from it.
func badPoison() error {
	return build("poison", func(m *hdl.Module, io *operandsIO) {
		wrong := io.A.Sub(io.B)
		acc := m.RegN("acc", 8)
		acc.Set(acc.Add(wrong))
		loop := m.Wire("loop", 8)
		loop.Set(loop.And(wrong))
		ram := m.LUTRAM("ram", 16, 8)
		ram.Write(wrong.Trunc(4), wrong.Any(), wrong)
		m.If(wrong.Is(0), func() { io.Y.Set(acc) }).ElseIf(wrong.Is(0), func() { io.Y.Set(loop) }).Else(func() {
			io.Y.Set(ram.At(wrong.Slice(7, 4)))
		})
	})
}

func badParameter() error {
	deep := func(depth int) hdl.Def[oneIO] {
		return hdl.Def[oneIO]{Name: "deep", Body: func(m *hdl.Module, io *oneIO) {
			if depth < 2 {
				m.Reject("a depth of %d: at least 2", depth)
			}
		}}
	}
	return build("parameters", func(m *hdl.Module, io *oneIO) {
		u := hdl.Instance(m, "u", deep(1))
		hdl.Connect(*u, *io)
	})
}

type portsIO struct {
	hidden hdl.Bits             `hdl:"in" w:"1"` //nolint:unused // the mistake
	Open   hdl.Bits             `hdl:"in"`
	Wide   hdl.Bits             `hdl:"in" w:"x"`
	Both   hdl.Bits             `hdl:"in" w:"4"`
	In     hdl.Stream[hdl.Bits] `hdl:"in"`
	Out    hdl.Stream[hdl.Bits] `hdl:"out"`
}

func badPorts() error {
	_, _, err := hdl.Build(hdl.Def[portsIO]{
		Name: "ports",
		IO:   portsIO{Both: hdl.W(5), In: hdl.StreamOf(hdl.W(8)), Out: hdl.StreamOf(hdl.W(8))},
		Body: func(m *hdl.Module, io *portsIO) {
			m.Unused(io.Open, io.Wide, io.Both)
			hdl.Connect(io.In, io.Out)
			io.Out.Data.Slice(3, 0).SetK(1)
		},
	})
	return err
}
