package check_test

import (
	"errors"
	"fmt"

	"gornic/hdl"
	"gornic/hdl/check"
)

type gateIO struct {
	Open hdl.Bits `hdl:"in" w:"1"`
	X    hdl.Bits `hdl:"in" w:"8"`
	Y    hdl.Bits `hdl:"out" w:"8"`
}

func ExampleIn() {
	_, _, err := hdl.Build(hdl.Def[gateIO]{Name: "gate", Body: func(m *hdl.Module, io *gateIO) {
		m.If(io.Open, func() { io.Y.Set(io.X.Slice(3, 0).ZExt(8)) })
	}})
	for _, f := range check.In(err) {
		fmt.Println(f.Code, "in", f.Module)
	}
	fmt.Println(errors.Is(err, check.Latch))
	// Output:
	// unread in gate
	// latch in gate
	// true
}
