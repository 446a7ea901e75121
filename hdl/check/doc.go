// Package check finds the mistakes in an elaborated design, each with the line
// of Go that made it.
//
// Start at [Run], which package hdl calls for every design that it builds, and
// at [Finding]. The passes are a table in pass.go, with what each one reports
// and why that is a mistake; docs/checks.md is made from it.
//
// # Codes
//
// A finding ends in the code of its kind, in brackets. Package hdl reports some
// while it builds the design:
//
//   - width: operands, or a target and its value, of unequal width; a condition of more than one bit; a field of an
//     event of more than 64.
//   - constant: a constant that does not fit its width.
//   - slice: bits that the sliced value does not have.
//   - assign: Set of something that is not a wire, output, register or input of an instance.
//   - owner: a signal used or assigned in the body of another module.
//   - clash: two signals, memories, instances, properties or events of one name in a module, or two fields of an
//     event.
//   - misuse: a call of the library that has no meaning, such as a width of zero.
//   - dropped: an operation that is a statement by itself, such as x.Add(y): its result is thrown away. Other values
//     that nothing reads are not reported: generators make them for some parameters.
//   - parameter: a module that rejects the parameters it was given.
//   - panic: a Body that panicked.
//
// The passes of this package look at the finished design, in this order:
//
//   - structure: a design that breaks a rule of package ir: a node of the wrong width, a signal of another module.
//     Nothing else is looked at then.
//   - twin: two modules of one name that are built differently, and the first difference.
//   - name: two modules whose names differ only in case; a name that is no Verilog identifier.
//   - reserved: a name that is a reserved word of Verilog or SystemVerilog.
//   - clock: a register, memory port, property or event without a clock of its own module; an instance with a domain
//     that is not connected.
//   - memory: a memory port with an address, data or lanes of the wrong width; lanes that do not divide the word; a
//     constant address past the last word; another policy than Undefined between
//     two clocks.
//   - ghost: hardware that reads a signal which serves properties only.
//   - undriven: a wire, output, input of an instance or memory that nothing drives; a bundle of ports, such as a stream, in one message.
//   - unset: a register that is never set.
//   - drivers: an assignment that a later one in the same block always overrides, so that it can never be seen.
//   - latch: a wire, output or input of an instance that is assigned on some paths through If and Switch and not on
//     others.
//   - unread: bits of an input, wire, register, memory output or instance output that nothing reads; a register that
//     only its own next value reads; a memory that is never read. Bits are followed through slices, concatenations,
//     bitwise operators, multiplexers, sums and shifts. Properties and events are no readers, other than of the state
//     of properties.
//   - arm: an arm of an If or Switch that can never run: an earlier arm has the same condition or value, or the value
//     cannot occur. A Default that every value bypasses is not reported: generators need it for other parameters.
//   - condition: a condition of an If, or the subject of a Switch, that is the same in every cycle. Constants inside
//     expressions are not reported: generators make them for some parameters.
//   - state: a state of an FSM that cannot be reached from the reset state, or can never be left; a value that is no
//     state assigned to it.
//   - reset: a register without reset that is an FSM's state, or is by itself the valid of a stream or the write
//     enable of a memory, or whose every next value depends on its old one.
//   - loop: a signal that depends on itself within the cycle, bit by bit and through instances, with a line for each
//     hop.
//   - handshake: the valid of an outgoing stream (NAME_valid) that depends on its own ready (NAME_ready) within the
//     cycle. The converse, a ready that looks at its own valid, is allowed: an arbiter's grant does.
//   - domain: a register, memory port or port of one clock domain that depends on a register of another, directly or
//     through logic, unless the register is marked with CrossSafe.
//   - ignore: an "//hdl:ignore CODE reason" comment without a reason, with an unknown code, or on a line that has no
//     such finding. A line that this design does not use is passed over.
//
// # How exact the passes are
//
// No pass simulates. Each follows the structure of the design as far as it can
// be sure, and is silent where it cannot.
//
// Latch and drivers look at statements: conditions are taken as independent of
// each other, and an assignment is of a whole signal.
//
// Unread follows bits, not only signals, but not through signals: a wire that
// nobody reads is reported itself, and not the signals that it was computed
// from. A mistake is one finding; when it is mended the next one may show.
//
// Loop and handshake look at whole signals first, and bit by bit where those
// seem to depend on themselves. A carry chain or a shifted vector that is built
// with Cat from its own slices is no loop. What a signal is set from counts,
// with the conditions around its own assignments; other assignments under the
// same If do not. Constants count in and, or and shifts.
//
// State, arm and condition take the values of signals as free, apart from an
// FSM's own state.
//
// Domain follows values from register to register and through ports, not
// through the contents of memories: a memory between two domains is a crossing
// by itself, whose pointers are what has to be synchronised.
//
// # Ignoring a finding
//
// A comment on its line suppresses a finding:
//
//	spare := m.Reg("spare", 8, 0) //hdl:ignore unread a probe of the lab reads it
//
// The reason is required. [Examine] lists what was suppressed.
package check
