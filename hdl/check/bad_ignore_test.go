package check_test

import (
	"gornic/hdl"
	"gornic/hdl/check/internal/part"
)

func badIgnores() error {
	return build("ignores", func(m *hdl.Module, io *pairIO) {
		io.Y.Set(io.B)                     //hdl:ignore unread all is read
		m.Wire("spare", 1).Set(io.B.Any()) //hdl:ignore unread kept for a probe
		m.Wire("mute", 1).Set(io.B.Any())  //hdl:ignore unread
		m.Wire("bare", 1).Set(io.B.Any())  //hdl:ignore
		m.Wire("left", 1).Set(io.B.Any())  //hdl:ignore latch this is not what is wrong
		m.Wire("typo", 1).Set(io.B.Any())  //hdl:ignore unused it is another word
		io.Z.Set(io.A)                     //hdl:ignore width the front end does not listen
		_ = "//hdl:ignore unread not a comment"
		if io.B.Width() == 3 {
			m.Wire("other", 1) //hdl:ignore undriven not built: passed over
		}
	})
}

func badLibrary() error {
	return build("user", func(m *hdl.Module, io *oneIO) {
		io.Y.Set(part.Register(m, "y_held", io.A))
	})
}
