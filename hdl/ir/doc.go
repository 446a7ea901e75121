// Package ir is an elaborated hardware design as plain data.
//
// Package hdl builds a [Design]; hdl/check looks for mistakes in it, hdl/verilog
// prints it, hdl/sim runs it. Only hdl and passes over the design change it:
// everybody else reads.
//
// A [Module] has signals, memories, instances and one [Block] of statements.
// The statements are kept as their author wrote them (if and switch trees,
// in order): within a block the last assignment that is reached wins, and
// every read of a signal sees its final value of the cycle, wherever the read
// stands. Expressions are a graph of [Node]; operands have equal widths
// wherever Verilog would extend them, so no reader needs width inference.
//
// Properties may need state of their own. Such signals are marked Ghost and
// are set in [Module.Ghost] only; they are read by Checks, by Events and by each
// other, and are left out of the synthesis output together with those.
//
// Each instance of a module is elaborated for itself: an [Instance] owns its
// own *Module, and modules with equal names must print equal text. A reader
// that wants every module once uses [Design.Modules].
package ir
