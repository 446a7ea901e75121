package check_test

import (
	"gornic/hdl"
)

type eventIO struct {
	A    hdl.Bits `hdl:"in" w:"1"`
	Wide hdl.Bits `hdl:"in" w:"65"`
	Y    hdl.Bits `hdl:"out" w:"1"`
}

func badEvents() error {
	return build("events", func(m *hdl.Module, io *eventIO) {
		io.Y.Set(io.A)
		m.Event("begins", io.A, hdl.Field("release", io.A))
		m.Event("begins", io.A)
		m.Event("wide", io.A, hdl.Field("value", io.Wide))
		m.Event("twice", io.A, hdl.Field("value", io.A), hdl.Field("value", io.Y))
		m.Event("many", io.Wide)
		m.Event("nothing", io.A, hdl.Field("value", hdl.W(4)), hdl.EventField{})
		m.If(io.A, func() { m.Event("nested", io.A) })
		m.Event("with space", io.A, hdl.Field("4th", io.A))
		m.Event("faulty", io.Wide.Eq(io.A))
		r := m.Reg("counted", 8, 0)
		r.Set(r.AddK(1))
		m.Event("counts", io.A, hdl.Field("counted", r))
	})
}
