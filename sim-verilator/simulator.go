package verilator

import (
	"gornic/hdl/sim"
	"gornic/tools/toolset"
)

// Simulator names Verilator to tests that run on several simulators, such as
// those of hdltest.EachSim; they skip it where it is not installed.
var Simulator = sim.Simulator{Name: "verilator", Open: Open, Prepare: Prepare, Absent: toolset.ErrAbsent, Waves: ".fst"}
