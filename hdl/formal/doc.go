// Package formal proves the properties of a design: what a module Asserts holds in every cycle outside reset, whatever its
// inputs do within what it Assumes.
//
// [Prove] asks Yosys and z3 three questions: can an assertion fail within the first Depth cycles after reset (the bounded
// proof); does it follow from Induction cycles in which all held that they hold in the next (the proof for all time,
// together with the first); and can every cover be reached. [Check] is the same as a test. [Faults] breaks the design in a
// number of ways and counts how many of them the assertions notice: a proof that also passes for a broken copy says little.
//
// Only the top's assumptions are assumed; what a module inside assumes is an obligation of the module around it, and is
// proved. The reset of the top is high in the first cycle, and the solver may raise it again whenever it likes. Designs have one clock. Sizes matter
// more than anything else: prove a FIFO of four entries of two bits, and simulate the large one.
//
//	prove.go   questions and answers
//	model.go   from a design to Yosys' SMT file
//	faults.go  broken copies
//	smtbmc.go  running yosys-smtbmc, reading its report
package formal
