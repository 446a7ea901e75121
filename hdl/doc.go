// Package hdl is a hardware language: Go programs that describe synchronous
// logic, check it, simulate it and print it as readable Verilog-2005.
//
// # A module
//
// A module is a [Def]: a name, a struct of ports and a Body that is run once
// for each instance. Parameters are the arguments of the Go function that
// returns the Def:
//
//	type CounterIO struct {
//		Enable hdl.Bits `hdl:"in" w:"1"`
//		Count  hdl.Bits `hdl:"out"`
//	}
//
//	func Counter(width int) hdl.Def[CounterIO] {
//		return hdl.Def[CounterIO]{
//			Name: fmt.Sprintf("counter_%d", width),
//			IO:   CounterIO{Count: hdl.W(width)},
//			Body: func(m *hdl.Module, io *CounterIO) {
//				value := m.Reg("value", width, 0)
//				m.If(io.Enable, func() { value.Set(value.AddK(1)) })
//				io.Count.Set(value)
//			},
//		}
//	}
//
// [Build] elaborates it; [Instance] puts one module inside another. Package
// hdl/verilog prints the result, hdl/sim runs it, hdl/formal proves it,
// hdl/stream has the parts that most designs need.
//
// # Values
//
// A [Bits] is a handle on a value of a fixed width of one bit or more. Widths
// are strict: operands have equal widths, and only [Cat], [Bits.Slice],
// [Bits.Trunc], [Bits.ZExt] and [Bits.SExt] change one. Values are unsigned; the
// operations that read two's complement say so ([Bits.SLt], [Bits.Sar]).
//
// # State and assignment
//
// [Module.Reg] is a register with a reset value, [Module.RegN] one without,
// [Module.Wire] a named combinational value. [Bits.Set] assigns one of them or an
// output. Of several assignments the last one reached wins, and every read
// sees the final value of the cycle, wherever it stands in the program: to
// give a default, Set it first. A register that no Set reaches keeps its value; a wire
// or output must be Set on every path.
//
// [Module.If] and [Module.Switch] take closures and run them at once, so Go loops,
// helper functions and early returns work inside them. An [FSM] is a register
// whose values have names. A [Memory] is a block RAM or LUT RAM.
//
// # Bundles and streams
//
// A struct of Bits is a bundle: fields become ports and registers with the
// field's name in snake case. The tag `w:"24"` fixes a width, `hdl:"flip"` turns
// a field against the direction of its bundle, `name:"x"` renames it. [Stream] is a
// bundle with a valid/ready handshake.
//
// # Properties and events
//
// [Module.Assert], [Module.Assume] and [Module.Cover] state what is true, with state of
// their own in [Module.Ghost]. [Module.Event] declares what a trace shows: when, and
// with which fields. Both stand beside the logic that they are about, are looked at
// on each edge of their clock outside reset, and are no part of the hardware.
//
// # Mistakes
//
// Build reports every mistake of a design in one error, each with the Go file and
// line of the code that made it; package hdl/check lists them.
package hdl
