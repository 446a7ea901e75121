// Command formal proves the properties of the stream parts and of the blocks, as `make formal` does.
//
//	go run ./tools/formal              everything, a row for each design
//	go run ./tools/formal -run fifo    the designs whose name matches a regular expression
//	go run ./tools/formal -v -run fifo asks again what is known, with every detail and the waves of the covers
//	go run ./tools/formal -json        an object a line: the fields of a row
//	go run ./tools/formal -mutants 4   tries random broken copies, too
//
// Three questions are asked of each design (package formal): a bounded proof, a proof for all time, and whether each cover
// can be reached. Then the design is broken in each of the ways that its proof names (hdl.Proof.Breaks), and the bounded proof
// of each of those copies must fail: properties that hold for anything prove nothing. Rows:
//
//	solver     who answered: z3, on words, or ABC, on single bits
//	asserts    what was proved: assertions, and the assumptions of the modules inside
//	bounded    for how many cycles from reset
//	induction  for all time: from how many cycles in which all held it follows that they hold in the next;
//	           "searched" where a solver found the invariants that take the place of an induction
//	covers     reached of all; - where they are left to simulation
//	copies     broken copies that the assertions notice, of those that the proof names
//	mutants    with -mutants: the same of random ones, a measure that nothing depends on
//	seconds    of processor time for all questions; in brackets for what was known
//
// What passed is remembered in build/formal/known by a hash of the Verilog, the questions and the tools, and not asked
// again. Counterexamples are in build/formal/NAME as VCD files. The last line is `N passed, N failed`, and the exit status is
// 1 if anything failed.
package main
