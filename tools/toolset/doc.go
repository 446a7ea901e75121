// Package toolset tells where the tools outside Go are: Verilator, Yosys, Icarus Verilog, z3, the C++ compiler, tshark.
//
// Some tools are pinned: `go run ./tools/setup` fetches exactly that version into build/tools/NAME-VERSION of the
// module root. The others, and those that could not be fetched, come from the machine. Find looks in that order; a
// tool that is in neither place, or too old, gives ErrAbsent, which Need turns into a skipped test.
//
// Start at Find and Need; the pinned versions, and the oldest that will do, are in pins.go.
package toolset
