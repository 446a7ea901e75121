package hdl_test

import (
	"fmt"

	"gornic/hdl"
)

type CounterIO struct {
	Enable hdl.Bits `hdl:"in" w:"1"`
	Count  hdl.Bits `hdl:"out"`
}

// Counter counts the cycles in which it is enabled.
func Counter(width int) hdl.Def[CounterIO] {
	return hdl.Def[CounterIO]{
		Name: fmt.Sprintf("counter_%d", width),
		Doc:  "Counts the cycles in which it is enabled.",
		IO:   CounterIO{Count: hdl.W(width)},
		Body: func(m *hdl.Module, io *CounterIO) {
			value := m.Reg("value", width, 0)
			m.If(io.Enable, func() { value.Set(value.AddK(1)) })
			io.Count.Set(value)
		},
	}
}

func ExampleBuild() {
	design, io, err := hdl.Build(Counter(8))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(design.Top.Name, io.Count.Width(), "bits")
	// Output: counter_8 8 bits
}

// A mistake is reported with the line that made it.
func ExampleBuild_mistakes() {
	_, _, err := hdl.Build(hdl.Def[CounterIO]{
		Name: "wrong",
		IO:   CounterIO{Count: hdl.W(8)},
		Body: func(m *hdl.Module, io *CounterIO) {
			io.Count.Set(io.Enable)
			io.Enable.Set(hdl.K(1, 3))
		},
	})
	fmt.Println(err)
	// Output:
	// build wrong:
	// hdl/example_test.go:44: wrong: cannot Set count (8 bits, hdl/example_test.go:11) from enable (1 bit): use Trunc, ZExt or Slice [width]
	// hdl/example_test.go:45: wrong: constant 0x3 does not fit in 1 bit [constant]
	// hdl/example_test.go:45: wrong: enable cannot be assigned: it is an input of wrong, which is driven from outside [assign]
}
