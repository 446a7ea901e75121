package linktest

import (
	"context"
	"flag"

	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
	"gornic/tb/netlist"
)

var netlistFlag = flag.Bool("netlist", false, "run blocks at 64 bits on what Yosys makes of them for an ECP5, too; a test that looks inside fails there")

// Netlist runs a block after synthesis, which takes some seconds of Yosys and of a compiler.
func Netlist() sim.Simulator { return netlist.Simulator(context.Background()) }

// Others are the simulators beside the native one that a block is tested in at a
// data width in bits: the narrowest and the widest go to Verilator, for the sake of
// time.
func Others(width int) []sim.Simulator {
	switch {
	case width == 64 && *netlistFlag:
		return []sim.Simulator{verilator.Simulator, Netlist()}
	case width == 64 || width == 512:
		return []sim.Simulator{verilator.Simulator}
	}
	return nil
}
