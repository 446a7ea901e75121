package hdl_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"gornic/hdl"
	"gornic/hdl/ir"
)

// in runs f inside a module with some values and returns what was reported.
func in(f func(m *hdl.Module, a, b hdl.Bits)) string {
	type io struct {
		A hdl.Bits `hdl:"in" w:"8"`
		B hdl.Bits `hdl:"in" w:"24"`
	}
	_, _, findings := hdl.Elaborate(hdl.Def[io]{
		Name: "m", Body: func(m *hdl.Module, p *io) { f(m, p.A, p.B) },
	})
	if len(findings) == 0 {
		return ""
	}
	return findings.Error()
}

func TestWidths(t *testing.T) {
	got := in(func(m *hdl.Module, a, b hdl.Bits) {
		widths := map[string][2]int{
			"Add":     {a.AddK(1).Width(), 8},
			"AddC":    {a.AddC(a).Width(), 9},
			"Mul":     {a.Mul(b).Width(), 32},
			"Eq":      {a.Is(3).Width(), 1},
			"Any":     {a.Any().Width(), 1},
			"Slice":   {b.Slice(11, 4).Width(), 8},
			"Bit":     {b.Bit(23).Width(), 1},
			"ZExt":    {a.ZExt(24).Width(), 24},
			"SExt":    {a.SExt(24).Width(), 24},
			"Rep":     {a.Rep(3).Width(), 24},
			"Cat":     {hdl.Cat(a, b, a).Width(), 40},
			"Shl":     {b.Shl(a).Width(), 24},
			"ShlK":    {b.ShlK(5).Width(), 24},
			"Select":  {hdl.Select(a, b, b, b).Width(), 24},
			"OneHot":  {hdl.OneHot(a.Slice(1, 0), b, b).Width(), 24},
			"Swap":    {hdl.SwapBytes(b).Width(), 24},
			"Ones":    {hdl.Ones(512).Width(), 512},
			"constK":  {a.K(255).Width(), 8},
			"Compare": {a.SLt(a).And(a.GeK(1)).Width(), 1},
		}
		for name, w := range widths {
			assert.Equal(t, w[1], w[0], name)
		}
	})
	assert.Empty(t, got)
}

func TestOneMistakeIsOneError(t *testing.T) {
	got := in(func(m *hdl.Module, a, b hdl.Bits) {
		sum := a.Add(b).AddK(1).Not().Slice(3, 0)
		m.If(sum.Any(), func() { m.Wire("w", 4).Set(sum) })
	})
	assert.Equal(t, "hdl/ops_test.go:59: m: Add: a is 8 bits (hdl/ops_test.go:19), b is 24 bits (hdl/ops_test.go:19): use ZExt, Trunc or Slice [width]", got)
}

func TestConstantsOfFaultyWidthAreReportedWhereTheyAreMade(t *testing.T) {
	got := in(func(m *hdl.Module, a, b hdl.Bits) {
		k := hdl.K(4, 0x10)
		big := hdl.Cat(k, hdl.K(4, 0))
		m.Wire("w", 8).Set(a.And(big))
	})
	assert.Equal(t, "hdl/ops_test.go:67: m: constant 0x10 does not fit in 4 bits [constant]", got)
}

func TestOperationsOnConstantsOfUnequalWidth(t *testing.T) {
	got := in(func(m *hdl.Module, a, b hdl.Bits) {
		m.Wire("w", 8).Set(hdl.K(8, 1).Or(hdl.K(9, 1)))
	})
	assert.Contains(t, got, "hdl/ops_test.go:76: m: an operation on constants alone has operands of unequal width")
}

func TestSlicesLookThroughConcatenations(t *testing.T) {
	in(func(m *hdl.Module, a, b hdl.Bits) {
		both := hdl.Cat(a, b)
		assert.Same(t, a.Node(), both.Slice(31, 24).Node())
		assert.Same(t, b.Node(), both.Slice(31, 0).Slice(23, 0).Node())
		across := both.Slice(25, 22).Node()
		assert.Equal(t, ir.OpCat, across.Op)
		assert.Equal(t, []int{2, 2}, []int{across.Args[0].Width, across.Args[1].Width})
		assert.Equal(t, uint64(5), hdl.K(8, 0x5a).Slice(7, 4).Node().Const.Uint64())
	})
}

func TestMistakesInStatements(t *testing.T) {
	tests := []struct {
		name string
		body func(m *hdl.Module, a, b hdl.Bits)
		want string
	}{
		{"wide condition", func(m *hdl.Module, a, b hdl.Bits) { m.If(a, func() {}) },
			"condition a is 8 bits (hdl/ops_test.go:19): use Any, All or a comparison [width]"},
		{"set an input", func(m *hdl.Module, a, b hdl.Bits) { a.SetK(1) },
			"a cannot be assigned: it is an input of m, which is driven from outside [assign]"},
		{"slice past the top", func(m *hdl.Module, a, b hdl.Bits) { a.Slice(8, 1) },
			"Slice(8, 1) of a, which is 8 bits (hdl/ops_test.go:19) [slice]"},
		{"name taken", func(m *hdl.Module, a, b hdl.Bits) { m.Reg("a", 1, 0) },
			"reg a: the name is taken by input a (hdl/ops_test.go:19) [clash]"},
		{"case too large", func(m *hdl.Module, a, b hdl.Bits) { m.Switch(a, hdl.Case(256, func() {})) },
			"case 0x100 does not fit in the 8 bits of a [constant]"},
		{"reset value too large", func(m *hdl.Module, a, b hdl.Bits) { m.Reg("r", 2, 4) },
			"reset value 0x4 of r does not fit in 2 bits [constant]"},
		{"If of nothing", func(m *hdl.Module, a, b hdl.Bits) { m.If(a.Any(), nil) }, "an arm without a function: what it does is missing [misuse]"},
		{"default first", func(m *hdl.Module, a, b hdl.Bits) {
			m.Switch(a, hdl.Default(func() {}), hdl.Case(1, func() {}))
		}, "Default is not the last arm of its Switch [misuse]"},
		{"port inside If", func(m *hdl.Module, a, b hdl.Bits) {
			r := m.RAM("r", 256, 24, hdl.ReadOld)
			m.If(a.Any(), func() { r.Write(a, hdl.K(1, 1), b) })
		}, "Write of memory r inside If or Switch: a port is declared outside, its enable says when it acts [misuse]"},
		{"memory address", func(m *hdl.Module, a, b hdl.Bits) { m.RAM("r", 16, 8, hdl.ReadOld).Read("q", a, a.Any()) },
			"Read of memory r: the address a is 8 bits (hdl/ops_test.go:19), not 4 bits [width]"},
		{"prototype as value", func(m *hdl.Module, a, b hdl.Bits) { m.Wire("w", 8).Set(hdl.W(8)) },
			"Set: a prototype (8 bits) has no value: make a Reg, Wire or constant of it [misuse]"},
		{"operation on the zero Bits", func(m *hdl.Module, a, b hdl.Bits) { m.Wire("w", 8).Set(hdl.Bits{}.Not().ZExt(8)) },
			"a prototype (0 bits) has no value: make a Reg, Wire or constant of it [misuse]"},
		{"slice of the zero Bits", func(m *hdl.Module, a, b hdl.Bits) { m.Wire("w", 2).Set(hdl.Bits{}.Slice(1, 0)) },
			"a prototype (0 bits) has no value: make a Reg, Wire or constant of it [misuse]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { assert.Contains(t, in(tt.body), tt.want) })
	}
}

func TestValuesOfAnotherModule(t *testing.T) {
	type io struct {
		A hdl.Bits `hdl:"in" w:"8"`
		Y hdl.Bits `hdl:"out" w:"8"`
	}
	var leaked hdl.Bits
	inner := hdl.Def[io]{Name: "inner", Body: func(m *hdl.Module, p *io) {
		leaked = m.Wire("secret", 8)
		leaked.Set(p.A)
		p.Y.Set(p.A)
	}}
	_, _, findings := hdl.Elaborate(hdl.Def[io]{Name: "outer", Body: func(m *hdl.Module, p *io) {
		u := hdl.Instance(m, "u_inner", inner)
		u.A.Set(p.A)
		p.Y.Set(u.Y.Xor(leaked))
		leaked.SetK(1)
	}})
	assert.Equal(t,
		"hdl/ops_test.go:147: outer: Xor: secret (hdl/ops_test.go:140) belongs to module inner, not to outer: pass it through a port [owner]\n"+
			"hdl/ops_test.go:148: inner: Set of secret (hdl/ops_test.go:140) from outside module inner: only the module's own Body can assign it [owner]",
		findings.Error())
}

// Nothing keeps a value that is given to what is no signal.
func TestSetOfNoSignal(t *testing.T) {
	const want = "Set of a prototype, a constant or the zero Bits: make a Reg or Wire of it"
	for name, body := range map[string]func(m *hdl.Module, a, b hdl.Bits){
		"zero Bits":       func(m *hdl.Module, a, b hdl.Bits) { hdl.Bits{}.Set(a) },
		"zero Bits, K":    func(m *hdl.Module, a, b hdl.Bits) { hdl.Bits{}.SetK(1) },
		"prototype":       func(m *hdl.Module, a, b hdl.Bits) { hdl.W(8).Set(a) },
		"constant":        func(m *hdl.Module, a, b hdl.Bits) { hdl.K(8, 1).Set(a) },
		"field of bundle": func(m *hdl.Module, a, b hdl.Bits) { hdl.Set(struct{ X hdl.Bits }{}, struct{ X hdl.Bits }{a}) },
	} {
		t.Run(name, func(t *testing.T) { assert.Contains(t, in(body), want) })
	}
}
