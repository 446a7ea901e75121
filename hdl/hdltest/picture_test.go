package hdltest_test

import (
	"fmt"

	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	"gornic/hdl/stream"
)

// A FIFO of two places fills up while nothing is taken, and gives what it has.
func ExamplePicture() {
	design, io, err := hdl.Build(stream.FIFODef(hdl.W(8), 2))
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := sim.New(design, sim.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	in := sim.NewSource(s, io.In, sim.Pattern{})
	s.Set(io.Out.Ready, 0)
	s.Reset(1)
	in.Send(0xA, 0xB, 0xC)
	rows := []hdltest.Row{
		{Name: "in_data", Port: io.In.Data, When: io.In.Valid}, {Name: "in_ready", Port: io.In.Ready}, {Name: "level", Port: io.Level},
		{Name: "out_data", Port: io.Out.Data, When: io.Out.Valid}, {Name: "out_ready", Port: io.Out.Ready},
	}
	fmt.Println(hdltest.Picture(s, 5, rows...))
	s.Set(io.Out.Ready, 1)
	fmt.Print(hdltest.Picture(s, 5, rows...))
	if err := s.Close(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// cycle      0 1 2 3 4
	// in_data    . a b c c
	// in_ready   1 1 1 0 0
	// level      0 0 1 2 2
	// out_data   . . a a a
	// out_ready  0 0 0 0 0
	//
	// cycle      0 1 2 3 4
	// in_data    c c . . .
	// in_ready   0 1 1 1 1
	// level      2 1 1 0 0
	// out_data   a b c . .
	// out_ready  1 1 1 1 1
}
