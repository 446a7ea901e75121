// Package flow makes a bitstream of a design for a Lattice ECP5, with Yosys, nextpnr-ecp5 and ecppack, and says what it
// costs and how fast it is.
//
// [Build] runs the steps: print the Verilog, synthesize, place and route, pack. Each keeps what it made in a folder named
// by a hash of all that went into it: text, options, and the versions of the tools. So what did not change is
// not done again, by whichever way one asks for it, and an interrupted build goes on at the step that it was
// in. What is there is whole. [Size] stops after synthesis, for the core alone on a device of another family.
//
// # Timing
//
// Each clock has a frequency that it runs at and a margin; nextpnr is asked for both multiplied, and the build
// fails with a [*TimingError] where it does not get there. Clocks are taken as unrelated: a path from one to another
// is not timed, which the crossings of hdl/stream allow for (Gray code and two flip-flops, and nothing that
// counts on how long a bit takes).
//
//	target.go    what to build for
//	build.go     the steps
//	store.go     what steps made, by hash
//	process.go   programs that end with the build
//	synth.go     Yosys
//	place.go     nextpnr: its input, its log
//	pack.go      ecppack
//	report.go    the result; area.go and timing.go read it from the tools' files
//	print.go     the result for people
package flow
