// Command formal proves the properties of the stream parts and of the blocks, as `make formal` does.
//
//	go run ./tools/formal              everything, a row for each design
//	go run ./tools/formal -only fifo   the designs whose name contains fifo
//
// Three questions are asked of each design (package formal): a bounded proof, induction, and whether each cover can be
// reached. Then the design is broken in a few ways, and at least one of those copies must fail: properties that hold for
// anything prove nothing. The last line is `N passed, N failed`, and the exit status is 1 if anything failed. What passed is
// remembered in build/formal by a hash of the Verilog, the questions and the tools, and not asked again.
package main
