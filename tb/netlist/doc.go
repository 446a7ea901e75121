// Package netlist runs what synthesis made of a design behind the interface of package sim, so that the tests of the
// design run on it: [Prepare] is all that most readers need.
//
//	n, err := netlist.Read(path, design.Top.Name)      // of gornic/fpga/netlist
//	simulator, err := netlist.Prepare(ctx, design, n, nil)
//	lab, err := rtl.NewLab(design, io, rtl.Options{..., NIC: rtl.NICOptions{Simulator: simulator.Original()}})
//
// The cells of the ECP5 are printed as Verilog that depends on no vendor: LUTs, carry chains and multiplexers as expressions,
// flip-flops as always blocks, and memories as the modules of cells.v. Where the memories of the device leave
// open what is read (the word that the other port writes in the same cycle) the model reads the opposite of what was
// there: a design that counts on it fails. Registers and memories start as the seed says, not as the device does. Of a memory in LUTs
// synthesis makes a copy for each who reads it, and each starts differently: a design that counts on a word that was never written
// being the same twice fails, though not in the simulators of its source.
//
// [Simulator] does all of it for any design, such as a block in its own tests.
//
// # Mutants
//
// A mutant is the netlist with the function of one LUT inverted. All that one asks for are compiled at once, and a copy
// of the simulator is told which one to be: [Simulators.Mutant]. Tests that are worth something fail on nearly all; the
// command fpga counts them.
package netlist
