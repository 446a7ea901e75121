package check_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl"
)

// badLate adds to a module whose Body has ended.
func badLate() error {
	var inner *hdl.Module
	var held hdl.Bits
	child := hdl.Def[oneIO]{Name: "child", Body: func(m *hdl.Module, io *oneIO) {
		inner, held = m, m.Reg("held", 1, 0)
		held.Set(io.A)
		io.Y.Set(held)
	}}
	return build("late", func(m *hdl.Module, io *oneIO) {
		u := hdl.Instance(m, "u", child)
		u.A.Set(io.A)
		io.Y.Set(u.Y)
		inner.Reg("more", 1, 0)
		inner.Assert("property", held)
		inner.Event("event", held)
		hdl.Instance(inner, "v", child)
		inner.If(held, func() {})
		inner.Switch(held, hdl.Default(func() {}))
		inner.LUTRAM("ram", 4, 1)
	})
}

// badCalls gives functions what they cannot work on.
func badCalls() error {
	return build("calls", func(m *hdl.Module, io *operandsIO) {
		m.Unused(io.A.ShlK(-1), io.B.ShrK(-2))
		m.Unused(hdl.Select(io.A), m.Table("empty", io.A, 8))
		m.Unused(io.A.And(hdl.KBig(8, nil)))
		hdl.NewReg(m, "number", 3)
		hdl.NewWire[*oneIO](m, "pointer", nil)
		hdl.Instance(m, "u", hdl.Def[int]{Name: "no_ports", Body: func(*hdl.Module, *int) {}})
		chain := m.If(io.A.Any(), func() { io.Y.Set(io.A) })
		chain.Else(func() { io.Y.SetK(1) })
		chain.Else(func() { io.Y.SetK(2) })
		chain.ElseIf(io.B.Any(), func() { io.Y.SetK(3) })
	})
}

// What is another instance's is said with its path: the names of the modules are the same.
func TestOtherInstances(t *testing.T) {
	var first hdl.Bits
	child := hdl.Def[oneIO]{Name: "child", Body: func(_ *hdl.Module, io *oneIO) {
		if first.Width() == 0 {
			first = io.A
		}
		io.Y.Set(first)
	}}
	err := build("pair", func(m *hdl.Module, io *oneIO) {
		u, v := hdl.Instance(m, "u", child), hdl.Instance(m, "v", child)
		u.A.Set(io.A)
		v.A.Set(u.Y)
		io.Y.Set(v.Y)
	})
	require.ErrorContains(t, err, "belongs to another instance of this module (u)")
}

// What is left of an earlier design is of no use in another.
func TestOtherDesigns(t *testing.T) {
	var left *hdl.Module
	var value hdl.Bits
	require.NoError(t, build("first", func(m *hdl.Module, io *oneIO) {
		left, value = m, io.A
		io.Y.Set(io.A)
	}))
	for want, misuse := range map[string]func(m *hdl.Module, io *oneIO){
		"And: a (": func(_ *hdl.Module, io *oneIO) { io.Y.Set(io.A.And(value)) },
		"belongs to module first of another design": func(_ *hdl.Module, io *oneIO) { io.Y.Set(value) },
		"Set of a (":                     func(_ *hdl.Module, io *oneIO) { io.Y.Set(io.A); value.Set(io.A) },
		"reg r is added to module first": func(_ *hdl.Module, io *oneIO) { io.Y.Set(io.A); left.Reg("r", 1, 0) },
	} {
		err := build("second", misuse)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "bad_late_test.go:")
	}
}
