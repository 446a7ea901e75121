package linktest

import (
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
)

// Others are the simulators beside the native one that a block is tested in at a
// data width in bits: the narrowest and the widest go to Verilator, for the sake of
// time.
func Others(width int) []sim.Simulator {
	if width == 64 || width == 512 {
		return []sim.Simulator{verilator.Simulator}
	}
	return nil
}
