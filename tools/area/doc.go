// Command area prints what every block costs: LUTs, flip-flops, RAMs and depth at 64 and at 512 bits, for Lattice ECP5 and for
// Xilinx UltraScale+, synthesized by Yosys, next to what other projects' blocks cost in the same flow.
//
//	go run ./tools/area                    the table
//	go run ./tools/area -block icrc -json  one block, a JSON object a line
//	go run ./tools/area -config board -family ecp5   some of the table
//	go run ./tools/area -suggest           a new budget.yaml
//	go run ./tools/area -yosys /usr/bin/yosys   another Yosys than the one that was set up
//
// It exits with status 1 if a block is larger or deeper than budget.yaml allows. Results are kept in build/area by a hash of
// the Verilog, the script and Yosys' version.
//
// Depth is the longest way between registers, or between a port and a register, in cells: each LUT counts one, and so do the
// multiplexers that join LUTs, reads of LUT RAM, and a carry chain as a whole.
package main
