package check_test

import "gornic/hdl"

// sum is a helper that hands its result to its caller.
func sum(a, b hdl.Bits) hdl.Bits {
	return a.Add(b)
}

// first has no use for its second operand.
func first(a, _ hdl.Bits) hdl.Bits { return a }

func badDropped() error {
	return build("dropped", func(m *hdl.Module, io *struct {
		Dead hdl.Bits `hdl:"in" w:"4"` // only what is thrown away reads it: one mistake, not two
		A    hdl.Bits `hdl:"in" w:"4"`
		B    hdl.Bits `hdl:"in" w:"4"`
		Y    hdl.Bits `hdl:"out" w:"4"`
		Z    hdl.Bits `hdl:"out" w:"4"`
	}) {
		io.Dead.Add(io.B)
		sum(io.A, io.B)
		m.If(io.A.Any(), func() {
			io.A.Slice(3, 1).
				Trunc(2).
				Eq(io.B.Trunc(2))
		})
		hdl.MuxOf(io.A.Any(), io.A, io.B)
		ram := m.LUTRAM("ram", 16, 4)
		ram.Write(io.A, io.A.Any(), io.B)
		ram.At(io.B)
		io.Z.Set(ram.At(io.A))

		// What follows is what generators do, and no mistake.
		found := io.A.Eq(io.B)
		if io.A.Width() == 4 {
			found = io.A.Ne(io.B)
		}
		wide := io.A.AddC(io.B)
		if io.A.Width() > 8 {
			m.Assert("fits", wide.MSB().Not())
		}
		first(found.ZExt(4), io.A.Sub(io.B)).Width()
		_ = io.A.Lt(io.B)
		m.Unused(io.A.Gt(io.B))
		var all hdl.Bits
		for range 1 {
			all = io.A.And(io.B)
		}
		_ = all
		io.Y.Set(found.ZExt(4))
	})
}
