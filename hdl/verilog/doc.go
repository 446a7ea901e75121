// Package verilog prints an elaborated design as Verilog-2005 that a person
// can read: author's names, if and case trees as written, comments of the Go
// code and the Go line beside.
//
// [Emit] returns one file a module, and [Write] puts them into a folder. The
// text is the same to the byte on each run, draws no warning from Verilator
// -Wall, Icarus -Wall and Yosys check -assert, and maps to block RAM, LUT RAM and
// DSPs in Yosys. Package verilog/lint checks that on a design.
//
// A comment of the Go code is printed once, at what it is about: over the
// statement, expression or declaration that begins on the line after it, or beside
// the one that it follows. A comment over a line of Go that makes no hardware is not
// printed.
//
// Fields of bundles of wires (hdl.NewWire, hdl.NewStream) that only pass a signal
// on are read through: the text has the signal. Wires that the author named one by
// one stay. The hardware is the same text with and without properties and events;
// wires that only these read stand in their sections.
//
// The way of a module through the package:
//
//	lower.go     expressions in the form that Verilog wants
//	group.go     statements sorted into assigns and always blocks
//	merge.go     neighbouring registers put together
//	plan.go      which expressions become wires
//	radix.go     which constants are decimal
//	naming.go    and how these are called; source.go, parse.go and result.go read the Go code
//	say.go       where its comments go; remark.go finds what they are about
//	module.go    the parts of the text, in the author's order
//	assemble.go  the sections of the file
//
// # Defines
//
// The text of a module with properties or events ends in sections that are empty
// unless one of these is defined:
//
//	FORMAL        properties as immediate assertions, for Yosys
//	GORNIC_CHECK  properties as $display and $stop, for simulators; see [ParseReport]
//	GORNIC_TRACE  trace events as wires and as $display, for simulators; see [ParseTrace].
//	              With GORNIC_TRACE_QUIET, too, the wires alone
//	GORNIC_WAVES  a shadow of each signal with named values, typed as a
//	              SystemVerilog enum, so that waves show the names
package verilog
