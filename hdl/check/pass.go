package check

import (
	"fmt"

	"gornic/hdl/ir"
)

// Codes of the passes below.
const (
	Structure Code = "structure"
	Twin      Code = "twin"
	Name      Code = "name"
	Reserved  Code = "reserved"
	Clock     Code = "clock"
	Memory    Code = "memory"
	Ghost     Code = "ghost"
	Undriven  Code = "undriven"
	Unset     Code = "unset"
	Drivers   Code = "drivers"
	Latch     Code = "latch"
	Unread    Code = "unread"
	Arm       Code = "arm"
	Condition Code = "condition"
	State     Code = "state"
	Reset     Code = "reset"
	Loop      Code = "loop"
	Handshake Code = "handshake"
	Domain    Code = "domain"
	Ignore    Code = "ignore"
)

// pass is one kind of mistake: how it is found, what is reported, and why it
// is one. Exactly one of module and design is set.
type pass struct {
	code    Code
	module  func(*checker, *ir.Module) // looks at one module of each structure
	design  func(*checker)             // looks at the whole design
	reports string
	why     string
}

// passes lists every pass in the order they run. Documentation is generated
// from it.
var passes = []pass{
	{code: Structure, design: checkStructure,
		reports: "a design that breaks a rule of package ir: a node of the wrong width, a signal of another module. Nothing else is looked at then.",
		why:     "Every reader of the design relies on these rules. Package hdl keeps them, so this is a bug in it, or in a design built by hand."},
	{code: Twin, design: checkTwins,
		reports: "two modules of one name that are built differently, and the first difference.",
		why:     "A name is printed as one Verilog module. A name that leaves out a parameter would give one of the instances the wrong hardware."},
	{code: Name, design: checkNames,
		reports: "two modules whose names differ only in case; a name that is no Verilog identifier.",
		why:     "Names are printed as given. A file per module needs names that differ on file systems that ignore case."},
	{code: Reserved, design: checkReserved,
		reports: "a name that is a reserved word of Verilog or SystemVerilog.",
		why:     "The printed Verilog would not be read by the tools; a silent change of the name would hide the signal from its author."},
	{code: Clock, module: checkClocks,
		reports: "a register, memory port, property or event without a clock of its own module; an instance with a domain that is not connected.",
		why:     "It would never move."},
	{code: Memory, module: checkMemories,
		reports: "a memory port with an address, data or lanes of the wrong width; lanes that do not divide the word; a constant address past the last word; another policy than Undefined between two clocks.",
		why:     "Verilog would extend or cut the address in silence and read another word. Between two clocks no RAM keeps a promise about a read that meets a write."},
	{code: Ghost, module: checkGhosts,
		reports: "hardware that reads a signal which serves properties only.",
		why:     "State of properties is left out of the synthesis output, so the hardware would lose a driver."},
	{code: Undriven, module: checkUndriven,
		reports: "a wire, output, input of an instance or memory that nothing drives; a bundle of ports, such as a stream, in one message.",
		why:     "It has no value."},
	{code: Unset, module: checkUnset,
		reports: "a register that is never set.",
		why:     "It is a constant, or unknown for ever. Either it was forgotten or it should be a constant."},
	{code: Drivers, module: checkDrivers,
		reports: "an assignment that a later one in the same block always overrides, so that it can never be seen.",
		why:     "The last assignment wins, so the first one is lost: two drivers, or a default written after the exception. A default followed by an If or Switch is fine, even one with every arm."},
	{code: Latch, module: checkLatches,
		reports: "a wire, output or input of an instance that is assigned on some paths through If and Switch and not on others.",
		why:     "It would have to keep its old value without a clock. Set a default first, or add the missing Else or Default. A Switch over every value needs no Default."},
	{code: Unread, module: checkUnread,
		reports: "bits of an input, wire, register, memory output or instance output that nothing reads; a register that only its own next value reads; a memory that is never read. Bits are followed through slices, concatenations, bitwise operators, multiplexers, sums and shifts. Properties and events are no readers, other than of the state of properties.",
		why:     "A value was computed or brought here and then forgotten, or is not needed. Module.Unused says that it is meant."},
	{code: Arm, module: checkArms,
		reports: "an arm of an If or Switch that can never run: an earlier arm has the same condition or value, or the value cannot occur. A Default that every value bypasses is not reported: generators need it for other parameters.",
		why:     "What it says does not happen."},
	{code: Condition, module: checkConditions,
		reports: "a condition of an If, or the subject of a Switch, that is the same in every cycle. Constants inside expressions are not reported: generators make them for some parameters.",
		why:     "Either the comparison is wrong, or a Go if would say so in the generator."},
	{code: State, module: checkStates,
		reports: "a state of an FSM that cannot be reached from the reset state, or can never be left; a value that is no state assigned to it.",
		why:     "A transition is missing or wrong."},
	{code: Reset, module: checkResets,
		reports: "a register without reset that is an FSM's state, or is by itself the valid of a stream or the write enable of a memory, or whose every next value depends on its old one.",
		why:     "Control must start from a known value; a counter without reset never gets one. Data without reset is fine: other registers are not reported."},
	{code: Loop, design: checkLoops,
		reports: "a signal that depends on itself within the cycle, bit by bit and through instances, with a line for each hop.",
		why:     "It oscillates or latches, and no simulator or timing tool agrees on it."},
	{code: Handshake, design: checkHandshakes,
		reports: "the valid of an outgoing stream (NAME_valid) that depends on its own ready (NAME_ready) within the cycle. The converse, a ready that looks at its own valid, is allowed: an arbiter's grant does.",
		why:     "A source that waits for ready and a sink that waits for valid wait for ever. As no valid waits for ready, ready may wait for valid without a loop."},
	{code: Domain, design: checkDomains,
		reports: "a register, memory port or port of one clock domain that depends on a register of another, directly or through logic, unless the register is marked with CrossSafe.",
		why:     "It is sampled while it changes. Crossings belong in parts that are made for them."},
}

// ignorePass is the last step of a run: it looks at the findings of all passes.
var ignorePass = pass{code: Ignore,
	reports: "an \"//hdl:ignore CODE reason\" comment without a reason, with an unknown code, or on a line that has no such finding. A line that this design does not use is passed over.",
	why:     "A comment that suppresses nothing hides the next mistake on its line."}

// frontEnd lists the codes that package hdl reports by itself.
var frontEnd = []pass{
	{code: Width, reports: "operands, or a target and its value, of unequal width; a condition of more than one bit; a field of an event of more than 64.",
		why: "Nothing is extended or cut in silence. ZExt, SExt, Trunc, Slice and Cat say what is meant."},
	{code: Constant, reports: "a constant that does not fit its width.", why: "Its high bits would be lost."},
	{code: Slice, reports: "bits that the sliced value does not have.", why: "They have no value."},
	{code: Assign, reports: "Set of something that is not a wire, output, register or input of an instance.", why: "It has another driver."},
	{code: Owner, reports: "a signal used or assigned in the body of another module.", why: "Modules meet at ports only."},
	{code: Clash, reports: "two signals, memories, instances, properties or events of one name in a module, or two fields of an event.", why: "Names are printed as given, and never changed in silence."},
	{code: Misuse, reports: "a call of the library that has no meaning, such as a width of zero.", why: "Nothing can be built from it."},
	{code: Dropped, reports: "an operation that is a statement by itself, such as x.Add(y): its result is thrown away. Other values that nothing reads are not reported: generators make them for some parameters.",
		why: "Operations change nothing; Set does."},
	{code: Parameter, reports: "a module that rejects the parameters it was given.", why: "It cannot be built with them."},
	{code: Panic, reports: "a Body that panicked.", why: "The module is not complete, so it is not checked further."},
}

// passOrder says which passes must run before which, and why.
var passOrder = []struct {
	first, then Code
	why         string
}{
	{Structure, Twin, "all other passes index bits and signals as the rules of package ir allow"},
	{Twin, Clock, "passes over single modules look at one of each structure, which twin finds"},
	{Clock, Domain, "a thing without a clock has been reported and has no domain"},
	{Loop, Handshake, "both walk the combinational graph; the first one builds it and reports its cycles, at which the others stop"},
}

// checker is the state of one run.
type checker struct {
	design  *ir.Design
	modules []*ir.Module // one of each structure
	graph   *graph
	code    Code // of the pass that runs
	found   Findings
}

// report adds a finding of the pass that runs.
func (c *checker) report(pos ir.Pos, m *ir.Module, format string, args ...any) {
	f := Finding{Code: c.code, Pos: pos, Message: fmt.Sprintf(format, args...)}
	if m != nil {
		f.Module, f.Path = m.Name, m.Path
	}
	c.found = append(c.found, f)
}
