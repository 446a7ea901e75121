// Package verilator runs a design in Verilator, behind the same interface as the native simulator of package sim.
//
// [Open] is the whole of it for most readers: it has the type sim.Open. It prints the design as Verilog, has Verilator turn
// that into C++, compiles it together with the bus models in shim/ into a shared library, and loads that without cgo. The
// library is kept in build/verilated/HASH of the module root, where the hash covers the Verilog, the shim, the flags and the
// versions of the tools: a design that did not change opens in milliseconds.
//
// # From a call to an edge
//
// Ports live in one block of memory that Go and C++ share, so Set and Get are plain copies. A run is one call, however
// many cycles it takes: the stream sources and sinks are C++ (shim/stream.h) and take the same decisions as those of the
// native simulator, to the bit, so a test sees the same cycles on both.
//
//	open.go      from a design to a running copy
//	prepare.go   the part of it that many copies share
//	text.go      the design as Verilog, with what Verilator needs beside
//	build.go     from Verilog to a library: cache, verilation
//	compile.go   the tools, and compilation
//	runtime.go   what is compiled once for all designs
//	table.go     the variables of the C++ that the shim must know
//	library.go   the functions of a loaded library
//	backend.go   the interface of package sim
//	stream.go    sources and sinks, as Go sees them
//	failure.go   failed checks
//	part.go      parts that rest while nothing in them would change
//	partwire.go  the wires that show whether something would
//	event.go     trace events, read from wires before each edge
//	coverage.go  arms that were taken, as covers
//	shim/        the C++ side; simulation.cpp has the order of things at an edge
//
// Verilator and a C++ compiler are looked for as package toolset says; without them Open fails with toolset.ErrAbsent.
package verilator
