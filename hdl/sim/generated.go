package sim

import (
	"gornic/hdl/ir"
	"gornic/hdl/sim/internal/netlist"
)

func openRegistered(d *ir.Design, n *netlist.Netlist, o Options) Backend { return nil }
