package sim_test

import (
	"fmt"

	"gornic/hdl"
	"gornic/hdl/sim"
)

type adderIO struct {
	In  hdl.Stream[operands] `hdl:"in"`
	Out hdl.Stream[hdl.Bits] `hdl:"out"`
}

type operands struct {
	A hdl.Bits `w:"8"`
	B hdl.Bits `w:"8"`
}

// adder takes pairs of numbers and gives out their sums a cycle later.
func adder() hdl.Def[adderIO] {
	return hdl.Def[adderIO]{
		Name: "adder",
		IO:   adderIO{Out: hdl.StreamOf(hdl.W(8))},
		Body: func(m *hdl.Module, io *adderIO) {
			full := m.Reg("full", 1, 0)
			sum := m.RegN("sum", 8)
			room := io.Out.Ready.Or(full.Not())
			io.In.Ready.Set(room)
			io.Out.Valid.Set(full)
			io.Out.Data.Set(sum)
			m.If(room, func() {
				full.Set(io.In.Valid)
				sum.Set(io.In.Data.A.Add(io.In.Data.B))
			})
		},
	}
}

// Ports are driven and read by the handles that hdl.Build returns.
func Example() {
	design, io, err := hdl.Build(adder())
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := sim.New(design, sim.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	s.Reset(2)
	s.Set(io.Out.Ready, 1)
	s.Set(io.In.Valid, 1)
	s.Set(io.In.Data.A, 20)
	s.Set(io.In.Data.B, 22)
	s.Step()
	fmt.Println(s.Get(io.Out.Valid), s.Get(io.Out.Data))
	fmt.Println(s.Close())
	// Output:
	// 1 42
	// <nil>
}

// Streams have sources and sinks, which pause as they are told and run many
// cycles in one call.
func Example_streams() {
	design, io, err := hdl.Build(adder())
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := sim.New(design, sim.Options{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	in := sim.NewSource(s, io.In, sim.Pattern{Kind: sim.Random, Percent: 70, Seed: 1}) // valid in 70 % of the cycles
	out := sim.NewSink(s, io.Out, sim.Pattern{Kind: sim.Burst, On: 3, Off: 5, Seed: 2})
	s.Reset(2)
	type pair struct{ A, B uint8 }
	in.Send(pair{1, 2}, pair{30, 4}, pair{250, 10})
	s.Await(1000, out.Beats(3))
	fmt.Println(sim.Received[uint8](out))
	fmt.Println(s.Close())
	// Output:
	// [3 34 4]
	// <nil>
}

// A failed assertion ends the run; the error names its line.
func ExampleSim_Err() {
	design, io, err := hdl.Build(counter(8, 100))
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := sim.New(design, sim.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	s.Reset(1)
	s.Set(io.Enable, 1)
	s.Set(io.Step, 10)
	s.Run(1000)
	fmt.Println(s.Cycle(), s.Err() != nil)
	// Output: 12 true
}
