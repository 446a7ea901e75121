// Package sim runs an elaborated design: on its own, or in Verilator behind the
// same interface.
//
// # Running
//
// [New] takes the design that hdl.Build returned and gives a [Sim]. Ports are driven
// and read by their handles, the fields of the port struct that hdl.Build
// returned beside the design:
//
//	design, io, err := hdl.Build(Counter(8))
//	s, err := sim.New(design, sim.Options{Seed: 1})
//	s.Reset(2)              // two cycles of reset on every clock
//	s.Set(io.Enable, 1)
//	s.Run(10)               // ten cycles of the first clock
//	fmt.Println(s.Get(io.Count))
//	err = s.Close()         // the first mistake or failed assertion
//
// After an edge the logic is settled: Get sees what follows from the new state
// and the present inputs. Values wider than 64 bits have SetWords, SetBytes, SetBig and
// their counterparts; the first byte or word is the least significant. Errors are kept:
// look at [Sim.Err] or the result of [Sim.Close], not after every call. A [Mistake] names
// the line of the test.
//
// # Streams
//
// [NewSource] and [NewSink] drive the two ends of hdl.Streams, with gaps and pauses
// by a [Pattern]. They run inside the simulator, thousands of cycles a call:
//
//	in := sim.NewSource(s, io.In, sim.Pattern{Kind: sim.Random, Percent: 70, Seed: 1})
//	out := sim.NewSink(s, io.Out, sim.Pattern{})
//	in.Send(Request{Opcode: 4, Length: 256})
//	s.Await(1000, out.Beats(1))         // an error if that takes more than 1,000 cycles
//	got := sim.Received[Reply](out)
//
// Request and Reply are plain structs with the fields of the payload in its
// order. Package hdltest has frames, threads, and tests on every simulator.
//
// # Checks, waves, coverage
//
// Assertions and assumptions are checked on each rising edge of their clock
// where its reset is low; the first failure ends the run and is a [*CheckError] with
// the property's path, its Go line and the cycle. Covers are counted:
// [Sim.Covered]. [Options].NoChecks does without them. [Options] has a file for waves (VCD, with the names of states as
// strings) and switches on the counting of if and switch arms: [Coverage] says which
// lines of a generator were never taken, over many runs.
//
// # Events
//
// With [Options].Events the trace events that modules declare (hdl's Module.Event) are
// collected: [Sim.Events] takes those since the last call. They are the same, in the same
// order, in both simulators, and those of the instant at which a check fails are among
// them. An [Event] prints as one line.
//
// # State before reset
//
// Values have no unknown bits. Registers, read data and memory words start
// from [Options].Seed, each from a number of its own, never from zero: a test that
// passes with several seeds does not rest on what hardware leaves open.
//
// # Clocks
//
// Every clock domain of the top has a period and a phase ([Timing]). Edges at one
// instant are one step: registers of all rising clocks change at once. [Backend] has the
// exact order.
//
// # Speed
//
// [Native] interprets bytecode, which is ready in milliseconds. [Generated]
// compiles the design to Go, some seconds the first time, and is of Verilator's
// order of speed in long runs; it runs in a process of its own. [GoFile] writes the same code as a
// file, which a test can link in: it registers itself ([Register]) and Native uses it as
// long as it is of this very design.
//
// What comes before the first cycle takes seconds for a large design, and copies share it:
// [Simulator.Cached] does it once for each design.
//
// # How it works
//
// The parts of the native simulator, from the design to a run:
//
//	internal/netlist  one flat graph of 64-bit operations
//	internal/plan     order, and branches around work that is not always needed
//	internal/vm       bytecode
//	internal/gogen    the same as Go source
//	prepare.go        what copies of a design share
//	machine.go        state, memories, clock edges
//	run.go            the loop: instants, checks, stop conditions
//	model.go          sources and sinks
//	vcd.go, peek.go   looking inside
//	remote.go         a machine in another process
//
// Package sim/internal/slow is a plain evaluator of the same designs, and package
// sim/randnet draws random ones; tests compare everything with that.
package sim
