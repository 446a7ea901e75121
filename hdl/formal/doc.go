// Package formal proves the properties of a design: what a module Asserts holds in every cycle outside reset, whatever its
// inputs do within what it Assumes.
//
// [Prove] asks Yosys and z3 three questions: can an assertion fail within Depth cycles, the first of which is in reset (the
// bounded proof); does it follow from Induction cycles in which all held that they hold in the next (the proof for all time,
// together with the first); and can every cover be reached. [Check] is the same as a test, and shows the last cycles of a
// counterexample, which is also there as data ([Trace]) and as a VCD file. [Copies] puts a named fault into the design (hdl.Fault),
// which the assertions have to notice: a proof that also passes for a broken copy says little. [Mutants] breaks it at random.
//
// [ProveBits], [CopiesBits] and [MutantsBits] do the same with ABC, for blocks with wide data paths and for properties that are no induction.
// The lists of what is proved (hdl.Proof) are for `go run ./tools/formal`.
//
// Only the top's assumptions are assumed; what a module inside assumes is an obligation of the module around it, and is
// proved. The reset of the top is high in the first cycle, and the solver may raise it again whenever it likes. Designs have
// one clock. Sizes matter more than anything else: prove a FIFO of four entries of two bits, and simulate the large one.
//
//	prove.go, answer.go   questions and answers
//	model.go              from a design to Yosys' SMT file
//	smtbmc.go             running yosys-smtbmc, reading its report
//	process.go            tools with a limit of processor time
//	trace.go, vcd.go      counterexamples and ways to covers; waves.go keeps them as files
//	table.go, relevant.go what a person sees of them
//	bits.go               the same questions with ABC
//	broken.go, break.go   broken copies with a named fault
//	mutants.go            broken copies at random
package formal
